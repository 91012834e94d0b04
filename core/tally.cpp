#include "tally.hpp"

#include <algorithm>

#include "clones.hpp"
#include "codes.hpp"
#include "pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block_cells = 1 << 10;  // codes of one block: few, so that they and the tables stay in L1

// Tables of one stripe, a state's classes side by side: cell(c, v, j) = cells[starts[c] + v·classes + j].
// A column's table doubles when a larger code turns up; codes that were never seen cost nothing.
template <class T>
class StripeTables {
 public:
  StripeTables(std::int64_t cols, std::int64_t classes)
      : classes_(classes), states_(static_cast<std::size_t>(cols), 0), tables_(static_cast<std::size_t>(cols)) {}

  // Room in column c for every code up to `largest`.
  void reserve(std::size_t c, std::uint32_t largest) {
    if (largest < states_[c]) return;
    std::uint32_t room = std::max<std::uint32_t>(states_[c], 8);
    while (room <= largest) room *= 2;
    states_[c] = room;
    tables_[c].resize(static_cast<std::size_t>(room) * static_cast<std::size_t>(classes_));
  }

  std::uint32_t smallest_room() const { return *std::min_element(states_.begin(), states_.end()); }
  const std::vector<T>& table(std::size_t c) const { return tables_[c]; }
  T* data(std::size_t c) { return tables_[c].data(); }

  std::int64_t used_states(std::size_t c) const {
    const std::vector<T>& cells = tables_[c];
    auto last = cells.size();
    while (last > 0 && cells[last - 1] == T{}) --last;
    return (static_cast<std::int64_t>(last) + classes_ - 1) / classes_;
  }

 private:
  std::int64_t classes_;
  std::vector<std::uint32_t> states_;
  std::vector<std::vector<T>> tables_;
};

struct Block {
  const std::uint32_t* codes;
  std::int64_t rows, cols;
  const std::int32_t* y;
};

template <class T, class Weight>
DECIBAN_INLINE void add_block(const Block& block, std::int64_t classes, T* const* tables, Weight weight) {
  const auto step = static_cast<std::uint64_t>(classes);
  const std::uint32_t* row = block.codes;
  for (std::int64_t r = 0; r < block.rows; ++r, row += block.cols) {
    const auto j = static_cast<std::uint64_t>(block.y[r]);
    const T amount = weight(r);
    std::int64_t c = 0;
    for (; c + 4 <= block.cols; c += 4) {  // four columns at a time: their cells are apart, so none waits for another
      T& first = tables[c][row[c] * step + j];
      T& second = tables[c + 1][row[c + 1] * step + j];
      T& third = tables[c + 2][row[c + 2] * step + j];
      T& fourth = tables[c + 3][row[c + 3] * step + j];
      first += amount;
      second += amount;
      third += amount;
      fourth += amount;
    }
    for (; c < block.cols; ++c) tables[c][row[c] * step + j] += amount;
  }
}

template <class T, class Weight>
void add_block_with_gaps(const Block& block, std::int64_t classes, T* const* tables, Weight weight) {
  const auto step = static_cast<std::uint64_t>(classes);
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const auto j = static_cast<std::uint64_t>(block.y[r]);
    for (std::int64_t c = 0; c < block.cols; ++c) {
      const std::uint32_t code = block.codes[r * block.cols + c];
      if (code != missing_code) tables[c][code * step + j] += weight(r);
    }
  }
}

// T: u32 within a stripe of less than 2^32 rows, or double for weights.
template <class T>
struct Counter {
  const Matrix& x;
  std::span<const std::int32_t> y;
  std::int64_t classes;
  std::span<const double> weights;
  const CodeRules& rules;

  T weight(std::int64_t row) const {
    return weights.empty() ? T{1} : static_cast<T>(weights[static_cast<std::size_t>(row)]);
  }

  void make_room(StripeTables<T>& tables, const Block& block, std::int64_t first, Fault& fault) const {
    for (std::int64_t r = 0; r < block.rows; ++r) {
      for (std::int64_t c = 0; c < block.cols; ++c) {
        const std::uint32_t code = block.codes[r * block.cols + c];
        if (code == missing_code) continue;
        if (code >= rules.most_states) {
          fault.note(Trouble::wide, first + r, c);
        } else {
          tables.reserve(static_cast<std::size_t>(c), code);
        }
      }
    }
  }

  void count(std::int64_t begin, std::int64_t end, StripeTables<T>& tables, Fault& fault) const {
    const std::int64_t cols = cols_of(x);
    const std::int64_t step = std::max<std::int64_t>(1, block_cells / cols);
    std::vector<std::uint32_t> codes(static_cast<std::size_t>(step * cols));
    std::vector<double> scratch;
    std::vector<T*> at(static_cast<std::size_t>(cols));
    for (std::int64_t first = begin; first < end && !fault; first += step) {
      const std::int64_t last = std::min(first + step, end);
      std::uint32_t largest = 0;
      scratch.clear();
      load_codes(x, first, last, rules, scratch, codes.data(), &largest, fault);
      if (fault) return;
      const Block block{codes.data(), last - first, cols, y.data() + first};
      if (largest >= tables.smallest_room()) make_room(tables, block, first, fault);
      if (fault) return;
      for (std::size_t c = 0; c < at.size(); ++c) at[c] = tables.data(c);
      const auto amount = [&](std::int64_t r) { return weight(first + r); };
      if (!scratch.empty()) {  // read with care: there may be missing values
        add_block_with_gaps(block, classes, at.data(), amount);
      } else if (weights.empty()) {
        add_block(block, classes, at.data(), [](std::int64_t) { return T{1}; });
      } else {
        add_block(block, classes, at.data(), amount);
      }
    }
  }
};

template <class Sum, class T>
CodeCounts<Sum> merge(const std::vector<StripeTables<T>>& parts, std::int64_t cols, std::int64_t classes) {
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
    for (const auto& part : parts) {  // in stripe order
      const std::vector<T>& from = part.table(c);
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
CodeCounts<Sum> count_in_stripes(const Counter<T>& counter) {
  const std::int64_t cols = cols_of(counter.x);
  constexpr std::int64_t usual_states = 16;
  const Stripes cut = stripes(rows_of(counter.x), cols, cols * counter.classes * usual_states * 8);
  std::vector<StripeTables<T>> parts(static_cast<std::size_t>(cut.count), {cols, counter.classes});
  std::vector<Fault> faults(parts.size());
  parallel_for(cut.count, [&](std::int64_t s) {
    const auto k = static_cast<std::size_t>(s);
    counter.count(cut.begin(s), cut.end(s), parts[k], faults[k]);
  });
  CodeCounts<Sum> out;
  if (const Fault fault = earliest(faults)) {
    out.fault = fault;
    return out;
  }
  return merge<Sum>(parts, cols, counter.classes);
}

}  // namespace

CodeCounts<std::uint64_t> count_codes(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                                      const CodeRules& rules) {
  return count_in_stripes<std::uint64_t>(Counter<std::uint32_t>{x, y, classes, {}, rules});
}

CodeCounts<double> count_codes(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                               std::span<const double> weights, const CodeRules& rules) {
  return count_in_stripes<double>(Counter<double>{x, y, classes, weights, rules});
}

}  // namespace deciban
