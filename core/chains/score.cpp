#include <algorithm>
#include <array>

#include "chains/chains.hpp"
#include "count/cells.hpp"
#include "run/instruction_set.hpp"
#include "run/pool.hpp"
#include "score/averaged.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 512;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The entries of a chain, `width` apart, and where those of a block's rows are added: `out` is the first row's group,
// and rows lie `apart` doubles apart.
struct Entries {
  const double* table;
  const std::uint32_t* index;
  std::int64_t rows, classes, width, apart;
  double share;
  double* out;
};

// C: the number of classes where it is small, so that the loop over them is unrolled; 0 for any number.
template <std::int64_t C>
DECIBAN_INLINE void add_of_classes(const Entries& at) {
  const std::int64_t classes = C > 0 ? C : at.classes, width = C > 0 ? averaged_width(C) : at.width;
  for (std::int64_t r = 0; r < at.rows; ++r) {
    const double* entry = at.table + width * static_cast<std::int64_t>(at.index[r]);
    double* to = at.out + r * at.apart;
    for (std::int64_t c = 0; c < classes; ++c) to[c] += at.share * entry[c];
  }
}

void add_entries(const Entries& of_block) {
  on_instruction_set([at = of_block](auto) DECIBAN_INLINE_LAMBDA {
    switch (at.classes) {
      case 2: return add_of_classes<2>(at);
      case 3: return add_of_classes<3>(at);
      case 4: return add_of_classes<4>(at);
      case 5: return add_of_classes<5>(at);
      case 6: return add_of_classes<6>(at);
      case 7: return add_of_classes<7>(at);
      case 8: return add_of_classes<8>(at);
      default: return add_of_classes<0>(at);
    }
  });
}

}  // namespace

void add_chains(const CodeColumns& codes, const Chains& chains, const ChainScores& scores, std::span<double> out) {
  const std::int64_t classes = chains.classes, width = averaged_width(classes), apart = scores.group_count * classes;
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < chains.size(); ++i) starts.push_back(starts.back() + chains.padded_cells(i) * at(width));
  const std::int64_t blocks = (codes.rows + block - 1) / block;
  parallel_for(blocks, [&](std::int64_t task) {
    std::array<std::uint32_t, block> index;
    const std::int64_t begin = task * block, rows = std::min(block, codes.rows - begin);
    double* first = out.data() + begin * apart;
    std::fill_n(first, rows * apart, 0.0);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      index.fill(0);
      const auto columns = chains.columns[i];
      std::int64_t stride = 1;
      for (std::size_t k = columns.size(); k-- > 0; stride *= chains.sizes[at(columns[k])] + 1) {
        add_to_index(codes, columns[k], begin, rows, static_cast<std::uint32_t>(stride), index.data());
      }
      const double *table = scores.table.data() + starts[i], share = scores.shares[i];
      double* to = first + scores.groups[i] * classes;
      add_entries({table, index.data(), rows, classes, width, apart, share, to});
      if (scores.left.empty()) continue;
      const double* left = scores.left.data() + starts[i];
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t y = scores.y[at(begin + r)], entry = width * static_cast<std::int64_t>(index[at(r)]) + y;
        to[r * apart + y] += share * (left[entry] - table[entry]);
      }
    }
  });
}

}  // namespace deciban
