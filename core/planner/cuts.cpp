#include "core/planner/cuts.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double fraction(double value) {
    return value - std::floor(value);
}

double dot(const LinearProgram::Sum& sum, std::span<const double> values) {
    double total = 0;
    for (const LinearProgram::Term& term : sum)
        total += term.factor * values[at(term.column)];
    return total;
}

double length(const LinearProgram::Sum& sum) {
    double squares = 0;
    for (const LinearProgram::Term& term : sum)
        squares += term.factor * term.factor;
    return std::sqrt(squares);
}

} // namespace

std::optional<Cut> roundedCut(const LinearProgram& program, std::span<const char> whole,
                              std::span<const double> multiples, std::span<const double> values) {
    constexpr double leastPart = 0.01; // f(b) nearer to 0 or 1 makes steep cuts
    const auto columns = at(program.columnCount());
    // A row is sum + sign * slack = limit.
    const auto signOf = [&](int row) {
        return program.isEquation(row) ? 0.0 : program.hasHigh(row) ? 1.0 : -1.0;
    };
    const auto limitOf = [&](int row) { return program.hasHigh(row) ? program.high(row) : program.low(row); };

    std::vector<double> factors(columns, 0.0);
    double value = 0;     // b
    double magnitude = 1; // of all that is added up
    double products = 16;
    for (int row = 0; row < program.rowCount(); ++row) {
        const double multiple = multiples[at(row)];
        if (multiple == 0)
            continue;
        for (const LinearProgram::Term& term : program.terms(row)) {
            factors[at(term.column)] += multiple * term.factor;
            magnitude += std::abs(multiple * term.factor) * program.upper(term.column);
            ++products;
        }
        value += multiple * limitOf(row);
        magnitude += std::abs(multiple * limitOf(row));
        ++products;
    }
    std::vector<char> fromAbove(columns, 0);
    for (std::size_t j = 0; j < columns; ++j) {
        const double upper = program.upper(static_cast<int>(j));
        if (factors[j] == 0 || 2 * values[j] <= upper)
            continue;
        fromAbove[j] = 1;
        value -= factors[j] * upper;
        magnitude += std::abs(factors[j]) * upper;
        factors[j] = -factors[j];
        ++products;
    }
    const double part = fraction(value);
    if (part < leastPart || part > 1 - leastPart)
        return std::nullopt;
    // The equation holds but for so much, which is like two columns of factors 1 and -1.
    const double off = 2 * products * epsilon * magnitude;
    const auto any = [&](double factor) { return factor >= 0 ? factor / part : -factor / (1 - part); };
    double least = 1 - off / std::min(part, 1 - part);

    double weight = 1; // of all that is added up from here on
    for (std::size_t j = 0; j < columns; ++j) {
        double& factor = factors[j];
        if (factor == 0)
            continue;
        if (whole[j]) {
            const double rest = fraction(factor);
            factor = rest <= part ? rest / part : (1 - rest) / (1 - part);
        } else {
            factor = any(factor);
        }
        weight += factor * program.upper(static_cast<int>(j));
        if (fromAbove[j]) {
            least -= factor * program.upper(static_cast<int>(j));
            factor = -factor;
        }
    }
    for (int row = 0; row < program.rowCount(); ++row) {
        const double sign = signOf(row);
        if (multiples[at(row)] == 0 || sign == 0)
            continue;
        // slack = sign * (limit - sum)
        const double slack = any(multiples[at(row)] * sign) * sign;
        for (const LinearProgram::Term& term : program.terms(row)) {
            factors[at(term.column)] -= slack * term.factor;
            weight += std::abs(slack * term.factor) * program.upper(term.column);
        }
        least -= slack * limitOf(row);
        weight += std::abs(slack * limitOf(row));
    }
    double largest = 0;
    for (const double factor : factors)
        largest = std::max(largest, std::abs(factor));
    if (largest == 0)
        return std::nullopt;
    Cut cut;
    for (std::size_t j = 0; j < columns; ++j) {
        const int column = static_cast<int>(j);
        if (factors[j] == 0)
            continue;
        if (std::abs(factors[j]) < 1e-7 * largest) // at its best
            least -= std::max(0.0, factors[j] * program.upper(column));
        else
            cut.sum.push_back({column, factors[j] / largest});
    }
    cut.least = (least - 4 * products * epsilon * weight) / largest;
    if (!std::isfinite(cut.least))
        return std::nullopt;
    return cut;
}

