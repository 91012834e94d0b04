#include "independence/mixed/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "independence/mixed/products.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 256;  // rows whose numbers stay in the first-level cache

// The cells of all numbers are counted at once, and kept, where they take no more room than this: a test of another
// pair in the same cells then reads no row again.
constexpr double most_numbers = 1 << 20;
constexpr std::size_t most_kept = std::size_t{1} << 23;  // in all cells that a thread keeps: 64 MB

// A column whose deviation is less than this share of its largest value is constant: only rounding is left.
constexpr double least_spread = 1e-12;

// Adds the sums and the lower products of `width` columns of a block; `weighed` are the columns times the weights.
template <class Set>
DECIBAN_INLINE void add_block(const double* columns, const double* weighed, std::int64_t width, std::int64_t count,
                              double* sums, double* products) {
  for (std::int64_t i = 0; i < width; ++i) {
    Lanes<Set> sum{};
    for (std::int64_t r = 0; r < count; r += lanes) sum += lanes_at<Set>(weighed + i * block + r);
    sums[i] += sum_lanes(sum);
    add_products<Set>(weighed + i * block, columns, block, i + 1, count, products + i * width);
  }
}

// The mean and the deviation, in units of the largest value, so that no square is too large or too small.
void standardize(std::span<double> column, const CodeColumns& codes, double& log_spread, bool& is_complete) {
  const auto weight = [&](std::size_t i) { return codes.weights.empty() ? 1.0 : codes.weights[i]; };
  double largest = 0.0;
  for (const double x : column) {
    if (std::isnan(x)) {
      is_complete = false;
    } else {
      largest = std::max(largest, std::abs(x));
    }
  }
  const double unit = largest > 0.0 ? largest : 1.0;
  double mean = 0.0;
  double whole = 0.0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (std::isnan(column[i])) continue;
    whole += weight(i);
    mean += weight(i) * (column[i] / unit);
  }
  mean = whole > 0.0 ? mean / whole : 0.0;
  double squares = 0.0;
  double drift = 0.0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (std::isnan(column[i])) continue;
    const double centred = column[i] / unit - mean;
    squares += weight(i) * centred * centred;
    drift += weight(i) * centred;
  }
  // The mean of a large column is known only up to a rounding error, which is the mean of what is left.
  const double rest = whole > 0.0 ? drift / whole : 0.0;
  const double spread = whole > 0.0 ? std::sqrt(std::max(squares / whole - rest * rest, 0.0)) : 0.0;
  const bool is_constant = spread <= least_spread;
  log_spread = is_constant ? -std::numeric_limits<double>::infinity() : std::log(spread) + std::log(unit);
  for (double& x : column) {
    if (!std::isnan(x)) x = is_constant ? 0.0 : (x / unit - mean - rest) / spread;
  }
}

}  // namespace

MixedColumns mixed_columns(const CodeColumns& codes, std::span<const double> values, std::int64_t numbers,
                           std::span<const std::int64_t> slots) {
  MixedColumns data;
  data.codes = codes;
  data.sizes.assign(codes.sizes.begin(), codes.sizes.end());
  data.values.assign(values.begin(), values.end());
  data.slots.assign(slots.begin(), slots.end());
  data.rows = codes.rows;
  data.width = numbers;
  const std::span<const double> weights = codes.weights;
  data.whole = weights.empty() ? static_cast<double>(codes.rows) : std::accumulate(weights.begin(), weights.end(), 0.0);
  data.log_spread.resize(static_cast<std::size_t>(numbers));
  for (std::int64_t i = 0; i < numbers; ++i) {
    const auto begin = static_cast<std::size_t>(i * data.rows);
    standardize(std::span(data.values).subspan(begin, static_cast<std::size_t>(data.rows)), codes,
                data.log_spread[static_cast<std::size_t>(i)], data.is_complete);
  }
  for (std::int64_t c = 0; c < codes.cols; ++c) {
    const bool is_missing = std::cmp_greater_equal(largest_code_of(codes, static_cast<std::int32_t>(c)),
                                                   data.sizes[static_cast<std::size_t>(c)]);
    data.has_missing.push_back(is_missing ? 1 : 0);
  }
  return data;
}

CellRows CellCounter::rows_of(const std::vector<std::int64_t>& categories, std::span<const std::int64_t> numbers) {
  Strata* now = &strata_[0];
  Strata* next = &strata_[1];
  now->codes.assign(static_cast<std::size_t>(data_.rows), 0);
  now->count = 1;
  now->has_dropped = false;
  for (const std::int64_t c : categories) {
    split(*now, data_.codes, static_cast<std::int32_t>(c), data_.has_missing[static_cast<std::size_t>(c)] != 0, *next,
          scratch_);
    std::swap(now, next);
  }
  std::vector<std::uint32_t>& codes = now->codes;
  const auto gone = static_cast<std::uint32_t>(now->count);
  if (!data_.is_complete) {
    for (const std::int64_t number : numbers) {
      const std::span<const double> column = data_.column(number);
      for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = std::isnan(column[i]) ? gone : codes[i];
    }
  }
  if (!data_.codes.weights.empty()) {
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = data_.codes.weights[i] > 0.0 ? codes[i] : gone;
  }
  std::vector<std::size_t> ends(static_cast<std::size_t>(gone) + 2, 0);
  for (const std::uint32_t code : codes) ++ends[code + 1];
  CellRows out;
  for (std::uint32_t code = 0; code < gone; ++code) {
    if (ends[code + 1] > 0) out.starts.push_back(out.starts.back() + ends[code + 1]);
    ends[code + 1] += ends[code];
  }
  out.order.resize(out.starts.back());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] < gone) out.order[ends[codes[i]]++] = static_cast<std::uint32_t>(i);
  }
  return out;
}

