// Independence in a table of categories and numbers, by the likelihood ratio of conditional-Gaussian families.
//
// With the numbers normal in each cell of the categories, log-likelihoods of families are differences of those of sets
// of columns, and so is the ratio of x ⊥ y | S (Andrews, Ramsey and Cooper 2018):
//
//     LR = 2·(ℓ(S, x, y) − ℓ(S, x) − ℓ(S, y) + ℓ(S)),    symmetric in x and y
//
// - x and y numbers: the partial correlation in each cell of the categories of S, Σ −n·log(1 − r²), a degree of freedom
//   a cell. Cells with few rows pool their covariance.
// - x a number, y a category: the regression of x on the numbers of S in each cell of S and y, against one for each
//   cell of S. Both have a variance of their own in each cell; cells with few rows are one cell, and cells of which no
//   variance is left share that of the others. The part of the ratio that compares variances is divided by (κ − 1) / 2,
//   with the kurtosis κ of the residuals, 3 of a normal distribution: otherwise heavy tails look like a difference
//   (Box 1953; Shoemaker 2003).
// - x and y categories, S without numbers: G² (test_codes.cpp).
// - x and y categories, S with numbers: then the ratio does not follow χ², since a normal distribution of the numbers
//   within the cells of x, and of y, contradicts one within those of both: no closed form exists (Lauritzen 1996,
//   section 6.3). P(x | S) of conditional-Gaussian variables is logistic, so the residuals of logistic regressions of
//   both are multiplied: their mean is 0 where x ⊥ y | S (Shah and Peters 2020).
//
// Where the residuals are normal, the mean of the first two statistics is known exactly, by
// E log χ²_f = ψ(f/2) + log 2; each is scaled to the mean that χ² has (Bartlett 1937), so that p is right in small
// samples, too.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "independence/mixed/cells.hpp"
#include "independence/mixed/logistic.hpp"
#include "independence/test.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"

namespace deciban {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// With less variance left, a number is a linear function of the others; each has the variance 1. As in
// test_gaussian.cpp.
constexpr double least_variance = 1e-10;
// With a smaller share of its stratum's variance, the numbers of a cell are all alike.
constexpr double least_share = 1e-6;
// In fewer rows than this that may be chance, where one number is frequent, as 0 often is.
constexpr double least_alike = 50.0;
// Rows that a regression leaves over at least.
constexpr double least_freedom = 5.0;
// Numbers are taken for a function of categories that have so many rows in each configuration, on average.
constexpr double rows_per_configuration = 5.0;
// (κ − 1) / 2 at least: of a number with two values of about as many rows, κ is 1.
constexpr double least_tails = 0.25;
constexpr double rows_per_product = 15.0;
constexpr std::size_t most_products = 64;
constexpr std::size_t most_residuals = std::size_t{1} << 23;  // kept at a time by a thread: 64 MB

double digamma(double x) {
  double shift = 0.0;
  while (x < 10.0) {
    shift -= 1.0 / x;
    x += 1.0;
  }
  const double r = 1.0 / (x * x);
  return shift + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

// The expectation of n·log(RSS / n) where RSS / σ² follows χ² with `freedom` degrees, less n·log σ².
double mean_of_log(double n, double freedom) {
  return n * (digamma(freedom / 2) - std::log(n / 2));
}

// A statistic, its expectation under independence, and its degrees of freedom, added up over strata.
struct Ratio {
  double statistic = 0.0;
  double expected = 0.0;
  double df = 0.0;

  Outcome outcome(double rows) const {
    if (df <= 0.0 || expected <= 0.0) return {0.0, 0.0, rows, unknown};
    return {std::max(statistic, 0.0) * df / expected, df, rows, unknown};
  }
};

// Cross-products of some numbers, the regressors first.
struct Products {
  std::size_t width = 0;
  double rows = 0.0;
  double intercepts = 1.0;  // cells that were put together, each about its own mean
  std::vector<double> mean;
  std::vector<double> cross;

  Products() = default;
  Products(const Cells& cells, std::size_t cell, std::span<const std::size_t> slots)
      : width(slots.size()), rows(cells.rows[cell]), mean(width), cross(width * width) {
    for (std::size_t i = 0; i < width; ++i) {
      mean[i] = cells.mean(cell, slots[i]);
      for (std::size_t j = 0; j < width; ++j) cross[i * width + j] = cells.product(cell, slots[i], slots[j]);
    }
  }

  // Adds the rows of other cells, as of one cell (Chan et al. 1979).
  void add(const Products& other) {
    if (rows == 0.0) {
      *this = other;
      return;
    }
    const double both = rows + other.rows;
    const double share = rows * other.rows / both;
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        cross[i * width + j] +=
            other.cross[i * width + j] + share * (other.mean[i] - mean[i]) * (other.mean[j] - mean[j]);
      }
    }
    for (std::size_t i = 0; i < width; ++i) mean[i] += (other.mean[i] - mean[i]) * other.rows / both;
    rows = both;
  }

