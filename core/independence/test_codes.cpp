// Independence of coded columns, by counting x × y in each stratum.
#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "independence/chi_square.hpp"
#include "independence/contingency/bitmaps.hpp"
#include "independence/contingency/contingency.hpp"
#include "independence/contingency/strata.hpp"
#include "independence/contingency/trend.hpp"
#include "independence/test.hpp"
#include "run/instruction_set.hpp"

namespace deciban {
namespace {

// Copies of a small table, for rows i, i + 1, …, so that equal rows next to each other do not wait for one another's
// addition.
constexpr std::int64_t copies = 4;
constexpr std::int64_t small_table = 2048;  // cells: copies of such a table stay in the first-level cache
constexpr std::int64_t block = 1024;

// Memory of samples of many rows: bitmaps of all columns, of the strata of a tester, and the rows from which a tester
// reads the columns again for each test instead of keeping the stratum of each row.
constexpr std::size_t most_bitmaps = std::size_t{1} << 29;
constexpr std::int64_t most_parts = std::int64_t{1} << 26;
constexpr std::int64_t many_rows = std::int64_t{1} << 22;
constexpr std::int64_t most_cells = std::int64_t{1} << 24;  // of a table that is counted so

// Columns that are taken for a function of others have so many rows in each of their configurations, on average.
constexpr double rows_per_configuration = 5.0;
constexpr std::size_t most_determinants = 3;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// A code above `size` is a missing value, and is counted as `size`.
template <class T>
void find_index(const std::uint32_t* strata, const T* column, std::int64_t rows, std::uint32_t size,
                std::uint32_t width, std::uint32_t* out) {
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    for (std::int64_t i = 0; i < rows; ++i) out[i] = strata[i] * width + std::min<std::uint32_t>(column[i], size);
  });
}

void count(const std::uint32_t* at, std::int64_t rows, std::uint32_t* table, std::int64_t cells) {
  std::int64_t i = 0;
  if (cells <= small_table) {
    std::uint32_t* const b = table + cells;
    std::uint32_t* const c = b + cells;
    std::uint32_t* const d = c + cells;
    for (; i + copies <= rows; i += copies) {
      ++table[at[i]];
      ++b[at[i + 1]];
      ++c[at[i + 2]];
      ++d[at[i + 3]];
    }
  }
  for (; i < rows; ++i) ++table[at[i]];
}

void join(std::uint32_t* table, std::int64_t cells) {
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    for (std::int64_t i = 0; i < cells; ++i) {
      table[i] += table[i + cells] + table[i + 2 * cells] + table[i + 3 * cells];
    }
  });
}

struct Coded {
  CodeColumns codes;
  std::vector<std::int64_t> sizes;
  std::vector<char> has_missing;
  std::int64_t rows;
  double whole;  // the weight of all rows
  CountRules rules;
  Entropy entropy;
  Bitmaps bitmaps;  // none where rows have weights
  std::vector<char> ordered;
  Order order;

  // Writes strata · width + code of some rows.
  void index(const std::uint32_t* strata, std::int64_t c, std::int64_t begin, std::int64_t count,
             std::uint32_t* out) const {
    codes.with_column(static_cast<std::int32_t>(c), [&](const auto* column) {
      find_index(strata, column + begin, count, static_cast<std::uint32_t>(size(c)),
                 static_cast<std::uint32_t>(width(c)), out);
    });
  }
  // The code of a row; the size of the column where it is missing.
  std::uint64_t code(std::int64_t c, std::int64_t row) const {
    return codes.with_column(static_cast<std::int32_t>(c), [&](const auto* column) {
      return std::min<std::uint64_t>(column[row], static_cast<std::uint64_t>(size(c)));
    });
  }
  double weight(std::int64_t row) const {
    return codes.weights.empty() ? 1.0 : codes.weights[static_cast<std::size_t>(row)];
  }
  std::int64_t size(std::int64_t c) const { return sizes[static_cast<std::size_t>(c)]; }
  bool missing(std::int64_t c) const { return has_missing[static_cast<std::size_t>(c)] != 0; }
  std::int64_t width(std::int64_t c) const { return size(c) + (missing(c) ? 1 : 0); }
  bool is_ordered(std::int64_t c) const { return ordered[static_cast<std::size_t>(c)] != 0; }
};