namespace {

// Solves, adds rows that are broken and cuts, and solves again.
class Cutter {
public:
    Cutter(const LinearProgram& program, const Cutting& cutting)
        : program_(program), cutting_(cutting), whole_(at(program.columnCount()), 0),
          taken_(at(program.rowCount()), 0), idle_(at(program.rowCount()), 0) {
        for (const int column : cutting.whole)
            whole_[at(column)] = 1;
        for (int row = 0; row < program.rowCount(); ++row) {
            if (program.terms(row).size() <= fewTerms)
                taken_[at(row)] = 1;
        }
    }

    LinearProgram run() {
        double last = 0;
        int stalled = 0;
        for (int round = 0;; ++round) {
            build();
            ClpSimplex solver;
            solver.setLogLevel(0);
            made_.load(solver);
            if (!status_.empty())
                solver.copyinStatus(status_.data());
            solver.dual(0, keepFactorization);
            const bool optimal = solver.isProvenOptimal();
            const double bound = made_.dualValue(solver.dualRowSolution());
            const std::span values(solver.primalColumnSolution(), at(made_.columnCount()));
            if (!optimal) // then the rows that are missing may matter
                return program_;
            if (bound >= cutting_.enough || (cutting_.stop && cutting_.stop()))
                return std::move(made_);
            keepStatus(solver);
            const bool broken = takeBroken(values);
            if (broken) {
                --round;
                continue;
            }
            stalled = bound - last < little * (cutting_.enough - bound) ? stalled + 1 : 0;
            last = bound;
            if (round >= cutting_.mostRounds || stalled > cutting_.mostStalled)
                return std::move(made_);
            leaveIdle();
            if (!addCuts(solver, values))
                return std::move(made_);
        }
    }

private:
    static constexpr int keepFactorization = 1;
    static constexpr std::size_t fewTerms = 2;     // rows that are there from the start
    static constexpr std::size_t mostInRound = 25; // more at once serve worse in the end
    static constexpr std::size_t mostTried = 200;
    static constexpr std::size_t mostBroken = 400;
    static constexpr double relativeTolerance = 1e-7; // of a row; numbers differ by much between profiles
    static constexpr double leastFar = 1e-5;          // by which a cut cuts off the optimum
    static constexpr double mostAlike = 0.95;         // cosine of the angle between two cuts of a round
    static constexpr int mostIdle = 2;                // solutions in a row in which a row did not matter
    static constexpr double little = 0.002;           // of what is missing from enough

    static constexpr unsigned char basic = ClpSimplex::basic;

    struct Kept {
        Cut cut;
        int age = 0; // rounds in which it did not matter
        unsigned char status = basic;
    };

    void build() {
        made_ = LinearProgram();
        for (int column = 0; column < program_.columnCount(); ++column)
            made_.column(program_.upper(column), program_.cost(column));
        rows_.clear();
        for (int row = 0; row < program_.rowCount(); ++row) {
            if (taken_[at(row)]) {
                made_.copyRow(program_, row);
                rows_.push_back(row);
            }
        }
        for (const Kept& each : cuts_)
            made_.atLeast(each.cut.sum, each.cut.least);
        if (columnStatus_.empty()) {
            status_.clear();
            return;
        }
        status_ = columnStatus_;
        for (const int row : rows_)
            status_.push_back(rowStatus_[at(row)]);
        for (const Kept& each : cuts_)
            status_.push_back(each.status);
    }

    void keepStatus(const ClpSimplex& solver) {
        const unsigned char* status = solver.statusArray();
        columnStatus_.assign(status, status + made_.columnCount());
        status += made_.columnCount();
        rowStatus_.assign(at(program_.rowCount()), basic);
        for (const int row : rows_) {
            rowStatus_[at(row)] = *status++;
            idle_[at(row)] = (rowStatus_[at(row)] & 7) == basic ? idle_[at(row)] + 1 : 0;
        }
        for (Kept& each : cuts_) {
            each.status = *status++;
            each.age = (each.status & 7) == basic ? each.age + 1 : 0;
        }
    }