  // Adds the covariance of another cell, which keeps its mean.
  void pool(const Products& other) {
    if (rows == 0.0) {
      *this = other;
      return;
    }
    for (std::size_t i = 0; i < cross.size(); ++i) cross[i] += other.cross[i];
    rows += other.rows;
    intercepts += 1.0;
  }
};

// What regressions on all but the last `rest` numbers leave of these, and the number of regressors that are no
// functions of others.
struct Left {
  double xx = 0.0, xy = 0.0, yy = 0.0;
  double rank = 0.0;
};

Left left_over(Products products, std::size_t rest) {
  const std::size_t n = products.width;
  std::vector<double>& a = products.cross;
  Left out;
  for (std::size_t j = 0; j + rest < n; ++j) {
    const double pivot = a[j * n + j];
    if (pivot < least_variance * products.rows) continue;
    out.rank += 1.0;
    for (std::size_t i = j + 1; i < n; ++i) {
      const double share = a[i * n + j] / pivot;
      for (std::size_t k = j + 1; k <= i; ++k) a[i * n + k] -= share * a[k * n + j];
    }
  }
  if (rest == 1) {
    out.xx = std::max(a[n * n - 1], 0.0);
  } else {
    out.xx = std::max(a[(n - 2) * n + n - 2], 0.0);
    out.xy = a[(n - 1) * n + n - 2];
    out.yy = std::max(a[n * n - 1], 0.0);
  }
  return out;
}

class MixedTester final : public Tester {
 public:
  MixedTester(const MixedColumns& data, const Source* codes, const std::vector<char>& is_cut)
      : data_(data), codes_(codes == nullptr ? nullptr : codes->tester()), is_cut_(is_cut), counter_(data) {}

  void push(std::int64_t column) override {
    given_.push_back(column);
    if (data_.is_category(column)) {
      const std::int64_t c = data_.category(column);
      categories_.insert(std::ranges::upper_bound(categories_, c), c);
      codes_->push(c);
    } else {
      const std::int64_t z = data_.number(column);
      numbers_.insert(std::ranges::upper_bound(numbers_, z), z);
    }
    forget();
  }

  void pop() override {
    const std::int64_t column = given_.back();
    given_.pop_back();
    if (data_.is_category(column)) {
      std::erase(categories_, data_.category(column));
      codes_->pop();
    } else {
      std::erase(numbers_, data_.number(column));
    }
    forget();
  }

  Outcome test(std::int64_t x, std::int64_t y) override {
    const bool is_category = data_.is_category(x);
    if (is_category && data_.is_category(y)) return test_categories(data_.category(x), data_.category(y));
    if (is_category) return test_number(data_.number(y), data_.category(x));
    if (data_.is_category(y)) return test_number(data_.number(x), data_.category(y));
    return test_numbers(data_.number(x), data_.number(y));
  }

  bool determines(std::int64_t column) override {
    if (given_.empty()) return false;
    return data_.is_category(column) ? determines_category(data_.category(column))
                                     : determines_number(data_.number(column));
  }