// A value for each number of conditioning columns, the first of them given.
template <class T>
struct Levels {
  std::vector<T> at{1};
  std::size_t depth = 0;

  T& top() { return at[depth]; }
  T& next() {
    if (at.size() == depth + 1) at.emplace_back();
    return at[depth + 1];
  }
  void keep(std::size_t columns) { depth = std::min(depth, columns); }
};

template <class N>
class CodedTester final : public Tester {
 public:
  explicit CodedTester(const Coded& data)
      : data_(data),
        sums_(data.entropy, data.rules),
        squares_(data.entropy, {Measure::chi_squared, Freedom::active, Tail::corrected, false}) {}

  // The strata of a set are computed when a pair is tested: many sets are only a step to larger ones.
  void push(std::int64_t column) override {
    strata_.push_back(strata_.back() * static_cast<double>(data_.size(column)));
    given_.push_back(column);
    index_x_ = split_x_ = -1;
  }

  void pop() override {
    strata_.pop_back();
    given_.pop_back();
    codes_.keep(given_.size());
    parts_.keep(given_.size());
    index_x_ = split_x_ = -1;
  }

  Outcome test(std::int64_t x, std::int64_t y) override {
    Outcome out = use_bitmaps(x, y) ? test_bits(x, y) : use_blocks(x, y) ? test_blocks(x, y) : test_codes(x, y);
    out.is_determined = out.df <= 0.0 && (determines(x) || determines(y));
    if (data_.rules.freedom == Freedom::full) out.df = cells(x, y) * strata_.back();
    return out;
  }

  // Whether some columns of the set, the fewest first, determine this one. Where they do, so does the set, however few
  // rows its own configurations have.
  bool determines(std::int64_t column) override {
    if (!data_.rules.finds_determined) return false;
    for (std::size_t size = 1; size <= std::min(given_.size(), most_determinants); ++size) {
      chosen_.clear();
      if (some_determine(column, size, 0)) return true;
    }
    return false;
  }

  bool has_rows(double cells, double rows_per_df) const override {
    return are_enough(data_.whole, rows_per_df, strata_.back(), rows_wanted(cells, given_.size()));
  }
  double cells(std::int64_t x, std::int64_t y) const override {
    // Of an ordered column, those of its trend: few rows are enough for it.
    const auto df = [&](std::int64_t c) { return data_.is_ordered(c) ? 1.0 : static_cast<double>(data_.size(c) - 1); };
    return df(x) * df(y);
  }

 private:
  Outcome of_table(std::int64_t x, std::int64_t y, const Shape& shape) {
    if (!has_trend(x, y)) return sums_.of_table(table_.data(), shape);
    const Trend trend = trend_.of_table(table_.data(), shape, data_.is_ordered(x), data_.is_ordered(y));
    return with_rest(trend, squares_.of_table(table_.data(), shape));
  }

  Outcome of_cells(std::int64_t x, std::int64_t y, const std::vector<std::uint64_t>& cells,
                   const std::vector<N>& counts, const Shape& shape) {
    if (!has_trend(x, y)) return sums_.of_cells(cells, counts, shape);
    const Trend trend = trend_.of_cells(cells, counts, shape, data_.is_ordered(x), data_.is_ordered(y));
    return with_rest(trend, squares_.of_cells(cells, counts, shape));
  }

  bool has_trend(std::int64_t x, std::int64_t y) const {
    const auto fits = [&](std::int64_t c) { return data_.is_ordered(c) || data_.size(c) <= TrendSums<N>::most_states; };
    return (data_.is_ordered(x) || data_.is_ordered(y)) && fits(x) && fits(y);
  }

  // The trend and what χ² has beside it are independent where x and y are. So the smaller of their two p-values is
  // below p with probability 1 − (1 − p)² (Tippett 1931). The part that has it is the outcome.
  Outcome with_rest(const Trend& trend, const Outcome& squares) const {
    const Outcome first{trend.statistic, trend.df, squares.rows, chi_square_tail(trend.statistic, trend.df)};
    if (data_.order == Order::trend) return first;
    const Outcome rest = squares_.rest(trend);
    if (rest.df <= 0.0) return first;
    if (trend.df <= 0.0) return rest;
    Outcome out = rest.p < first.p ? rest : first;
    out.p *= 2.0 - out.p;
    return out;
  }

