// Growing random trees: at each node the best, by Gini's impurity, of a few columns, each cut at random.
//
// The impurity is a sum of squares of whole numbers, so that the order of rows and classes does not change it.
#include <algorithm>
#include <numeric>

#include "forest/forest.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

// Numbers that follow from a seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15); }
  // Below n; the bias is below n / 2^32, and n is a number of rows, columns or states.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32);
  }

 private:
  std::uint64_t state_;
};

struct Split {
  std::int32_t column = -1;
  std::uint16_t low = 0, high = 0;
  std::uint8_t sides = 0;
  double score = -1.0;
};

struct Open {
  std::int32_t node;
  std::int64_t begin, end, depth;
  std::uint64_t seed;
};

constexpr std::int64_t shrinkage =
    4;  // of a label's class share towards the mean, in rows: rare labels lie in the middle

class TreeGrower {
 public:
  TreeGrower(const GrowRows& rows, const GrowRules& rules, std::int64_t tree)
      : rows_(rows), rules_(rules), seed_(seed_of_tree(rules.seed, tree)), classes_(at(rows.classes)) {
    for (std::int64_t r = 0; r < rows.states.rows; ++r) {
      if (is_in_bag(seed_, rows.keys[at(r)], rules.share)) order_.push_back(static_cast<std::uint32_t>(r));
    }
    spare_.resize(order_.size());
    rank_labels();
  }

  GrownForest grow() {
    add_node();
    std::vector<Open> open{{0, 0, static_cast<std::int64_t>(order_.size()), 0, mixed(seed_ ^ 1)}};
    while (!open.empty()) {
      const Open at_hand = open.back();
      open.pop_back();
      const Split split = best_split(at_hand);
      if (split.column < 0) continue;
      const std::int64_t middle = divide(at_hand, split);
      const auto left = static_cast<std::int32_t>(out_.columns.size());
      const std::size_t i = at(at_hand.node);
      out_.columns[i] = split.column;
      out_.low[i] = split.low;
      out_.high[i] = split.high;
      out_.left[i] = left;
      out_.sides[i] = split.sides;
      add_node();
      add_node();
      open.push_back({left, at_hand.begin, middle, at_hand.depth + 1, mixed(at_hand.seed ^ 2)});
      open.push_back({left + 1, middle, at_hand.end, at_hand.depth + 1, mixed(at_hand.seed ^ 3)});
    }
    return std::move(out_);
  }

 private:
  void add_node() {
    out_.columns.push_back(-1);
    out_.low.push_back(0);
    out_.high.push_back(0);
    out_.left.push_back(-1);
    out_.sides.push_back(0);
  }

  // Ranks the labels of each column by their mean of a random number that each class has.
  void rank_labels() {
    Draws draws(mixed(seed_ ^ 4));
    std::vector<std::uint64_t> number(classes_);
    for (auto& n : number) n = draws.next() >> 44;
    std::uint64_t all = 0, whole = 0;
    for (const std::uint32_t r : order_) {
      all += rows_.weights[r] * number[at(rows_.y[r])];
      whole += rows_.weights[r];
    }
    const double mean = whole > 0 ? static_cast<double>(all) / static_cast<double>(whole) : 0.0;
    std::vector<std::uint64_t> sums, weights;
    std::vector<double> score;
    std::vector<std::uint16_t> order;
    for (std::int64_t c = 0; c < rows_.states.columns; ++c) {
      rank_starts_.push_back(rows_.label_states[at(c)] > 0 ? static_cast<std::int64_t>(out_.ranks.size()) : -1);
      const std::size_t states = at(rows_.label_states[at(c)]);
      if (states == 0) continue;
      sums.assign(states, 0);
      weights.assign(states, 0);
      const std::uint16_t* codes = rows_.states.column(c);
      for (const std::uint32_t r : order_) {
        if (codes[r] >= states) continue;
        sums[codes[r]] += rows_.weights[r] * number[at(rows_.y[r])];
        weights[codes[r]] += rows_.weights[r];
      }
      score.resize(states);
      for (std::size_t s = 0; s < states; ++s) {
        score[s] = (static_cast<double>(sums[s]) + shrinkage * mean) / static_cast<double>(weights[s] + shrinkage);
      }
      order.resize(states);
      std::iota(order.begin(), order.end(), std::uint16_t{0});
      std::ranges::stable_sort(order, {}, [&](std::uint16_t s) { return score[s]; });
      const std::size_t start = out_.ranks.size();
      out_.ranks.resize(start + states);
      for (std::size_t k = 0; k < states; ++k) out_.ranks[start + order[k]] = static_cast<std::uint16_t>(k);
    }
  }