  bool has_rows(double cells, double rows_per_df) const override {
    // A regression in each cell needs as many rows as it has terms, whatever it tests.
    const double terms = static_cast<double>(numbers_.size()) + 2.0;
    double strata = 1.0;
    for (const std::int64_t z : categories_) strata *= static_cast<double>(data_.sizes[static_cast<std::size_t>(z)]);
    return are_enough(data_.whole, rows_per_df, strata, std::max(rows_wanted(cells, given_.size()), terms));
  }
  double cells(std::int64_t x, std::int64_t y) const override {
    const auto size = [&](std::int64_t column) {
      return static_cast<double>(data_.sizes[static_cast<std::size_t>(data_.category(column))] - 1);
    };
    const bool is_x = data_.is_category(x);
    const bool is_y = data_.is_category(y);
    if (is_x && is_y) return size(x) * size(y);
    const double slopes = static_cast<double>(numbers_.size()) + 2.0;
    return is_x ? size(x) * slopes : is_y ? size(y) * slopes : 1.0;
  }

 private:
  void forget() {
    design_.reset();
    residuals_.clear();
    kurtosis_.clear();
    kept_ = 0;
  }

  std::vector<std::size_t> slots(const Cells& cells, std::initializer_list<std::int64_t> last) const {
    std::vector<std::size_t> out;
    out.reserve(numbers_.size() + last.size());
    for (const std::int64_t z : numbers_) out.push_back(cells.slot(z));
    for (const std::int64_t z : last) out.push_back(cells.slot(z));
    return out;
  }

  const Cells& cells_of(const std::vector<std::int64_t>& categories, std::initializer_list<std::int64_t> last) {
    std::vector<std::int64_t> numbers = numbers_;
    numbers.insert(numbers.end(), last);
    return counter_.count(categories, numbers);
  }

  // Whether regressions in cells with these rows left next to nothing of a number.
  static bool is_function(double left, double rows, double cells, double regressors) {
    return left < least_variance * rows && rows >= rows_per_configuration * cells && rows > cells * (regressors + 2.0);
  }