  // Whether some `size` columns of the set, beginning with those chosen, determine a column.
  bool some_determine(std::int64_t column, std::size_t size, std::size_t from) {
    if (chosen_.size() == size) return is_function(column);
    for (std::size_t i = from; i < given_.size(); ++i) {
      chosen_.push_back(given_[i]);
      const bool found = some_determine(column, size, i + 1);
      chosen_.pop_back();
      if (found) return true;
    }
    return false;
  }

  // Whether each configuration of the chosen columns has one value of a column only, and does not owe that to chance:
  // all of them have rows enough, and so have those of at least two values. (A value of a handful of rows would fall
  // into configurations of its own, and a column that is nearly always the same is nearly constant anywhere.)
  bool is_function(std::int64_t column) {
    double possible = 1.0;
    for (const std::int64_t z : chosen_) possible *= static_cast<double>(data_.width(z));
    if (possible > static_cast<double>(data_.rows)) return false;
    const auto states = static_cast<std::size_t>(data_.size(column));
    values_.assign(static_cast<std::size_t>(possible), none);
    rows_of_.assign(states, 0.0);
    configurations_of_.assign(states, 0.0);
    std::uint32_t at[block];
    std::uint32_t own[block];
    for (std::int64_t begin = 0; begin < data_.rows; begin += block) {
      const std::int64_t n = std::min(block, data_.rows - begin);
      std::fill_n(at, n, 0U);
      std::fill_n(own, n, 0U);
      for (const std::int64_t z : chosen_) data_.index(at, z, begin, n, at);
      data_.index(own, column, begin, n, own);
      for (std::int64_t i = 0; i < n; ++i) {
        const double weight = data_.weight(begin + i);
        if (own[i] >= states || weight <= 0.0 || is_unknown(begin + i)) continue;
        std::uint32_t& value = values_[at[i]];
        if (value == none) {
          value = own[i];
          configurations_of_[value] += 1.0;
        } else if (value != own[i]) {
          return false;
        }
        rows_of_[value] += weight;
      }
    }
    double rows = 0.0;
    double configurations = 0.0;
    int values = 0;
    for (std::size_t v = 0; v < states; ++v) {
      rows += rows_of_[v];
      configurations += configurations_of_[v];
      if (rows_of_[v] > 0.0 && rows_of_[v] >= rows_per_configuration * configurations_of_[v]) ++values;
    }
    return values >= 2 && rows >= rows_per_configuration * configurations;
  }

  // Whether a row has no value of a chosen column.
  bool is_unknown(std::int64_t row) const {
    return std::ranges::any_of(
        chosen_, [&](std::int64_t z) { return data_.missing(z) && std::cmp_equal(data_.code(z, row), data_.size(z)); });
  }

  // Whether the table is small enough, and its columns have few enough states, for bitmaps to be faster.
  bool use_bitmaps(std::int64_t x, std::int64_t y) {
    if constexpr (!std::is_same_v<N, std::uint32_t>) return false;
    const Bitmaps& bitmaps = data_.bitmaps;
    const auto word = static_cast<std::int64_t>(sizeof(std::uint64_t));
    const std::int64_t most =
        std::min(cells_worth_bitmaps(), most_parts / (word * std::max<std::int64_t>(bitmaps.words(), 1)));
    if (!bitmaps.has(x) || !bitmaps.has(y)) return false;
    if (parts_.at[0].count() == 0) whole(bitmaps, parts_.at[0]);
    while (parts_.depth < given_.size()) {
      const std::int64_t z = given_[parts_.depth];
      if (!bitmaps.has(z) || parts_.top().count() * data_.size(z) > most) return false;
      Parts& next = parts_.next();
      split(bitmaps, parts_.at[parts_.depth], z, data_.size(z), next);
      ++parts_.depth;
    }
    return parts_.top().count() * data_.size(x) * data_.size(y) <= most;
  }

  Outcome test_bits(std::int64_t x, std::int64_t y) {
    const Bitmaps& bitmaps = data_.bitmaps;
    const std::int64_t rows = data_.size(x);
    const std::int64_t cols = data_.size(y);
    const Shape shape{parts_.top().count(), rows, cols, cols, rows * cols};
    if (split_x_ != x) {
      split(bitmaps, parts_.top(), x, rows, split_);
      split_x_ = x;
    }
    table_.assign(static_cast<std::size_t>(shape.strata * shape.stratum_stride), N{0});
    if constexpr (std::is_same_v<N, std::uint32_t>) {
      count(bitmaps, split_, rows, y, cols, !data_.missing(y), table_.data());
    }
    return of_table(x, y, shape);
  }

