#include "count/class_counts.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "read/codes.hpp"
#include "run/instruction_set.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block_cells = 1 << 10;  // codes of one block: few, so that they and the tables stay in L1

// The tables of all columns, one after the other, a state's classes side by side: state v of column c and class j is
// cells()[starts()[c] + v·classes + j]. A column's table doubles when a larger code occurs.
template <class T>
class Tables {
 public:
  Tables(std::int64_t cols, std::int64_t classes)
      : classes_(static_cast<std::size_t>(classes)),
        states_(static_cast<std::size_t>(cols), 0),
        starts_(states_.size()) {}

  // Room in column c for every code up to `largest`.
  void reserve(std::size_t c, std::uint32_t largest) {
    if (largest < states_[c]) return;
    std::vector<std::uint32_t> states = states_;
    states[c] = std::max<std::uint32_t>(states[c], 8);
    while (states[c] <= largest) states[c] *= 2;
    lay_out(std::move(states));
  }

  // The first code that some column has no room for.
  std::uint32_t smallest_room() const { return *std::min_element(states_.begin(), states_.end()); }
  T* cells() { return cells_.data(); }
  const std::vector<std::size_t>& starts() const { return starts_; }
  // True when the index of every cell fits into 32 bits.
  bool is_narrow() const { return cells_.size() <= std::numeric_limits<std::uint32_t>::max(); }
  std::span<const T> table(std::size_t c) const { return std::span(cells_).subspan(starts_[c], states_[c] * classes_); }

  std::int64_t used_states(std::size_t c) const {
    const std::span<const T> cells = table(c);
    auto last = cells.size();
    while (last > 0 && cells[last - 1] == T{}) --last;
    return static_cast<std::int64_t>((last + classes_ - 1) / classes_);
  }

 private:
  void lay_out(std::vector<std::uint32_t> states) {
    std::vector<std::size_t> starts;
    std::size_t total = 0;
    for (const std::uint32_t room : states) {
      starts.push_back(total);
      total += room * classes_;
    }
    std::vector<T> cells(total);
    for (std::size_t c = 0; c < states.size(); ++c) {
      const std::span<const T> old = table(c);
      std::copy(old.begin(), old.end(), cells.begin() + static_cast<std::ptrdiff_t>(starts[c]));
    }
    states_ = std::move(states);
    starts_ = std::move(starts);
    cells_ = std::move(cells);
  }

  std::size_t classes_;
  std::vector<std::uint32_t> states_;
  std::vector<std::size_t> starts_;
  std::vector<T> cells_;
};

struct Block {
  std::uint32_t* codes;
  std::int64_t rows, cols;
  const std::int32_t* y;
};

// Replaces each code by the index of its cell.
void index_block(const Block& of_rows, std::uint32_t classes, const std::uint32_t* starts) {
  on_instruction_set([classes, starts, block = of_rows](auto) DECIBAN_INLINE_LAMBDA {
    std::uint32_t* row = block.codes;
    for (std::int64_t r = 0; r < block.rows; ++r, row += block.cols) {
      const auto j = static_cast<std::uint32_t>(block.y[r]);
      for (std::int64_t c = 0; c < block.cols; ++c) row[c] = row[c] * classes + (starts[c] + j);
    }
  });
}

// T: u32 or u64 for integer counts, double for weights.
template <class T>
class Counter {
 public:
  Counter(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes, std::span<const double> weights,
          const CodeRules& rules)
      : x_(x), y_(y), classes_(classes), weights_(weights), rules_(rules), cols_(cols_of(x)) {}

  void count(std::int64_t begin, std::int64_t end, Tables<T>& tables, Fault& fault) const {
    const std::int64_t step = std::max<std::int64_t>(1, block_cells / cols_);
    std::vector<std::uint32_t> codes(static_cast<std::size_t>(step * cols_));
    std::vector<double> scratch;
    std::vector<std::uint32_t> starts(tables.starts().begin(), tables.starts().end());
    for (std::int64_t first = begin; first < end; first += step) {
      const std::int64_t last = std::min(first + step, end);
      std::uint32_t largest = 0;
      const bool has_gaps = load_codes(x_, first, last, rules_, scratch, codes.data(), &largest, fault);
      const Block block{codes.data(), last - first, cols_, y_.data() + first};
      if (!fault && largest >= tables.smallest_room()) {
        make_room(block, first, tables, fault);
        starts.assign(tables.starts().begin(), tables.starts().end());
      }
      if (fault) return;
      if (has_gaps || !tables.is_narrow()) {
        add_with_gaps(block, first, tables);
      } else {
        index_block(block, static_cast<std::uint32_t>(classes_), starts.data());
        add(block, first, tables.cells());
      }
    }
  }

  std::int64_t cols() const { return cols_; }
  std::int64_t classes() const { return classes_; }
  std::int64_t rows() const { return rows_of(x_); }

 private:
  T weight(std::int64_t row) const {
    return weights_.empty() ? T{1} : static_cast<T>(weights_[static_cast<std::size_t>(row)]);
  }

