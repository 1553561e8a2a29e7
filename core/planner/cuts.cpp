#include "core/planner/cuts.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
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
        : uncut_(program), program_(program), cutting_(cutting), whole_(at(program.columnCount()), 0),
          state_(at(program.rowCount())) {
        for (const int column : cutting.whole)
            whole_[at(column)] = 1;
        for (int row = 0; row < program.rowCount(); ++row)
            state_[at(row)].taken = program.terms(row).size() <= fewTerms;
    }

    LinearProgram run() {
        double last = 0;
        int stalled = 0;
        for (int round = 0;;) {
            build();
            ClpSimplex solver;
            solver.setLogLevel(0);
            made_.load(solver);
            if (!status_.empty())
                solver.copyinStatus(status_.data());
            solver.dual(0, keepFactorization);
            if (!solver.isProvenOptimal()) // then the rows that are missing may matter
                return uncut_;
            const double bound = made_.dualValue(solver.dualRowSolution());
            if (bound >= cutting_.enough || isStopped())
                return std::move(made_);
            keepStatus(solver);
            if (takeBroken(solver))
                continue;
            stalled = bound - last < little * (cutting_.enough - bound) ? stalled + 1 : 0;
            last = bound;
            if (round >= cutting_.mostRounds || stalled > cutting_.mostStalled)
                return std::move(made_);
            leaveIdle();
            if (!addCuts(solver))
                return std::move(made_);
            for (int vertex = 0; vertex < cutting_.moreVertices && !isStopped(); ++vertex)
                addCutsNearby(solver);
            ++round;
        }
    }

private:
    static constexpr int keepFactorization = 1;
    static constexpr int useFactorization = 2;
    static constexpr int fromValues = 1;
    static constexpr std::size_t fewTerms = 2;     // rows that are there from the start
    static constexpr std::size_t mostInRound = 25; // of a vertex; more at once serve worse in the end
    static constexpr std::size_t mostTried = 200;
    static constexpr std::size_t mostBroken = 400;
    static constexpr double relativeTolerance = 1e-7; // of a row; numbers differ by much between profiles
    static constexpr double leastBroken = 1e-4;       // of a cut, whose largest factor is one
    static constexpr double leastFar = 1e-5;          // by which a cut cuts off the vertex
    static constexpr double mostAlike = 0.95;         // cosine of the angle between two cuts of a vertex
    static constexpr int mostIdle = 2;                // solutions in a row in which a row did not matter
    static constexpr double little = 0.002;           // of what is missing from enough

    static constexpr unsigned char basic = ClpSimplex::basic;

    struct Row {
        bool taken = false;
        int idle = 0; // solutions in a row in which it did not matter
        unsigned char status = basic;
    };

    bool isStopped() const { return cutting_.stop && cutting_.stop(); }

    void build() {
        made_ = LinearProgram();
        for (int column = 0; column < program_.columnCount(); ++column)
            made_.column(program_.upper(column), program_.cost(column));
        taken_.clear();
        status_ = columnStatus_;
        for (int row = 0; row < program_.rowCount(); ++row) {
            if (!state_[at(row)].taken)
                continue;
            made_.copyRow(program_, row);
            taken_.push_back(row);
            if (!columnStatus_.empty())
                status_.push_back(state_[at(row)].status);
        }
    }

    void keepStatus(const ClpSimplex& solver) {
        const unsigned char* status = solver.statusArray();
        columnStatus_.assign(status, status + made_.columnCount());
        status += made_.columnCount();
        for (const int row : taken_) {
            Row& state = state_[at(row)];
            state.status = *status++;
            state.idle = (state.status & 7) == basic ? state.idle + 1 : 0;
        }
    }

    // Those that are broken the most.
    bool takeBroken(const ClpSimplex& solver) {
        const std::span values(solver.primalColumnSolution(), at(made_.columnCount()));
        std::vector<std::pair<double, int>> broken; // by how far, row
        for (int row = 0; row < program_.rowCount(); ++row) {
            if (state_[at(row)].taken)
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
            if (far > (row < uncut_.rowCount() ? relativeTolerance * (magnitude + far) : leastBroken))
                broken.emplace_back(-far / std::sqrt(squares), row);
        }
        std::sort(broken.begin(), broken.end());
        if (broken.size() > mostBroken)
            broken.resize(mostBroken);
        for (const auto& [far, row] : broken)
            state_[at(row)] = {true, 0, basic};
        return !broken.empty();
    }

    void leaveIdle() {
        for (const int row : taken_) {
            if (program_.terms(row).size() > fewTerms && state_[at(row)].idle > mostIdle)
                state_[at(row)].taken = false;
        }
    }

    // From the optimum of slightly different costs, which shows other sides of the same program.
    void addCutsNearby(const ClpSimplex& optimum) {
        ClpSimplex solver(optimum);
        double* costs = solver.objective();
        for (const int column : cutting_.whole) {
            const double part = static_cast<double>(random_() >> 11) * 0x1p-52 - 1; // in [-1, 1)
            costs[column] += cutting_.aside * part;
        }
        solver.primal(fromValues, keepFactorization | useFactorization);
        if (solver.isProvenOptimal())
            addCuts(solver);
    }

    bool addCuts(ClpSimplex& solver) {
        const std::span<const double> values(solver.primalColumnSolution(), at(made_.columnCount()));
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
        for (const auto& [far, cut] : found) {
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
            program_.atLeast(cut.sum, cut.least);
            state_.push_back({true});
        }
        return !directions.empty();
    }

    const LinearProgram& uncut_;
    LinearProgram program_; // the same, and every cut that was found
    const Cutting& cutting_;
    std::vector<char> whole_; // by column
    std::vector<Row> state_;
    LinearProgram made_;
    std::vector<int> taken_; // rows of the program, in the order of those made
    std::vector<unsigned char> columnStatus_, status_;
    std::mt19937_64 random_{1}; // the same each time
};

} // namespace

LinearProgram withCuts(const LinearProgram& program, const Cutting& cutting) {
    return Cutter(program, cutting).run();
}

} // namespace slackscope