  // Whether there are so many rows that the strata of all of them should not be kept.
  bool use_blocks(std::int64_t x, std::int64_t y) const {
    if (data_.rows < many_rows) return false;
    auto cells = static_cast<double>(data_.width(x)) * static_cast<double>(data_.width(y));
    for (const std::int64_t z : given_) cells *= static_cast<double>(data_.width(z));
    return cells <= static_cast<double>(most_cells);
  }

  // Counts given × x × y, a block of rows at a time, and leaves out the strata of missing values.
  Outcome test_blocks(std::int64_t x, std::int64_t y) {
    std::vector<std::int64_t> columns = given_;
    columns.insert(columns.end(), {x, y});
    std::int64_t cells = 1;
    for (const std::int64_t c : columns) cells *= data_.width(c);
    table_.assign(static_cast<std::size_t>(cells <= small_table ? copies * cells : cells), N{0});
    std::uint32_t at[block];
    for (std::int64_t i = 0; i < data_.rows; i += block) {
      const std::int64_t n = std::min(block, data_.rows - i);
      std::fill_n(at, n, 0U);
      for (const std::int64_t c : columns) data_.index(at, c, i, n, at);
      add(at, i, n, cells);
    }
    if constexpr (std::is_same_v<N, std::uint32_t>) {
      if (cells <= small_table) join(table_.data(), cells);
    }
    const std::int64_t cols = data_.width(y);
    const std::int64_t stratum = data_.width(x) * cols;
    return of_table(x, y, {drop_missing(stratum), data_.size(x), data_.size(y), cols, stratum});
  }

  // Moves the strata without a missing value to the front of the table, in order; returns how many there are.
  std::int64_t drop_missing(std::int64_t stratum) {
    std::int64_t all = 1;
    for (const std::int64_t z : given_) all *= data_.width(z);
    std::int64_t kept = 0;
    for (std::int64_t s = 0; s < all; ++s) {
      std::int64_t rest = s;
      bool is_known = true;
      for (std::size_t i = given_.size(); i-- > 0; rest /= data_.width(given_[i])) {
        is_known = is_known && rest % data_.width(given_[i]) < data_.size(given_[i]);
      }
      if (!is_known) continue;
      if (kept != s) std::copy_n(table_.begin() + s * stratum, stratum, table_.begin() + kept * stratum);
      ++kept;
    }
    return kept;
  }

  Outcome test_codes(std::int64_t x, std::int64_t y) {
    if (codes_.at[0].codes.empty()) codes_.at[0].codes.assign(static_cast<std::size_t>(data_.rows), 0);
    while (codes_.depth < given_.size()) {
      const std::int64_t z = given_[codes_.depth];
      Strata& next = codes_.next();
      split(codes_.at[codes_.depth], data_.codes, static_cast<std::int32_t>(z), data_.missing(z), next, scratch_);
      ++codes_.depth;
    }
    const Strata& strata = codes_.top();
    const std::int64_t cols = data_.width(y);
    const Shape shape{strata.count, data_.size(x), data_.size(y), cols, data_.width(x) * cols};
    const std::int64_t cells = (strata.count + (strata.has_dropped ? 1 : 0)) * shape.stratum_stride;
    const std::int64_t widest = std::max<std::int64_t>(1 << 16, 4 * data_.rows);
    return cells <= widest ? test_table(x, y, shape, cells) : test_cells(x, y, shape);
  }

  Outcome test_table(std::int64_t x, std::int64_t y, const Shape& shape, std::int64_t cells) {
    if (index_x_ != x) {
      index_.resize(static_cast<std::size_t>(data_.rows));
      data_.index(codes_.top().codes.data(), x, 0, data_.rows, index_.data());
      index_x_ = x;
    }
    table_.assign(static_cast<std::size_t>(cells <= small_table ? copies * cells : cells), N{0});
    std::uint32_t at[block];
    for (std::int64_t i = 0; i < data_.rows; i += block) {
      const std::int64_t n = std::min(block, data_.rows - i);
      data_.index(index_.data() + i, y, i, n, at);
      add(at, i, n, cells);
    }
    if constexpr (std::is_same_v<N, std::uint32_t>) {
      if (cells <= small_table) join(table_.data(), cells);
    }
    return of_table(x, y, shape);
  }

