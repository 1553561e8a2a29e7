#include "ui/figures/decision_grid.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace slackscope::figures {

namespace {

constexpr std::size_t mostColumns = 256;
constexpr std::size_t mostRows = 64;

QString words(const char* text) {
    return QCoreApplication::translate("DecisionGrid", text);
}

// Outside the layers: before the first, after the last.
constexpr int before = std::numeric_limits<int>::min();
constexpr int after = std::numeric_limits<int>::max();

class GridMaker {
public:
    explicit GridMaker(const StepGraph& graph) : graph_(graph) {
        const auto layered = [&](OperatorIndex i) { return graph.op(i).layer.has_value(); };
        for (OperatorIndex i = 0; i < graph.operatorCount() && firstLayered_ == none; ++i) {
            if (layered(i))
                firstLayered_ = i;
        }
    }

    DecisionGrid make();

private:
    QString kindOf(TensorIndex t) const;
    int layerOf(TensorIndex t) const;
    void placeInLayers();
    void placeByKind();
    void placeInFlow();
    void index();

    const StepGraph& graph_;
    OperatorIndex firstLayered_ = none;
    DecisionGrid grid_;
};

QString GridMaker::kindOf(TensorIndex t) const {
    if (!graph_.tensor(t).kind.empty())
        return QString::fromStdString(graph_.tensor(t).kind);
    const OperatorIndex producer = graph_.producer(t);
    if (producer == none)
        return words("input");
    const std::string& kind = graph_.op(producer).kind;
    return kind.empty() ? words("tensor") : QString::fromStdString(kind);
}

int GridMaker::layerOf(TensorIndex t) const {
    const OperatorIndex producer = graph_.producer(t);
    if (producer == none || producer < firstLayered_)
        return before;
    return graph_.op(producer).layer.value_or(after);
}

void GridMaker::placeInLayers() {
    grid_.shape = DecisionGrid::Shape::Layers;
    std::set<int> layers;
    for (const TensorIndex t : graph_.savedTensors())
        layers.insert(layerOf(t));
    std::map<int, std::int32_t> columns;
    for (const int layer : layers) {
        columns.emplace(layer, static_cast<std::int32_t>(grid_.columns.size()));
        grid_.columns.push_back(layer == before  ? words("in")
                                : layer == after ? words("out")
                                                 : QString::number(layer));
    }
    std::map<QString, std::int32_t> rows;
    for (const TensorIndex t : graph_.savedTensors()) {
        const QString kind = kindOf(t);
        const auto [row, isNew] = rows.try_emplace(kind, static_cast<std::int32_t>(grid_.rows.size()));
        if (isNew)
            grid_.rows.push_back(kind);
        grid_.cells.push_back({t, row->second, columns.at(layerOf(t))});
    }
}

void GridMaker::placeByKind() {
    grid_.shape = DecisionGrid::Shape::Kinds;
    std::map<QString, std::int32_t> rows;
    std::vector<std::int32_t> filled; // by row
    for (const TensorIndex t : graph_.savedTensors()) {
        const QString kind = kindOf(t);
        const auto [row, isNew] = rows.try_emplace(kind, static_cast<std::int32_t>(grid_.rows.size()));
        if (isNew) {
            grid_.rows.push_back(kind);
            filled.push_back(0);
        }
        grid_.cells.push_back({t, row->second, filled[static_cast<std::size_t>(row->second)]++});
    }
    const std::int32_t widest = filled.empty() ? 0 : *std::max_element(filled.begin(), filled.end());
    for (std::int32_t column = 0; column < widest; ++column)
        grid_.columns.push_back(QString::number(column + 1));
}

void GridMaker::placeInFlow() {
    grid_ = {};
    grid_.shape = DecisionGrid::Shape::Flow;
    const auto count = static_cast<std::int32_t>(graph_.savedTensors().size());
    // About three times as wide as tall, as the map usually is.
    const auto wide = static_cast<std::int32_t>(std::ceil(std::sqrt(3.0 * count)));
    const std::int32_t columns = std::max(wide, std::min(count, 24));
    for (std::int32_t i = 0; i < count; ++i) {
        if (i % columns == 0)
            grid_.rows.push_back(QString::number(i + 1));
        grid_.cells.push_back({graph_.savedTensors()[static_cast<std::size_t>(i)], i / columns, i % columns});
    }
    grid_.columns.assign(static_cast<std::size_t>(std::min(count, columns)), QString());
}

void GridMaker::index() {
    std::stable_sort(grid_.cells.begin(), grid_.cells.end(),
                     [](const DecisionCell& a, const DecisionCell& b) {
                         return std::pair(a.row, a.column) < std::pair(b.row, b.column);
                     });
    const std::size_t columns = grid_.columns.size();
    grid_.firstCell.assign(grid_.rows.size() * columns + 1, 0);
    for (const DecisionCell& cell : grid_.cells)
        ++grid_.firstCell[static_cast<std::size_t>(cell.row) * columns +
                          static_cast<std::size_t>(cell.column) + 1];
    for (std::size_t i = 1; i < grid_.firstCell.size(); ++i)
        grid_.firstCell[i] += grid_.firstCell[i - 1];
    grid_.cellOfTensor.assign(static_cast<std::size_t>(graph_.tensorCount()), none);
    for (std::size_t i = 0; i < grid_.cells.size(); ++i) {
        DecisionCell& cell = grid_.cells[i];
        const std::size_t slot =
            static_cast<std::size_t>(cell.row) * columns + static_cast<std::size_t>(cell.column);
        cell.part = static_cast<std::int32_t>(i) - grid_.firstCell[slot];
        cell.parts = grid_.firstCell[slot + 1] - grid_.firstCell[slot];
        grid_.cellOfTensor[static_cast<std::size_t>(cell.tensor)] = static_cast<std::int32_t>(i);
        grid_.largestBytes = std::max(grid_.largestBytes, graph_.tensor(cell.tensor).bytes);
    }
}

DecisionGrid GridMaker::make() {
    if (firstLayered_ != none)
        placeInLayers();
    else
        placeByKind();
    if (grid_.columns.size() > mostColumns || grid_.rows.size() > mostRows)
        placeInFlow();
    index();
    return std::move(grid_);
}

} // namespace

DecisionGrid makeDecisionGrid(const StepGraph& graph) {
    return GridMaker(graph).make();
}

} // namespace slackscope::figures
