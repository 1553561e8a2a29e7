// One worker thread on which only the newest task counts.
#pragma once

#include "core/planner/strategy.h"

#include <QtGlobal>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace slackscope {

// A task that waits is replaced by the next one. A task that runs is told to stop when a task of another
// group arrives: within a group (one profile and one strategy, say) the running work serves the next task
// too.
class NewestWorker {
public:
    using Task = std::function<void(const StopRequested& stop)>;

    // Background: gives way to threads of the usual priority, of this program and others, where the system
    // can do that; unlike an idle thread it gets on nevertheless.
    enum class Priority { Usual, Background };

    explicit NewestWorker(Priority priority = Priority::Usual);
    ~NewestWorker(); // tells the running task to stop and waits for it
    NewestWorker(const NewestWorker&) = delete;
    NewestWorker& operator=(const NewestWorker&) = delete;

    void submit(quint64 group, Task task);
    // Forgets the task that waits and tells the running one to stop.
    void cancel();

private:
    void work();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::optional<Task> waiting_;
    quint64 waitingGroup_ = 0;
    quint64 wantedGroup_ = 0;
    quint64 cancels_ = 0;
    bool ending_ = false;
    // Last: it uses the members above. Not a QThread, whose end ThreadSanitizer cannot see.
    std::thread thread_;
};

} // namespace slackscope