  void make_room(const Block& block, std::int64_t first, Tables<T>& tables, Fault& fault) const {
    for (std::int64_t k = 0; k < block.rows * cols_; ++k) {
      const std::uint32_t code = block.codes[k];
      if (code == missing_code) continue;
      if (code >= rules_.most_states) {
        fault.note(Trouble::wide, first + k / cols_, k % cols_);
      } else {
        tables.reserve(static_cast<std::size_t>(k % cols_), code);
      }
    }
  }

  void add(const Block& indexed, std::int64_t first, T* cells) const {
    if (weights_.empty()) {
      for (std::int64_t k = 0; k < indexed.rows * cols_; ++k) ++cells[indexed.codes[k]];
      return;
    }
    for (std::int64_t r = 0, k = 0; r < indexed.rows; ++r) {
      const T amount = weight(first + r);
      for (std::int64_t c = 0; c < cols_; ++c) cells[indexed.codes[k++]] += amount;
    }
  }

  void add_with_gaps(const Block& block, std::int64_t first, Tables<T>& tables) const {
    for (std::int64_t r = 0, k = 0; r < block.rows; ++r) {
      const T amount = weight(first + r);
      for (std::int64_t c = 0; c < cols_; ++c, ++k) {
        const std::int64_t state = block.codes[k];
        if (state == missing_code) continue;
        const std::size_t start = tables.starts()[static_cast<std::size_t>(c)];
        tables.cells()[start + static_cast<std::size_t>(state * classes_ + block.y[r])] += amount;
      }
    }
  }

  const Matrix& x_;
  std::span<const std::int32_t> y_;
  std::int64_t classes_;
  std::span<const double> weights_;
  const CodeRules& rules_;
  std::int64_t cols_;
};

template <class Sum, class T>
CodeCounts<Sum> merge(const std::vector<Tables<T>>& parts, std::int64_t cols, std::int64_t classes) {
  CodeCounts<Sum> out;
  std::int64_t total = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) {
    std::int64_t size = 0;
    for (const auto& part : parts) size = std::max(size, part.used_states(c));
    out.sizes.push_back(size);
    out.offsets.push_back(total);
    total += size * classes;
  }
  out.counts.assign(static_cast<std::size_t>(total), Sum{});
  for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) {
    Sum* to = out.counts.data() + out.offsets[c];
    const std::int64_t size = out.sizes[c];
    for (const auto& part : parts) {  // in order
      const std::span<const T> from = part.table(c);
      const std::int64_t states = std::min(size, static_cast<std::int64_t>(from.size()) / classes);
      for (std::int64_t v = 0; v < states; ++v) {
        for (std::int64_t j = 0; j < classes; ++j) {
          to[j * size + v] += static_cast<Sum>(from[static_cast<std::size_t>(v * classes + j)]);
        }
      }
    }
  }
  return out;
}

template <class Sum, class T>
CodeCounts<Sum> merged(const std::vector<Tables<T>>& parts, std::span<const Fault> faults, const Counter<T>& counter) {
  CodeCounts<Sum> out;
  out.fault = earliest(faults);
  if (out.fault) return out;
  return merge<Sum>(parts, counter.cols(), counter.classes());
}

// Integers add up to the same in any order: each thread has one set of tables, for whatever stripes it gets.
template <class T>
CodeCounts<std::uint64_t> count_integers(const Counter<T>& counter) {
  const Stripes cut = stripes(counter.rows(), counter.cols(), 0);
  std::vector<Tables<T>> spare;
  std::vector<Fault> faults(static_cast<std::size_t>(cut.count));
  std::mutex lock;
  parallel_for(cut.count, [&](std::int64_t s) {
    Tables<T> mine(counter.cols(), counter.classes());
    {
      const std::scoped_lock hold(lock);
      if (!spare.empty()) {
        mine = std::move(spare.back());
        spare.pop_back();
      }
    }
    counter.count(cut.begin(s), cut.end(s), mine, faults[static_cast<std::size_t>(s)]);
    const std::scoped_lock hold(lock);
    spare.push_back(std::move(mine));
  });
  return merged<std::uint64_t>(spare, faults, counter);
}

}  // namespace

CodeCounts<std::uint64_t> count_codes(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                                      const CodeRules& rules) {
  if (rows_of(x) > std::numeric_limits<std::uint32_t>::max()) {
    return count_integers(Counter<std::uint64_t>(x, y, classes, {}, rules));
  }
  return count_integers(Counter<std::uint32_t>(x, y, classes, {}, rules));
}

CodeCounts<double> count_codes(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                               std::span<const double> weights, const CodeRules& rules) {
  const Counter<double> counter(x, y, classes, weights, rules);
  constexpr std::int64_t usual_states = 64;
  const Stripes cut = stripes(counter.rows(), counter.cols(), counter.cols() * classes * usual_states * 8);
  std::vector<Tables<double>> parts(static_cast<std::size_t>(cut.count), {counter.cols(), classes});
  std::vector<Fault> faults(parts.size());
  parallel_for(cut.count, [&](std::int64_t s) {
    const auto k = static_cast<std::size_t>(s);
    counter.count(cut.begin(s), cut.end(s), parts[k], faults[k]);
  });
  return merged<double>(parts, faults, counter);
}

}  // namespace deciban