  Outcome test_numbers(std::int64_t x, std::int64_t y) {
    const Cells& cells = cells_of(categories_, {x, y});
    const std::vector<std::size_t> which = slots(cells, {x, y});
    const double rows = std::accumulate(cells.rows.begin(), cells.rows.end(), 0.0);
    const auto regressors = static_cast<double>(numbers_.size());
    const double fewest = regressors + 1.0 + least_freedom;
    Ratio ratio;
    double xx = 0.0;
    double yy = 0.0;
    const auto add = [&](const Products& products) {
      const Left left = left_over(products, 2);
      xx += left.xx;
      yy += left.yy;
      const double freedom = products.rows - products.intercepts - left.rank;
      if (freedom < 2.0 || std::min(left.xx, left.yy) < least_variance * products.rows) return;
      const double share = std::min(left.xy * left.xy / (left.xx * left.yy), 1.0 - 1e-15);
      ratio.statistic -= products.rows * std::log1p(-share);
      ratio.expected += products.rows * (digamma(freedom / 2) - digamma((freedom - 1.0) / 2));
      ratio.df += 1.0;
    };
    Products pooled;
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
      const Products products(cells, cell, which);
      if (products.rows < fewest) {
        pooled.pool(products);
      } else {
        add(products);
      }
    }
    if (pooled.rows > 0.0) {
      // With its rows too few for the means and the slopes, nothing is left over to test.
      if (pooled.rows >= pooled.intercepts + regressors + least_freedom) add(pooled);
    }
    if (!given_.empty()) {
      const auto count = static_cast<double>(cells.count());
      const bool is_x = !data_.is_constant(x) && is_function(xx, rows, count, regressors);
      const bool is_y = !data_.is_constant(y) && is_function(yy, rows, count, regressors);
      if (is_x || is_y) return {0.0, 0.0, rows, unknown, true};
    }
    return ratio.outcome(rows);
  }

  Outcome test_number(std::int64_t x, std::int64_t y) {
    std::vector<std::int64_t> all = categories_;
    const auto place = std::ranges::upper_bound(all, y);
    const auto own = static_cast<std::size_t>(place - all.begin());
    all.insert(place, y);
    const Cells& cells = cells_of(all, {x});
    const std::vector<std::size_t> which = slots(cells, {x});
    // The cells of each stratum, by the states of the other categories.
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> strata;
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
      const std::span<const std::uint32_t> states = cells.states_of(cell);
      std::vector<std::uint32_t> key(states.begin(), states.end());
      key.erase(key.begin() + static_cast<std::ptrdiff_t>(own));
      strata[std::move(key)].push_back(cell);
    }
    Ratio means;
    Ratio variances;
    std::vector<Products> wholes;
    double left = 0.0;
    double rows = 0.0;
    for (const auto& [key, members] : strata) {
      std::vector<Products> parts;
      for (const std::size_t cell : members) parts.emplace_back(cells, cell, which);
      Products whole;
      for (const Products& part : parts) whole.add(part);
      rows += whole.rows;
      left += left_over(whole, 1).xx;
      add_stratum(whole, std::move(parts), means, variances);
      wholes.push_back(std::move(whole));
    }
    if (!given_.empty()) {
      const auto count = static_cast<double>(strata.size());
      if (!data_.is_constant(x) && is_function(left, rows, count, static_cast<double>(numbers_.size()))) {
        return {0.0, 0.0, rows, unknown, true};
      }
      if (determines_category(y)) return {0.0, 0.0, rows, unknown, true};
    }
    Outcome out = means.outcome(rows);
    if (variances.df > 0.0) {
      const Outcome other = variances.outcome(rows);
      out.statistic += other.statistic / std::max((kurtosis(x, y, wholes) - 1.0) / 2, least_tails);
      out.df += other.df;
    }
    return out;
  }

  // The kurtosis of what regressions on the set leave of a number in the strata, of which all products are given, over
  // the rows where a category is known.
  double kurtosis(std::int64_t x, std::int64_t y, const std::vector<Products>& strata) {
    const auto found = kurtosis_.find(x);
    if (found != kurtosis_.end() && !misses(y)) return found->second;
    std::vector<std::int64_t> numbers = numbers_;
    numbers.push_back(x);
    // Both are in the order of the states, so the cells are the strata.
    CellRows rows = counter_.rows_of(categories_, numbers);
    if (misses(y)) rows = known(rows, y, y);
    double fourth = 0.0;
    double whole = 0.0;
    for (std::size_t cell = 0; cell < strata.size(); ++cell) {
      const Products& products = strata[cell];
      const std::vector<double> slopes = slopes_of(products);
      double square = 0.0;
      double fourth_here = 0.0;
      for (const std::uint32_t row : rows.of(cell)) {
        double rest = data_.column(x)[row] - products.mean.back();
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
          rest -= slopes[i] * (data_.column(numbers_[i])[row] - products.mean[i]);
        }
        square += data_.weight(row) * rest * rest;
        fourth_here += data_.weight(row) * rest * rest * rest * rest;
      }
      if (square < least_variance * products.rows) continue;
      fourth += fourth_here * products.rows * products.rows / (square * square);
      whole += products.rows;
    }
    double out = 3.0;
    if (whole > least_freedom) {
      // Without the bias that it has in a normal sample (Joanes and Gill 1998, G₂).
      const double excess = fourth / whole - 3.0;
      out += (whole - 1.0) / ((whole - 2.0) * (whole - 3.0)) * ((whole + 1.0) * excess + 6.0);
    }
    if (!misses(y)) kurtosis_[x] = out;
    return out;
  }

  // The slopes of the last number on the others; 0 of those that are functions of others.
  static std::vector<double> slopes_of(Products products) {
    const std::size_t n = products.width;
    std::vector<double>& a = products.cross;
    std::vector<char> is_used(n, 0);
    for (std::size_t j = 0; j + 1 < n; ++j) {
      const double pivot = a[j * n + j];
      if (pivot < least_variance * products.rows) continue;
      is_used[j] = 1;
      for (std::size_t i = j + 1; i < n; ++i) {
        const double share = a[i * n + j] / pivot;
        for (std::size_t k = j + 1; k <= i; ++k) a[i * n + k] -= share * a[k * n + j];
      }
    }
    // Below the diagonal are L·D: solving Lᵀ backwards gives the slopes.
    std::vector<double> out(n - 1, 0.0);
    for (std::size_t j = n - 1; j-- > 0;) {
      if (is_used[j] == 0) continue;
      double rest = a[(n - 1) * n + j];
      for (std::size_t i = j + 1; i + 1 < n; ++i) rest -= is_used[i] != 0 ? a[i * n + j] * out[i] : 0.0;
      out[j] = rest / a[j * n + j];
    }
    return out;
  }

  // Rows with one variance: the sum of squares that their regressions leave, and how many terms these have.
  struct Group {
    double left = 0.0, rows = 0.0, terms = 0.0;
    void add(const Group& other) {
      left += other.left;
      rows += other.rows;
      terms += other.terms;
    }
  };

  // One regression of the last number on the others, against one in each part.
  static void add_stratum(const Products& whole, std::vector<Products> parts, Ratio& means, Ratio& variances) {
    const double fewest = static_cast<double>(whole.width) + least_freedom;
    const Left all = left_over(whole, 1);
    if (all.xx < least_variance * whole.rows) return;
    // Parts with few rows are one part; if this has few rows as well, the smallest of the others joins it.
    std::ranges::stable_sort(parts, [](const Products& a, const Products& b) { return a.rows < b.rows; });
    std::vector<Products> groups;
    Products small;
    for (const Products& part : parts) {
      if (part.rows < fewest || (small.rows > 0.0 && small.rows < fewest)) {
        small.add(part);
      } else {
        groups.push_back(part);
      }
    }
    if (small.rows >= fewest) {
      groups.push_back(small);
    } else if (small.rows > 0.0 && !groups.empty()) {
      groups.back().add(small);
    }
    if (groups.size() < 2) return;
    // The variances: one a group, but for groups of few rows whose numbers are all alike, which share that of the
    // largest of the others.
    const double variance = all.xx / whole.rows;
    double terms = -1.0 - all.rank;
    std::vector<Group> own;
    Group alike;
    for (const Products& group : groups) {
      const Left one = left_over(group, 1);
      terms += 1.0 + one.rank;
      const bool is_alike = one.xx < least_share * variance * group.rows && group.rows < least_alike;
      if (is_alike) {
        alike.add({one.xx, group.rows, 1.0 + one.rank});
      } else {
        own.push_back({one.xx, group.rows, 1.0 + one.rank});
      }
    }
    if (own.empty()) return;
    std::ranges::max_element(own, {}, &Group::rows)->add(alike);
    Group within;
    for (const Group& group : own) within.add(group);
    const double n = whole.rows;
    const double shared = std::max(within.left / n, least_share * variance);
    if (terms > 0.0) {
      means.statistic += n * std::log(variance / shared);
      means.expected += mean_of_log(n, n - 1.0 - all.rank) - mean_of_log(n, n - within.terms);
      means.df += terms;
    }
    if (own.size() < 2) return;
    variances.statistic += n * std::log(shared);
    variances.expected += mean_of_log(n, n - within.terms);
    for (const Group& group : own) {
      variances.statistic -= group.rows * std::log(std::max(group.left / group.rows, least_share * variance));
      variances.expected -= mean_of_log(group.rows, group.rows - group.terms);
    }
    variances.df += static_cast<double>(own.size()) - 1.0;
  }

  Outcome test_categories(std::int64_t x, std::int64_t y) {
    if (numbers_.empty()) return codes_->test(x, y);
    // Which rows count differs from test to test where values are missing: only the design of all rows is kept.
    if (misses(x) || misses(y)) {
      const CellRows strata = known(counter_.rows_of(categories_, numbers_), x, y);
      const Design own = design_of(data_, strata, numbers_);
      return test_residuals(x, y, own, residuals_of(data_, own, x), residuals_of(data_, own, y), weight_of(strata));
    }
    if (!design_) {
      const CellRows strata = counter_.rows_of(categories_, numbers_);
      design_rows_ = weight_of(strata);
      design_ = design_of(data_, strata, numbers_);
    }
    if (kept_ > most_residuals) {
      residuals_.clear();
      kept_ = 0;
    }
    const Design& design = *design_;
    const Residuals& of_x = residuals(design, x);
    return test_residuals(x, y, design, of_x, residuals(design, y), design_rows_);
  }

  Outcome test_residuals(std::int64_t x, std::int64_t y, const Design& design, const Residuals& of_x,
                         const Residuals& of_y, double rows) {
    if (determines_category(x) || determines_category(y)) return {0.0, 0.0, rows, unknown, true};
    return of_x.states * of_y.states > most_products ? many_products(design, of_x, of_y, rows)
                                                     : few_products(design, of_x, of_y, rows);
  }

  bool misses(std::int64_t category) const { return data_.has_missing[static_cast<std::size_t>(category)] != 0; }

  // The rows of each stratum where both categories are known.
  CellRows known(const CellRows& strata, std::int64_t x, std::int64_t y) const {
    CellRows out;
    for (std::size_t cell = 0; cell < strata.count(); ++cell) {
      for (const std::uint32_t row : strata.of(cell)) {
        const bool is_known = std::cmp_less(data_.code(x, row), data_.sizes[static_cast<std::size_t>(x)]) &&
                              std::cmp_less(data_.code(y, row), data_.sizes[static_cast<std::size_t>(y)]);
        if (is_known) out.order.push_back(row);
      }
      if (out.order.size() > out.starts.back()) out.starts.push_back(out.order.size());
    }
    return out;
  }

  double weight_of(const CellRows& strata) const {
    double out = 0.0;
    for (const std::uint32_t row : strata.order) out += data_.weight(row);
    return out;
  }

  const Residuals& residuals(const Design& design, std::int64_t category) {
    const auto known = residuals_.find(category);
    if (known != residuals_.end()) return known->second;
    Residuals made = residuals_of(data_, design, category);
    kept_ += made.values.size();
    return residuals_.insert_or_assign(category, std::move(made)).first->second;
  }

  // T = Σ w·r_x·r_y for each pair of states, in each stratum with rows enough and in the others together; TᵀV⁻¹T
  // follows χ², with V = Σ w·(r_x·r_y)(r_x·r_y)ᵀ.
  Outcome few_products(const Design& design, const Residuals& a, const Residuals& b, double rows) {
    const std::size_t size = a.states * b.states;
    std::vector<double> sums(size);
    std::vector<double> squares(size * size);
    std::vector<double> rest_sums(size, 0.0);
    std::vector<double> rest_squares(size * size, 0.0);
    Ratio ratio;
    for (const Design::Stratum& stratum : design.strata) {
      std::ranges::fill(sums, 0.0);
      std::ranges::fill(squares, 0.0);
      add_products(design, a, b, stratum, sums, squares);
      if (stratum.weight >= rows_per_product * static_cast<double>(size)) {
        add_form(sums, squares, ratio);
      } else {
        for (std::size_t i = 0; i < size; ++i) rest_sums[i] += sums[i];
        for (std::size_t i = 0; i < size * size; ++i) rest_squares[i] += squares[i];
      }
    }
    add_form(rest_sums, rest_squares, ratio);
    return {ratio.statistic, ratio.df, rows, unknown};
  }

  void add_products(const Design& design, const Residuals& a, const Residuals& b, const Design::Stratum& stratum,
                    std::vector<double>& sums, std::vector<double>& squares) {
    const std::size_t size = a.states * b.states;
    const auto count = static_cast<std::size_t>(padded(static_cast<std::int64_t>(stratum.count)));
    products_.resize(size * count);
    const std::size_t all = design.rows.size();
    const double* const weights = design.weights.data() + stratum.begin;
    for (std::size_t i = 0; i < a.states; ++i) {
      for (std::size_t j = 0; j < b.states; ++j) {
        const double* const of_x = a.values.data() + i * all + stratum.begin;
        const double* const of_y = b.values.data() + j * all + stratum.begin;
        double* const to = products_.data() + (i * b.states + j) * count;
        on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
          for (std::size_t r = 0; r < count; ++r) to[r] = of_x[r] * of_y[r];
        });
      }
    }
    on_instruction_set(
        [=, products = products_.data(), s = sums.data(), q = squares.data()](auto set) DECIBAN_INLINE_LAMBDA {
          using Set = decltype(set);
          for (std::size_t i = 0; i < size; ++i) {
            Lanes<Set> sum{};
            const double* const own = products + i * count;
            for (std::size_t r = 0; r < count; r += lanes) sum += lanes_at<Set>(weights + r) * lanes_at<Set>(own + r);
            s[i] += sum_lanes(sum);
            for (std::size_t j = 0; j <= i; ++j) {
              Lanes<Set> square{};
              const double* const other = products + j * count;
              for (std::size_t r = 0; r < count; r += lanes) {
                square += (lanes_at<Set>(weights + r) * lanes_at<Set>(own + r)) * lanes_at<Set>(other + r);
              }
              q[i * size + j] += sum_lanes(square);
            }
          }
        });
  }

  // Adds TᵀV⁻¹T, with a degree of freedom for each dimension in which V has a variance.
  static void add_form(std::vector<double> sums, std::vector<double> squares, Ratio& ratio) {
    const std::size_t n = sums.size();
    std::vector<double> own(n);
    for (std::size_t i = 0; i < n; ++i) own[i] = squares[i * n + i];
    for (std::size_t j = 0; j < n; ++j) {
      const double pivot = squares[j * n + j];
      if (pivot <= 1e-9 * own[j] || pivot <= 0.0) continue;
      ratio.statistic += sums[j] * sums[j] / pivot;
      ratio.df += 1.0;
      for (std::size_t i = j + 1; i < n; ++i) {
        const double share = squares[i * n + j] / pivot;
        sums[i] -= share * sums[j];
        for (std::size_t k = j + 1; k <= i; ++k) squares[i * n + k] -= share * squares[k * n + j];
      }
    }
  }

  // The same over all strata, with V = V_x ⊗ V_y / n: a matrix of all pairs of many states would be too large.
  static Outcome many_products(const Design& design, const Residuals& a, const Residuals& b, double rows) {
    const std::size_t all = design.rows.size();
    const auto cross = [&](const Residuals& left, const Residuals& right) {
      std::vector<double> out(left.states * right.states, 0.0);
      for (std::size_t i = 0; i < left.states; ++i) {
        for (std::size_t j = 0; j < right.states; ++j) {
          double sum = 0.0;
          for (std::size_t r = 0; r < all; ++r) {
            sum += design.weights[r] * left.values[i * all + r] * right.values[j * all + r];
          }
          out[i * right.states + j] = sum;
        }
      }
      return out;
    };
    // tr(V_x⁻¹ T V_y⁻¹ Tᵀ)·n: the products of whitened residuals.
    std::vector<double> sums = cross(a, b);
    const double of_x = whiten(cross(a, a), a.states, sums, b.states, 1);
    const double of_y = whiten(cross(b, b), b.states, sums, 1, b.states);
    double statistic = 0.0;
    for (const double sum : sums) statistic += sum * sum;
    return {statistic * rows, of_x * of_y, rows, unknown};
  }

  // Multiplies a table by L⁻¹ along one of its sides, V = L·Lᵀ; returns the rank of V.
  static double whiten(std::vector<double> v, std::size_t n, std::vector<double>& sums, std::size_t stride,
                       std::size_t other_stride) {
    const std::size_t others = sums.size() / n;
    double rank = 0.0;
    std::vector<double> own(n);
    for (std::size_t i = 0; i < n; ++i) own[i] = v[i * n + i];
    for (std::size_t j = 0; j < n; ++j) {
      const double pivot = v[j * n + j];
      const bool is_left = pivot > 1e-9 * own[j] && pivot > 0.0;
      rank += is_left ? 1.0 : 0.0;
      for (std::size_t o = 0; o < others; ++o) {
        double& at = sums[j * stride + o * other_stride];
        if (is_left) {
          for (std::size_t i = j + 1; i < n; ++i) sums[i * stride + o * other_stride] -= v[i * n + j] / pivot * at;
        }
        at = is_left ? at / std::sqrt(pivot) : 0.0;
      }
      if (!is_left) continue;
      for (std::size_t i = j + 1; i < n; ++i) {
        const double share = v[i * n + j] / pivot;
        for (std::size_t k = j + 1; k <= i; ++k) v[i * n + k] -= share * v[k * n + j];
      }
    }
    return rank;
  }

  bool determines_category(std::int64_t category) {
    for (const std::int64_t z : numbers_) {
      if (is_cut_[static_cast<std::size_t>(z * data_.codes.cols + category)] != 0) return true;
    }
    return !categories_.empty() && codes_->determines(category);
  }

  bool determines_number(std::int64_t number) {
    if (data_.is_constant(number)) return false;
    const Cells& cells = cells_of(categories_, {number});
    const std::vector<std::size_t> which = slots(cells, {number});
    double left = 0.0;
    double rows = 0.0;
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
      const Products products(cells, cell, which);
      left += left_over(products, 1).xx;
      rows += products.rows;
    }
    return is_function(left, rows, static_cast<double>(cells.count()), static_cast<double>(numbers_.size()));
  }

  const MixedColumns& data_;
  std::unique_ptr<Tester> codes_;  // of the categories; null where there are none
  const std::vector<char>& is_cut_;
  CellCounter counter_;
  std::vector<std::int64_t> given_;
  std::vector<std::int64_t> categories_;  // of the set, in rising order
  std::vector<std::int64_t> numbers_;
  std::optional<Design> design_;
  double design_rows_ = 0.0;
  std::map<std::int64_t, Residuals> residuals_;
  std::map<std::int64_t, double> kurtosis_;
  std::size_t kept_ = 0;
  std::vector<double> products_;
};