  void add(const std::uint32_t* at, std::int64_t first, std::int64_t n, std::int64_t cells) {
    if constexpr (std::is_same_v<N, std::uint32_t>) {
      count(at, n, table_.data(), cells);
    } else {
      const double* weights = data_.codes.weights.data() + first;
      for (std::int64_t i = 0; i < n; ++i) table_[at[i]] += weights[i];
    }
  }

  Outcome test_cells(std::int64_t x, std::int64_t y, const Shape& shape) {
    const std::vector<std::uint32_t>& strata = codes_.top().codes;
    const auto rows = static_cast<std::size_t>(data_.rows);
    std::vector<std::pair<std::uint64_t, N>> found(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto cell = strata[i] * static_cast<std::uint64_t>(shape.stratum_stride) +
                        data_.code(x, static_cast<std::int64_t>(i)) * static_cast<std::uint64_t>(shape.row_stride) +
                        data_.code(y, static_cast<std::int64_t>(i));
      if constexpr (std::is_same_v<N, std::uint32_t>) {
        found[i] = {cell, 1U};
      } else {
        found[i] = {cell, data_.codes.weights[i]};
      }
    }
    std::ranges::sort(found);
    std::vector<std::uint64_t> cells(rows);
    std::vector<N> counts(rows);
    for (std::size_t i = 0; i < rows; ++i) std::tie(cells[i], counts[i]) = found[i];
    return of_cells(x, y, cells, counts, shape);
  }

  const Coded& data_;
  Contingency<N> sums_;
  Contingency<N> squares_;  // χ², of pairs with an ordered column
  TrendSums<N> trend_;
  std::vector<std::int64_t> given_;
  std::vector<double> strata_{1.0};  // of the full table, for each number of conditioning columns
  Levels<Strata> codes_;
  Levels<Parts> parts_;
  std::vector<std::uint32_t> scratch_;
  std::vector<std::uint32_t> index_;  // strata × x
  std::int64_t index_x_ = -1;
  Parts split_;  // strata × x
  std::int64_t split_x_ = -1;
  std::vector<N> table_;
  std::vector<std::int64_t> chosen_;   // of the set: what may determine a column
  std::vector<std::uint32_t> values_;  // the column's value in each configuration of those
  std::vector<double> rows_of_;        // of each value
  std::vector<double> configurations_of_;
};

class CodedSource final : public Source {
 public:
  explicit CodedSource(Coded&& data) : data_(std::move(data)) {}
  std::int64_t columns() const override { return static_cast<std::int64_t>(data_.sizes.size()); }
  std::unique_ptr<Tester> tester() const override {
    if (data_.codes.weights.empty()) return std::make_unique<CodedTester<std::uint32_t>>(data_);
    return std::make_unique<CodedTester<double>>(data_);
  }

 private:
  Coded data_;
};

}  // namespace

std::unique_ptr<Source> coded_source(const CodeColumns& codes, const CountRules& rules,
                                     std::span<const std::uint8_t> ordered, Order order) {
  const std::span<const double> weights = codes.weights;
  Coded data{codes,
             {codes.sizes.begin(), codes.sizes.end()},
             {},
             codes.rows,
             weights.empty() ? static_cast<double>(codes.rows) : std::accumulate(weights.begin(), weights.end(), 0.0),
             rules,
             Entropy(codes.rows),
             weights.empty() ? Bitmaps(codes, most_bitmaps) : Bitmaps(),
             std::vector<char>(static_cast<std::size_t>(codes.cols)),
             order};
  std::ranges::copy(ordered, data.ordered.begin());
  data.codes.sizes = data.sizes;
  for (std::int64_t c = 0; c < codes.cols; ++c) {
    const bool is_missing = std::cmp_greater_equal(largest_code_of(codes, static_cast<std::int32_t>(c)), data.size(c));
    data.has_missing.push_back(is_missing ? 1 : 0);
  }
  return std::make_unique<CodedSource>(std::move(data));
}

}  // namespace deciban