  std::uint16_t rank(std::int64_t column, std::uint16_t code) const {
    const std::int64_t start = rank_starts_[at(column)];
    return start < 0 || code == missing_state ? code : out_.ranks[at(start) + code];
  }

  Split best_split(const Open& node) {
    Split best;
    counts_.assign(classes_, 0);
    for (std::int64_t k = node.begin; k < node.end; ++k)
      counts_[at(rows_.y[order_[at(k)]])] += rows_.weights[order_[at(k)]];
    total_ = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    const bool is_pure = std::ranges::any_of(counts_, [&](std::uint64_t n) { return n == total_; });
    if (is_pure || node.depth >= rules_.max_depth || total_ < 2 * static_cast<std::uint64_t>(rules_.min_leaf)) {
      return best;
    }
    Draws draws(node.seed);
    const std::int64_t columns = rows_.states.columns;
    if (chosen_.empty()) chosen_.resize(at(columns));
    std::iota(chosen_.begin(), chosen_.end(), std::int32_t{0});
    std::int64_t tried = 0;
    for (std::int64_t k = 0; k < columns && tried < rules_.candidates; ++k) {
      std::swap(chosen_[at(k)], chosen_[at(k + draws.below(columns - k))]);
      const std::int32_t column = chosen_[at(k)];
      Split split;
      split.column = column;
      if (!draw_cut(node, draws, split)) continue;
      ++tried;
      rate(node, split);
      if (split.score > best.score) best = split;
    }
    return best;
  }

  // A random cut between the states of two rows; false where all rows have one state.
  bool draw_cut(const Open& node, Draws& draws, Split& split) const {
    const std::uint16_t* codes = rows_.states.column(split.column);
    const std::int64_t n = node.end - node.begin, first = draws.below(n), start = draws.below(n);
    const std::uint16_t a = codes[order_[at(node.begin + first)]];
    std::uint16_t b = a;
    for (std::int64_t k = 0; k < n && b == a; ++k) b = codes[order_[at(node.begin + (start + k) % n)]];
    if (a == b) return false;
    if (a == missing_state || b == missing_state) {  // missing or not
      split.low = 0;
      split.high = other_state;
      return true;
    }
    const bool is_labels = rows_.label_states[at(split.column)] > 0;
    const std::uint16_t of_a = rank(split.column, a), of_b = rank(split.column, b);
    if (is_labels && (draws.next() & 1) != 0) {  // one against the rest
      split.low = split.high = of_a;
      return true;
    }
    const auto [least, most] = std::minmax(of_a, of_b);
    split.low = 0;
    split.high = static_cast<std::uint16_t>(least + draws.below(most - least));
    return true;
  }

