// What moves over a still picture: cursor, selected stretch, playhead, the selected tensor's bars and the
// lines that join them. On screens only, so it may clip.
#pragma once

#include "ui/figures/lane_painter.h"
#include "ui/figures/memory_painter.h"

#include <optional>

namespace slackscope::figures {

struct Overlay {
    Selection selection;
    std::optional<double> cursorNs;
    std::optional<RangeReadout> stretch;
    std::optional<Nanoseconds> playhead;
};

// A line from the end of one event of a tensor to the start of another.
struct Flow {
    TensorEvent from;
    TensorEvent to;
};
// Producer to forward uses and offload, offload to prefetches, and the latest copy (produced, prefetched or
// recomputed) to each later use. At most `most`.
std::vector<Flow> flowsOf(const StepPicture& picture, TensorIndex t, std::size_t most = 64);

void paintOverlay(QPainter& painter, const Scene& lanes, const MemoryScene& memory, const Overlay& overlay);

} // namespace slackscope::figures
