// What the trees say of counted rows, each as if it had not been counted, and the strengths of smoothing by it.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "forest/forest.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

// What is left of a count; 0 where rounding alone would leave something.
double left_of(double count, double own) {
  const double left = count - own;
  return left <= 1e-9 * count ? 0.0 : left;
}

// A row on its way down a tree: P(its class) so far.
struct Pair {
  std::int32_t row, tree, node;
  double chance, count, whole;
};

constexpr std::array<double, 13> grid{0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
constexpr int together = 8;  // factors, each between 10^-30 and 1, of which one logarithm is taken

double log_likelihood(const std::vector<Pair>& pairs, std::span<const double> importance, double s) {
  double sum = 0.0, product = 1.0;
  int factors = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    product *= std::max((pair.count + s * pair.chance) / (pair.whole + s), 1e-30);
    if (++factors < together && i + 1 < pairs.size() && pairs[i + 1].row == pair.row) continue;
    sum += importance[at(pair.row)] * std::log(product);
    product = 1.0;
    factors = 0;
  }
  return sum;
}

std::vector<double> totals_of(std::span<const double> counts, std::int64_t classes) {
  std::vector<double> out(counts.size() / at(classes));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto of_node = counts.subspan(i * at(classes), at(classes));
    out[i] = std::accumulate(of_node.begin(), of_node.end(), 0.0);
  }
  return out;
}

std::vector<std::int32_t> trees_without(const Forest& forest, std::uint64_t key) {
  std::vector<std::int32_t> out;
  for (std::int64_t t = 0; t < forest.trees(); ++t) {
    if (!is_in_bag(seed_of_tree(forest.seed, t), key, forest.share)) out.push_back(static_cast<std::int32_t>(t));
  }
  if (out.empty()) {  // grown with the row, all of them: better than none
    for (std::int64_t t = 0; t < forest.trees(); ++t) out.push_back(static_cast<std::int32_t>(t));
  }
  return out;
}

}  // namespace

std::vector<double> depth_strengths(const Forest& forest, const CountedRows& rows, std::span<const double> counts,
                                    std::int64_t classes, std::int64_t depths) {
  const std::vector<std::uint16_t> states = by_rows(rows.states);
  const std::vector<double> totals = totals_of(counts, classes);
  std::vector<Pair> pairs;
  for (std::int64_t r = 0; r < rows.states.rows; ++r) {
    for (const std::int32_t t : trees_without(forest, rows.keys[at(r)])) {
      const auto root = static_cast<std::int32_t>(forest.starts[at(t)]);
      const double own = rows.own[at(r)], count = left_of(counts[at(root * classes + rows.y[at(r)])], own);
      const double chance = (count + 1.0 / static_cast<double>(classes)) / (left_of(totals[at(root)], own) + 1.0);
      pairs.push_back({static_cast<std::int32_t>(r), t, root, chance, 0.0, 0.0});
    }
  }
  std::vector<double> out;
  for (std::int64_t depth = 0; depth < depths; ++depth) {
    std::erase_if(pairs, [&](Pair& pair) {
      const std::uint16_t* row = states.data() + pair.row * rows.states.columns;
      pair.node = next_node(forest, pair.node, row, ranks_of(forest, pair.tree));
      if (pair.node < 0) return true;
      const double own = rows.own[at(pair.row)];
      pair.count = left_of(counts[at(pair.node * classes + rows.y[at(pair.row)])], own);
      pair.whole = left_of(totals[at(pair.node)], own);
      return false;
    });
    double best = out.empty() ? grid[3] : out.back();  // where no row comes, as above
    if (!pairs.empty()) {
      std::array<double, grid.size()> found{};
      parallel_for(static_cast<std::int64_t>(grid.size()),
                   [&](std::int64_t k) { found[at(k)] = log_likelihood(pairs, rows.importance, grid[at(k)]); });
      best = grid[static_cast<std::size_t>(std::ranges::max_element(found) - found.begin())];
    }
    out.push_back(best);
    for (Pair& pair : pairs) pair.chance = (pair.count + best * pair.chance) / (pair.whole + best);
  }
  return out;
}

void score_left_out(const Forest& forest, const CountedRows& rows, std::span<const double> counts, std::int64_t classes,
                    std::span<const double> strengths, std::span<double> out) {
  const std::vector<std::uint16_t> states = by_rows(rows.states);
  const std::vector<double> totals = totals_of(counts, classes);
  constexpr std::int64_t block = 64;
  parallel_for((rows.states.rows + block - 1) / block, [&](std::int64_t task) {
    const std::int64_t first = task * block, last = std::min(first + block, rows.states.rows);
    std::vector<double> chance(at(classes)), root(at(classes));
    for (std::int64_t r = first; r < last; ++r) {
      const std::uint16_t* row = states.data() + r * rows.states.columns;
      const std::int32_t y = rows.y[at(r)];
      const double own = rows.own[at(r)];
      double* to = out.data() + r * classes;
      std::fill_n(to, classes, 0.0);
      // From the probabilities of the parent to those of a node.
      const auto pass = [&](std::int64_t node, double s) {
        const double *of_node = counts.data() + node * classes, whole = left_of(totals[at(node)], own) + s;
        const double of_y = (left_of(of_node[y], own) + s * chance[at(y)]) / whole;
        for (std::int64_t c = 0; c < classes; ++c) chance[at(c)] = (of_node[c] + s * chance[at(c)]) / whole;
        chance[at(y)] = of_y;
      };
      std::fill(chance.begin(), chance.end(), 1.0 / static_cast<double>(classes));
      pass(forest.starts.front(), 1.0);
      root = chance;  // all rows pass the root of every tree
      const std::vector<std::int32_t> trees = trees_without(forest, rows.keys[at(r)]);
      for (const std::int32_t t : trees) {
        const TreeRanks ranks = ranks_of(forest, t);
        chance = root;
        auto node = static_cast<std::int32_t>(forest.starts[at(t)]);
        for (std::size_t depth = 0; (node = next_node(forest, node, row, ranks)) >= 0; ++depth) {
          pass(node, strengths[std::min(depth, strengths.size() - 1)]);
        }
        for (std::int64_t c = 0; c < classes; ++c) to[c] += chance[at(c)];
      }
      const auto count = static_cast<double>(trees.size());
      for (std::int64_t c = 0; c < classes; ++c) to[c] = std::log(to[c] / count) - std::log(root[at(c)]);
    }
  });
}

}  // namespace deciban