  // Gini: Σ_sides Σ_c n_c² / n, the larger the better; −1 where a side has too few rows.
  void rate(const Open& node, Split& split) {
    const std::uint16_t* codes = rows_.states.column(split.column);
    sides_.assign(3 * classes_, 0);  // left, right, missing
    for (std::int64_t k = node.begin; k < node.end; ++k) {
      const std::uint32_t r = order_[at(k)];
      const std::uint16_t of = rank(split.column, codes[r]);
      const std::size_t side = codes[r] == missing_state ? 2 : of < split.low || of > split.high ? 1 : 0;
      sides_[side * classes_ + at(rows_.y[r])] += rows_.weights[r];
    }
    const auto sum = [&](std::size_t side) {
      return std::accumulate(sides_.begin() + static_cast<std::ptrdiff_t>(side * classes_),
                             sides_.begin() + static_cast<std::ptrdiff_t>((side + 1) * classes_), std::uint64_t{0});
    };
    const std::uint64_t left = sum(0), right = sum(1), missing = sum(2);
    const double missing_left = score(left + missing, right, 0), missing_goes_right = score(left, right + missing, 1);
    const bool goes_right = missing_goes_right > missing_left || (missing == 0 && right > left);
    split.score = std::max(missing_left, missing_goes_right);
    const std::uint64_t all_right = right + (goes_right ? missing : 0);
    split.sides =
        static_cast<std::uint8_t>((goes_right ? missing_right : 0) | (2 * all_right > total_ ? other_right : 0));
  }

  double score(std::uint64_t left, std::uint64_t right, std::size_t side_of_missing) const {
    const auto least = static_cast<std::uint64_t>(rules_.min_leaf);
    if (left < least || right < least) return -1.0;
    std::uint64_t squares[2] = {0, 0};
    for (std::size_t c = 0; c < classes_; ++c) {
      const std::uint64_t of_missing = sides_[2 * classes_ + c];
      const std::uint64_t l = sides_[c] + (side_of_missing == 0 ? of_missing : 0);
      const std::uint64_t r = sides_[classes_ + c] + (side_of_missing == 1 ? of_missing : 0);
      squares[0] += l * l;
      squares[1] += r * r;
    }
    return static_cast<double>(squares[0]) / static_cast<double>(left) +
           static_cast<double>(squares[1]) / static_cast<double>(right);
  }

  // Rows of the left side first, each side in its order; returns where the right one begins.
  std::int64_t divide(const Open& node, const Split& split) {
    const std::uint16_t* codes = rows_.states.column(split.column);
    std::int64_t left = node.begin, right = 0;
    for (std::int64_t k = node.begin; k < node.end; ++k) {
      const std::uint32_t r = order_[at(k)];
      const std::uint16_t of = rank(split.column, codes[r]);
      const bool goes_right =
          codes[r] == missing_state ? (split.sides & missing_right) != 0 : of < split.low || of > split.high;
      if (goes_right) {
        spare_[at(right++)] = r;
      } else {
        order_[at(left++)] = r;
      }
    }
    std::copy_n(spare_.begin(), right, order_.begin() + left);
    return left;
  }

  const GrowRows& rows_;
  const GrowRules& rules_;
  std::uint64_t seed_;
  std::size_t classes_;
  std::uint64_t total_ = 0;
  std::vector<std::uint32_t> order_, spare_;
  std::vector<std::int64_t> rank_starts_;
  std::vector<std::uint64_t> counts_, sides_;
  std::vector<std::int32_t> chosen_;
  GrownForest out_;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

GrownForest grow_forest(const GrowRows& rows, const GrowRules& rules) {
  std::vector<GrownForest> trees(at(rules.trees));
  parallel_for(rules.trees, [&](std::int64_t t) { trees[at(t)] = TreeGrower(rows, rules, t).grow(); });
  GrownForest out;
  out.starts.push_back(0);
  for (GrownForest& tree : trees) {
    const auto before = static_cast<std::int32_t>(out.columns.size());
    for (std::int32_t& left : tree.left) left += left < 0 ? 0 : before;
    append(out.columns, tree.columns);
    append(out.low, tree.low);
    append(out.high, tree.high);
    append(out.left, tree.left);
    append(out.sides, tree.sides);
    append(out.ranks, tree.ranks);
    out.starts.push_back(static_cast<std::int64_t>(out.columns.size()));
    tree = {};
  }
  return out;
}

}  // namespace deciban