// Of each number and category, whether the number determines the category: its states are intervals of the number, with
// rows enough.
std::vector<char> cuts_of(const MixedColumns& data) {
  std::vector<char> out(static_cast<std::size_t>(data.width * data.codes.cols), 0);
  std::vector<std::uint32_t> order;
  for (std::int64_t z = 0; z < data.width; ++z) {
    const std::span<const double> column = data.column(z);
    order.clear();
    for (std::int64_t r = 0; r < data.rows; ++r) {
      if (!std::isnan(column[static_cast<std::size_t>(r)])) order.push_back(static_cast<std::uint32_t>(r));
    }
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return column[a] != column[b] ? column[a] < column[b] : a < b;
    });
    for (std::int64_t c = 0; c < data.codes.cols; ++c) {
      const auto size = static_cast<std::uint32_t>(data.sizes[static_cast<std::size_t>(c)]);
      std::vector<std::size_t> rows(size, 0);
      std::size_t known = 0;
      bool is_cut = true;
      std::uint32_t now = size;
      double at = 0.0;
      for (const std::uint32_t row : order) {
        const std::uint32_t code = data.code(c, row);
        if (code >= size) continue;
        ++known;
        // A state that comes back is no interval, and one number has one state.
        if (code != now && (rows[code] > 0 || (now != size && column[row] == at))) {
          is_cut = false;
          break;
        }
        now = code;
        at = column[row];
        ++rows[code];
      }
      std::size_t states = 0;
      std::size_t enough = 0;
      for (const std::size_t n : rows) {
        states += n > 0 ? 1 : 0;
        enough += static_cast<double>(n) >= rows_per_configuration ? 1 : 0;
      }
      is_cut =
          is_cut && enough >= 2 && static_cast<double>(known) >= rows_per_configuration * static_cast<double>(states);
      out[static_cast<std::size_t>(z * data.codes.cols + c)] = is_cut ? 1 : 0;
    }
  }
  return out;
}

class MixedSource final : public Source {
 public:
  MixedSource(MixedColumns&& data, const CountRules& rules) : data_(std::move(data)), is_cut_(cuts_of(data_)) {
    data_.codes.sizes = data_.sizes;
    if (data_.codes.cols > 0) codes_ = coded_source(data_.codes, rules);
  }
  std::int64_t columns() const override { return static_cast<std::int64_t>(data_.slots.size()); }
  std::unique_ptr<Tester> tester() const override {
    return std::make_unique<MixedTester>(data_, codes_.get(), is_cut_);
  }

 private:
  MixedColumns data_;
  std::vector<char> is_cut_;
  std::unique_ptr<Source> codes_;
};

}  // namespace

std::unique_ptr<Source> mixed_source(const CodeColumns& codes, std::span<const double> values, std::int64_t numbers,
                                     std::span<const std::int64_t> slots, const CountRules& rules) {
  return std::make_unique<MixedSource>(mixed_columns(codes, values, numbers, slots), rules);
}

}  // namespace deciban
