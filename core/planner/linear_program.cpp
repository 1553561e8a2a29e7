#include "core/planner/linear_program.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace slackscope {

int LinearProgram::row(const Sum& sum, double low, double high) {
    const int number = rowCount();
    std::map<int, double> merged;
    for (const Term& term : sum)
        merged[term.column] += term.factor;
    for (const auto& [column, factor] : merged) {
        if (factor != 0)
            terms_.push_back({column, factor});
    }
    starts_.push_back(terms_.size());
    low_.push_back(low);
    high_.push_back(high);
    return number;
}

void LinearProgram::copyRow(const LinearProgram& other, int row) {
    const auto terms = other.terms(row);
    terms_.insert(terms_.end(), terms.begin(), terms.end());
    starts_.push_back(terms_.size());
    low_.push_back(other.low(row));
    high_.push_back(other.high(row));
}

void LinearProgram::load(ClpSimplex& solver) const {
    std::vector<int> rows, columns;
    std::vector<double> factors;
    for (int row = 0; row < rowCount(); ++row) {
        for (const Term& term : terms(row)) {
            rows.push_back(row);
            columns.push_back(term.column);
            factors.push_back(term.factor);
        }
    }
    CoinPackedMatrix matrix(false, rows.data(), columns.data(), factors.data(),
                            static_cast<CoinBigIndex>(factors.size()));
    matrix.setDimensions(rowCount(), static_cast<int>(upper_.size()));
    const std::vector<double> zero(upper_.size(), 0.0);
    solver.loadProblem(matrix, zero.data(), upper_.data(), cost_.data(), low_.data(), high_.data());
}

double LinearProgram::usable(const double* prices, int row) const {
    const double price = prices[row];
    const auto i = static_cast<std::size_t>(row);
    return (price > 0 && low_[i] == -infinite) || (price < 0 && high_[i] == infinite) || !std::isfinite(price)
               ? 0.0
               : price;
}

double LinearProgram::dualValue(const double* prices, std::span<const Fixed> fixed) const {
    std::vector<double> reduced = cost_;
    double value = 0;
    double magnitude = 0;
    const auto add = [&](double term) {
        value += term;
        magnitude += std::abs(term);
    };
    for (int row = 0; row < rowCount(); ++row) {
        const double price = usable(prices, row);
        if (price == 0)
            continue;
        add(price * (price > 0 ? low(row) : high(row)));
        for (const Term& each : terms(row)) {
            const auto column = static_cast<std::size_t>(each.column);
            const double term = each.factor * price;
            reduced[column] -= term;
            magnitude += std::abs(term) * upper_[column];
        }
    }
    for (const Fixed& each : fixed) {
        double& rate = reduced[static_cast<std::size_t>(each.column)];
        add(rate * each.value);
        rate = 0;
    }
    for (std::size_t i = 0; i < reduced.size(); ++i)
        add(std::min(0.0, reduced[i] * upper_[i]));
    for (std::size_t i = 0; i < cost_.size(); ++i)
        magnitude += std::abs(cost_[i]) * upper_[i];
    // A sum of n products, each rounded, is off by less than (n + 2) / 2 epsilon of its absolute sum; twice
    // that, since the absolute sum is rounded too.
    const auto products = static_cast<double>(terms_.size() + low_.size() + 2 * cost_.size() + 8);
    return value - products * std::numeric_limits<double>::epsilon() * magnitude;
}

} // namespace slackscope