    // Those that are broken the most.
    bool takeBroken(std::span<const double> values) {
        std::vector<std::pair<double, int>> broken; // by how far, row
        for (int row = 0; row < program_.rowCount(); ++row) {
            if (taken_[at(row)])
                continue;
            double sum = 0;
            double squares = 0;
            double magnitude = 0;
            for (const LinearProgram::Term& term : program_.terms(row)) {
                const double part = term.factor * values[at(term.column)];
                sum += part;
                magnitude += std::abs(part);
                squares += term.factor * term.factor;
            }
            const double far = std::max(sum - program_.high(row), program_.low(row) - sum);
            if (far > relativeTolerance * (magnitude + far))
                broken.emplace_back(-far / std::sqrt(squares), row);
        }
        std::sort(broken.begin(), broken.end());
        if (broken.size() > mostBroken)
            broken.resize(mostBroken);
        for (const auto& [far, row] : broken) {
            taken_[at(row)] = 1;
            idle_[at(row)] = 0;
        }
        return !broken.empty();
    }

    void leaveIdle() {
        std::erase_if(cuts_, [](const Kept& each) { return each.age > mostIdle; });
        for (const int row : rows_) {
            if (program_.terms(row).size() > fewTerms && idle_[at(row)] > mostIdle)
                taken_[at(row)] = 0;
        }
    }

    bool addCuts(ClpSimplex& solver, std::span<const double> values) {
        std::vector<std::pair<double, int>> parts; // distance from whole, basic row
        const int* pivots = solver.pivotVariable();
        for (int row = 0; row < made_.rowCount(); ++row) {
            const int column = pivots[row];
            if (column >= made_.columnCount() || !whole_[at(column)])
                continue;
            const double part = std::min(values[at(column)], 1 - values[at(column)]);
            if (part > 1e-3)
                parts.emplace_back(-part, row);
        }
        std::sort(parts.begin(), parts.end());
        if (parts.size() > mostTried)
            parts.resize(mostTried);
        std::vector<std::pair<double, Cut>> found;
        std::vector<double> multiples(at(made_.rowCount()));
        for (const auto& [part, row] : parts) {
            solver.getBInvRow(row, multiples.data());
            double largest = 0;
            for (const double each : multiples)
                largest = std::max(largest, std::abs(each));
            for (double& each : multiples) {
                if (std::abs(each) < 1e-11 * largest)
                    each = 0;
            }
            if (std::optional<Cut> cut = roundedCut(made_, whole_, multiples, values)) {
                const double far = (cut->least - dot(cut->sum, values)) / length(cut->sum);
                if (far > leastFar)
                    found.emplace_back(far, std::move(*cut));
            }
        }
        std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        std::vector<std::vector<double>> directions;
        bool any = false;
        for (auto& [far, cut] : found) {
            if (directions.size() >= mostInRound)
                break;
            bool alike = false;
            for (const std::vector<double>& other : directions)
                alike = alike || dot(cut.sum, other) > mostAlike * length(cut.sum);
            if (alike)
                continue;
            std::vector<double> direction(at(made_.columnCount()), 0.0);
            const double norm = length(cut.sum);
            for (const LinearProgram::Term& term : cut.sum)
                direction[at(term.column)] = term.factor / norm;
            directions.push_back(std::move(direction));
            cuts_.push_back({std::move(cut)});
            any = true;
        }
        return any;
    }

    const LinearProgram& program_;
    const Cutting& cutting_;
    std::vector<char> whole_; // by column
    std::vector<char> taken_; // by row
    std::vector<int> idle_;   // by row: solutions in a row in which it did not matter
    std::vector<Kept> cuts_;
    LinearProgram made_;
    std::vector<int> rows_; // of the program, that were made
    std::vector<unsigned char> columnStatus_, rowStatus_, status_;
};

} // namespace

LinearProgram withCuts(const LinearProgram& program, const Cutting& cutting) {
    return Cutter(program, cutting).run();
}

} // namespace slackscope