const Cells& CellCounter::count(const std::vector<std::int64_t>& categories, std::span<const std::int64_t> numbers) {
  double cells = 1.0;
  for (const std::int64_t c : categories) cells *= static_cast<double>(data_.sizes[static_cast<std::size_t>(c)]);
  cells = std::min(cells, static_cast<double>(data_.rows));
  const auto width = static_cast<double>(data_.width);
  // By the table alone, not by what was asked before: then a sum is made in one way only, whatever the threads do.
  if (!data_.is_complete || cells * width * width > most_numbers) {
    last_ = counted(categories, {numbers.begin(), numbers.end()});
    return last_;
  }
  const auto found = known_.find(categories);
  if (found != known_.end()) return found->second;
  std::vector<std::int64_t> all(static_cast<std::size_t>(data_.width));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return keep(categories, counted(categories, std::move(all)));
}

const Cells& CellCounter::keep(const std::vector<std::int64_t>& categories, Cells&& cells) {
  if (kept_ > most_kept) {
    known_.clear();
    kept_ = 0;
  }
  kept_ += cells.cross.size() + cells.means.size() + cells.rows.size() + 16;
  return known_.insert_or_assign(categories, std::move(cells)).first->second;
}

Cells CellCounter::counted(const std::vector<std::int64_t>& categories, std::vector<std::int64_t> numbers) {
  const CellRows rows = rows_of(categories, numbers);
  Cells out;
  out.categories = categories;
  out.width = numbers.size();
  out.slot_of.assign(static_cast<std::size_t>(data_.width), -1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out.slot_of[static_cast<std::size_t>(numbers[i])] = static_cast<std::int64_t>(i);
  }
  const std::size_t width = out.width;
  out.rows.assign(rows.count(), 0.0);
  out.means.assign(rows.count() * width, 0.0);
  out.cross.assign(rows.count() * width * width, 0.0);
  const bool is_weighed = !data_.codes.weights.empty();
  block_.assign(2 * width * static_cast<std::size_t>(block), 0.0);
  double* const plain = block_.data();
  double* const weighed = is_weighed ? plain + width * static_cast<std::size_t>(block) : plain;
  std::vector<double> shift(width);
  for (std::size_t cell = 0; cell < rows.count(); ++cell) {
    const std::span<const std::uint32_t> own = rows.of(cell);
    for (const std::int64_t c : categories) out.states.push_back(data_.code(c, own[0]));
    double* const sums = out.means.data() + cell * width;
    double* const products = out.cross.data() + cell * width * width;
    double total = 0.0;
    // About the first row: of a cell far from the mean of the column, the sums then keep their digits.
    for (std::size_t i = 0; i < width; ++i) shift[i] = data_.column(numbers[i])[own[0]];
    for (std::size_t first = 0; first < own.size(); first += static_cast<std::size_t>(block)) {
      const std::span<const std::uint32_t> some = own.subspan(first, std::min<std::size_t>(block, own.size() - first));
      const auto padded_count = padded(static_cast<std::int64_t>(some.size()));
      for (std::size_t i = 0; i < width; ++i) {
        const double* const column = data_.column(numbers[i]).data();
        double* const to = plain + i * static_cast<std::size_t>(block);
        for (std::size_t r = 0; r < some.size(); ++r) to[r] = column[some[r]] - shift[i];
        std::fill(to + some.size(), to + padded_count, 0.0);
        if (!is_weighed) continue;
        double* const by_weight = weighed + i * static_cast<std::size_t>(block);
        for (std::size_t r = 0; r < some.size(); ++r) by_weight[r] = to[r] * data_.codes.weights[some[r]];
        std::fill(by_weight + some.size(), by_weight + padded_count, 0.0);
      }
      for (const std::uint32_t row : some) total += data_.weight(row);
      on_instruction_set([=](auto set) DECIBAN_INLINE_LAMBDA {
        add_block<decltype(set)>(plain, weighed, static_cast<std::int64_t>(width), padded_count, sums, products);
      });
    }
    out.rows[cell] = total;
    for (std::size_t i = 0; i < width; ++i) sums[i] /= total;
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double centred = products[i * width + j] - total * sums[i] * sums[j];
        products[i * width + j] = products[j * width + i] = centred;
      }
    }
    for (std::size_t i = 0; i < width; ++i) sums[i] += shift[i];
  }
  return out;
}

}  // namespace deciban
