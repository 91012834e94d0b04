// Rows on their way down: counting where they end, and adding what the counts there say.
#include <algorithm>

#include "forest/forest.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 256;  // rows whose states stay in the cache while all trees are walked

}  // namespace

std::vector<std::uint16_t> by_rows(const StateColumns& states) {
  std::vector<std::uint16_t> out(states.codes.size());
  for (std::int64_t first = 0; first < states.rows; first += block) {
    const std::int64_t last = std::min(first + block, states.rows);
    for (std::int64_t c = 0; c < states.columns; ++c) {
      const std::uint16_t* column = states.column(c);
      for (std::int64_t r = first; r < last; ++r) out[at(r * states.columns + c)] = column[r];
    }
  }
  return out;
}

template <class N>
void count_ends(const Forest& forest, const StateColumns& rows, std::span<const std::int32_t> y,
                std::span<const double> weights, std::int64_t classes, std::span<N> out) {
  const std::vector<std::uint16_t> states = by_rows(rows);
  parallel_for(forest.trees(), [&](std::int64_t t) {  // a tree's cells are its own, and its rows come in order
    const TreeRanks ranks = ranks_of(forest, t);
    const auto root = static_cast<std::int32_t>(forest.starts[at(t)]);
    for (std::int64_t r = 0; r < rows.rows; ++r) {
      const std::uint16_t* row = states.data() + r * rows.columns;
      std::int32_t node = root;
      for (std::int32_t next = root; next >= 0; next = next_node(forest, node, row, ranks)) node = next;
      out[at(node * classes + y[at(r)])] += weights.empty() ? N{1} : static_cast<N>(weights[at(r)]);
    }
  });
}

template void count_ends(const Forest&, const StateColumns&, std::span<const std::int32_t>, std::span<const double>,
                         std::int64_t, std::span<std::int64_t>);
template void count_ends(const Forest&, const StateColumns&, std::span<const std::int32_t>, std::span<const double>,
                         std::int64_t, std::span<double>);

void add_ends(const Forest& forest, const StateColumns& rows, std::span<const double> table, std::int64_t classes,
              bool by_column, std::span<double> out) {
  const std::int64_t width = by_column ? rows.columns * classes : classes;
  const std::vector<std::uint16_t> states = by_rows(rows);
  parallel_for((rows.rows + block - 1) / block, [&](std::int64_t task) {
    const std::int64_t first = task * block, last = std::min(first + block, rows.rows);
    std::fill(out.begin() + first * width, out.begin() + last * width, 0.0);
    for (std::int64_t t = 0; t < forest.trees(); ++t) {
      const TreeRanks ranks = ranks_of(forest, t);
      const auto root = static_cast<std::int32_t>(forest.starts[at(t)]);
      for (std::int64_t r = first; r < last; ++r) {
        const std::uint16_t* row = states.data() + r * rows.columns;
        double* to = out.data() + r * width;
        std::int32_t node = root;
        for (std::int32_t next = next_node(forest, node, row, ranks); next >= 0;
             next = next_node(forest, node, row, ranks)) {
          if (by_column) {
            double* of_column = to + forest.columns[at(node)] * classes;
            const double *child = table.data() + next * classes, *parent = table.data() + node * classes;
            for (std::int64_t c = 0; c < classes; ++c) of_column[c] += child[c] - parent[c];
          }
          node = next;
        }
        if (by_column) continue;
        const double* end = table.data() + node * classes;
        for (std::int64_t c = 0; c < classes; ++c) to[c] += end[c];
      }
    }
  });
}

}  // namespace deciban
