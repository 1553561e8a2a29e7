// Strategies that walk one path of placements, from the one that frees least to the one that frees most, and
// take the first that fits the budget.
#pragma once

#include "core/planner/lowering.h"
#include "core/planner/strategy.h"

#include <utility>

namespace slackscope {

class PlacementPath {
public:
    virtual ~PlacementPath() = default;
    virtual std::size_t count() const = 0; // >= 1; stop 0 frees least
    virtual Placement at(std::size_t stop) const = 0;
};

// A path of placements made beforehand.
class FixedPath final : public PlacementPath {
public:
    explicit FixedPath(std::vector<Placement> stops) : stops_(std::move(stops)) {}
    std::size_t count() const override { return stops_.size(); }
    Placement at(std::size_t stop) const override { return stops_[stop]; }

private:
    std::vector<Placement> stops_;
};

// Stops that a path may have for its peaks to be computed one by one: beyond, paths take bigger strides.
inline constexpr std::size_t mostStops = 512;

// Simulates a placement whose ledger peak is within the budget, and fills in the plan but for the unlimited
// peak and the minimum budget. Throws std::logic_error if the lowering broke its word (a fault of ours).
Plan simulatePlacement(Lowering& lowering, const Placement& placement, Bytes budget,
                       std::string_view strategy);

// Computes the ledger peak of every stop once, nullptr when stopped. plan(budget) then simulates the first
// stop that fits and `lookAhead` more, 1, 2, 4, ... stops beyond it, and answers with the fastest of those
// that fit: the ledger takes copies as instantaneous, and freeing a little more than it asks for can save a
// stall.
std::unique_ptr<PreparedStrategy> preparePath(std::shared_ptr<const StepGraph> graph,
                                              std::string_view strategy,
                                              std::vector<std::unique_ptr<PlacementPath>> paths,
                                              std::size_t lookAhead, const StopRequested& stop);

// The same for one path.
std::unique_ptr<PreparedStrategy> preparePath(std::shared_ptr<const StepGraph> graph,
                                              std::string_view strategy, std::unique_ptr<PlacementPath> path,
                                              std::size_t lookAhead, const StopRequested& stop);

} // namespace slackscope
