#include <algorithm>
#include <vector>

#include "read/codes.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"
#include "score/score.hpp"

namespace deciban {
namespace {

struct Layout {
  const double* prior;
  const double* table;
  const std::int64_t* starts;
  const std::int64_t* sizes;
  std::int64_t cols, classes, width;
};

// The row of column c's table that a code has: its own, the unseen one or the missing one.
template <bool all_seen>
DECIBAN_INLINE const double* table_row(const Layout& at, std::int64_t c, std::uint32_t code) {
  std::int64_t row = at.starts[c] + code;
  if constexpr (!all_seen) {
    const std::int64_t size = at.sizes[c];
    if (code >= size) row = at.starts[c] + size + (code == missing_code ? 1 : 0);
  }
  return at.table + row * at.width;
}

// Up to eight classes: the sums stay in registers, four of them, so that no addition waits for the one before.
template <class Set, bool all_seen>
DECIBAN_INLINE void score_few_classes(const Layout& at, const std::uint32_t* codes, double* joint) {
  using V = Lanes<Set>;
  V first = lanes_at<Set>(joint);
  V second{}, third{}, fourth{};
  std::int64_t c = 0;
  for (; c + 4 <= at.cols; c += 4) {
    first += lanes_at<Set>(table_row<all_seen>(at, c, codes[c]));
    second += lanes_at<Set>(table_row<all_seen>(at, c + 1, codes[c + 1]));
    third += lanes_at<Set>(table_row<all_seen>(at, c + 2, codes[c + 2]));
    fourth += lanes_at<Set>(table_row<all_seen>(at, c + 3, codes[c + 3]));
  }
  for (; c < at.cols; ++c) first += lanes_at<Set>(table_row<all_seen>(at, c, codes[c]));
  put_vector(joint, (first + second) + (third + fourth));
}

template <class Set, bool all_seen>
DECIBAN_INLINE void score_rows(const Layout& at, const std::uint32_t* codes, std::int64_t rows, double* joint) {
  for (std::int64_t r = 0; r < rows; ++r, codes += at.cols, joint += at.width) {
    std::copy_n(at.prior, at.classes, joint);
    std::fill(joint + at.classes, joint + at.width, 0.0);
    if (at.width == lanes) {
      score_few_classes<Set, all_seen>(at, codes, joint);
      continue;
    }
    for (std::int64_t c = 0; c < at.cols; ++c) {
      const double* row = table_row<all_seen>(at, c, codes[c]);
      for (std::int64_t j = 0; j < at.width; j += lanes) {
        put_vector(joint + j, lanes_at<Set>(joint + j) + lanes_at<Set>(row + j));
      }
    }
  }
}

void score_codes(const Layout& layout, bool all_seen, const std::uint32_t* codes, std::int64_t rows, double* joint) {
  on_instruction_set([=, at = layout](auto set) DECIBAN_INLINE_LAMBDA {
    using Set = decltype(set);
    all_seen ? score_rows<Set, true>(at, codes, rows, joint) : score_rows<Set, false>(at, codes, rows, joint);
  });
}

void note_unseen(const Layout& at, const std::uint32_t* codes, std::int64_t first, std::int64_t rows, Fault& fault) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < at.cols; ++c) {
      const std::uint32_t code = codes[r * at.cols + c];
      if (code != missing_code && code >= at.sizes[c]) fault.note(Trouble::unseen, first + r, c);
    }
  }
}

}  // namespace

Fault score_table(const Matrix& x, const TableModel& model, const CodeRules& rules, bool unseen_allowed,
                  const Output& output) {
  const std::int64_t cols = cols_of(x);
  const Layout at{model.prior.data(), model.table.data(),    model.starts.data(), model.sizes.data(), cols,
                  output.classes,     padded(output.classes)};
  constexpr std::int64_t block_cells = 1 << 12;
  const std::int64_t step = std::max<std::int64_t>(1, block_cells / cols);
  const std::int64_t fewest_states = *std::min_element(model.sizes.begin(), model.sizes.end());
  const Stripes cut = stripes(rows_of(x), cols, 0);
  std::vector<Fault> faults(static_cast<std::size_t>(cut.count));
  parallel_for(cut.count, [&](std::int64_t s) {
    Fault& fault = faults[static_cast<std::size_t>(s)];
    std::vector<std::uint32_t> codes(static_cast<std::size_t>(step * cols));
    std::vector<double> joint(static_cast<std::size_t>(step * at.width));
    std::vector<double> scratch;
    for (std::int64_t first = cut.begin(s); first < cut.end(s); first += step) {
      const std::int64_t rows = std::min(step, cut.end(s) - first);
      std::uint32_t largest = 0;
      const bool has_gaps = load_codes(x, first, first + rows, rules, scratch, codes.data(), &largest, fault);
      if (!unseen_allowed) note_unseen(at, codes.data(), first, rows, fault);
      if (fault) return;
      const bool all_seen = !has_gaps && largest < fewest_states;
      score_codes(at, all_seen, codes.data(), rows, joint.data());
      output.finish(first, rows, joint.data(), at.width);
    }
  });
  return earliest(faults);
}

}  // namespace deciban
