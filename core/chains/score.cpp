#include <algorithm>
#include <array>

#include "chains/chains.hpp"
#include "count/cells.hpp"
#include "run/compiler.hpp"
#include "run/pool.hpp"
#include "score/averaged.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 512;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// Adds one chain's entries to the rows of a block: `out` is the first row's group, and rows lie `apart` doubles apart.
DECIBAN_CLONES void add_entries(const double* table, const std::uint32_t* index, std::int64_t rows,
                                std::int64_t classes, std::int64_t width, double share, std::int64_t apart,
                                double* out) {
  if (classes == 2) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const double* entry = table + 2 * static_cast<std::int64_t>(index[r]);
      out[r * apart] += share * entry[0];
      out[r * apart + 1] += share * entry[1];
    }
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    const double* entry = table + width * static_cast<std::int64_t>(index[r]);
    double* to = out + r * apart;
    for (std::int64_t c = 0; c < classes; ++c) to[c] += share * entry[c];
  }
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
      add_entries(table, index.data(), rows, classes, width, share, apart, to);
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
