// A linear program written down row by row, and a lower bound of its optimum that trusts no solver.
//
// The solver works in floating point and is not trusted: its dual prices are only a proposal. For any prices
// whatever, the Lagrangian dual value with every variable at its cheaper end is a lower bound of the optimum
// (weak duality). That value is computed here from the constraints themselves, less the rounding that as many
// products as it has can come to at most (dualValue). The last digits of the bound may differ between
// machines; that it is one does not.
#pragma once

#include <limits>
#include <span>
#include <vector>

class ClpSimplex;

namespace slackscope {

class LinearProgram {
public:
    struct Term {
        int column = 0;
        double factor = 0;
    };
    using Sum = std::vector<Term>; // a column may stand in it twice

    // Adds a variable in [0, upper] (finite, which the dual value needs), or a row; returns its number.
    int column(double upper, double cost) {
        upper_.push_back(upper);
        cost_.push_back(cost);
        return static_cast<int>(upper_.size()) - 1;
    }
    int atMost(const Sum& sum, double limit) { return row(sum, -infinite, limit); }
    int atLeast(const Sum& sum, double limit) { return row(sum, limit, infinite); }
    int equal(const Sum& sum, double value) { return row(sum, value, value); }

    void setLimit(int row, double limit) { high_[static_cast<std::size_t>(row)] = limit; }
    int rowCount() const { return static_cast<int>(low_.size()); }
    double low(int row) const { return low_[static_cast<std::size_t>(row)]; }
    double high(int row) const { return high_[static_cast<std::size_t>(row)]; }
    bool hasHigh(int row) const { return high(row) != infinite; }
    bool isEquation(int row) const { return low(row) == high(row); }
    std::span<const Term> terms(int row) const {
        const auto i = static_cast<std::size_t>(row);
        return std::span(terms_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
    }
    // Adds a row of another program with the same columns.
    void copyRow(const LinearProgram& other, int row);

    void load(ClpSimplex& solver) const;
    struct Fixed {
        int column = 0;
        double value = 0;
    };
    // A lower bound of the optimum, and of that where some columns have a given value (at most their upper
    // limit; each once). Prices by row; those that have no meaning (of a limit that is not there) are taken
    // as zero.
    double dualValue(const double* prices, std::span<const Fixed> fixed = {}) const;
    double upper(int column) const { return upper_[static_cast<std::size_t>(column)]; }
    double cost(int column) const { return cost_[static_cast<std::size_t>(column)]; }
    int columnCount() const { return static_cast<int>(upper_.size()); }

private:
    static constexpr double infinite = std::numeric_limits<double>::max(); // what Clp takes as no limit

    int row(const Sum& sum, double low, double high);
    double usable(const double* prices, int row) const;

    std::vector<double> upper_, cost_;   // by column
    std::vector<double> low_, high_;     // by row
    std::vector<Term> terms_;            // row after row
    std::vector<std::size_t> starts_{0}; // of each row, and the end of the last
};

} // namespace slackscope
