// Gibbs sampling (Geman and Geman 1984): P(x | all others) is, up to its sum, P(x | parents) · Π P(child | its
// parents).
#include <algorithm>
#include <vector>

#include "run/at.hpp"
#include "run/interrupt.hpp"
#include "run/pool.hpp"
#include "sample/sample.hpp"

namespace deciban {
namespace {

constexpr double tiny = 1e-200;

// A table of which a node is an axis, and the stride of that axis.
struct Use {
  std::int64_t table;
  std::int64_t stride;
};

std::vector<std::vector<Use>> find_uses(const FlatNet& net) {
  std::vector<std::vector<Use>> uses(at(net.nodes()));
  for (std::int64_t node = 0; node < net.nodes(); ++node) uses[at(node)].push_back({node, 1});
  for (std::int64_t node = 0; node < net.nodes(); ++node) {
    std::int64_t stride = net.cards[at(node)];
    const auto parents = net.parents[at(node)];
    for (auto parent = parents.rbegin(); parent != parents.rend(); ++parent) {
      uses[at(*parent)].push_back({node, stride});
      stride *= net.cards[at(*parent)];
    }
  }
  return uses;
}

template <class T>
class Chain {
 public:
  Chain(const GibbsDraw<T>& draw, const std::vector<std::vector<Use>>& uses, std::int64_t number)
      : draw_(draw), uses_(uses), number_(number), cells_(draw.net.offsets.begin(), draw.net.offsets.end()) {
    const std::int64_t nodes = draw.net.nodes();
    const auto first = draw.first.subspan(at(number * nodes), at(nodes));
    row_.assign(first.begin(), first.end());
    const std::uint64_t seed = random_word(draw.seed, static_cast<std::uint64_t>(number));
    for (std::int64_t node = 0; node < nodes; ++node) {
      keys_.push_back(random_word(seed, static_cast<std::uint64_t>(node)));
      for (const Use& use : uses[at(node)]) cells_[at(use.table)] += row_[at(node)] * use.stride;
    }
    weights_.resize(at(std::ranges::max(draw.net.cards)));
  }

  void run() {
    std::int64_t sweep = 0;
    for (; sweep < draw_.burn_in; ++sweep) step(sweep);
    const std::int64_t all = draw_.rows * draw_.chains;
    for (std::int64_t r = 0; r < draw_.rows; ++r) {
      for (std::int64_t k = 0; k < draw_.thin; ++k) step(sweep++);
      for (std::int64_t node = 0; node < draw_.net.nodes(); ++node)
        draw_.codes[node * all + number_ * draw_.rows + r] = static_cast<T>(row_[at(node)]);
    }
  }

 private:
  void step(std::int64_t sweep) {
    check_interrupt();
    for (std::int64_t node = 0; node < draw_.net.nodes(); ++node)
      if (draw_.fixed[at(node)] < 0) redraw(node, random_unit(keys_[at(node)], static_cast<std::uint64_t>(sweep)));
  }

  void redraw(std::int64_t node, double u) {
    const std::int64_t card = draw_.net.cards[at(node)];
    const std::int64_t now = row_[at(node)];
    std::fill_n(weights_.begin(), card, 1.0);
    for (const Use& use : uses_[at(node)]) {
      const double* values = draw_.values.data() + cells_[at(use.table)] - now * use.stride;
      double largest = 0.0;
      for (std::int64_t s = 0; s < card; ++s) {
        weights_[at(s)] *= values[s * use.stride];
        largest = std::max(largest, weights_[at(s)]);
      }
      if (largest < tiny)
        for (std::int64_t s = 0; s < card; ++s) weights_[at(s)] /= largest;
    }
    double sum = 0.0;
    for (std::int64_t s = 0; s < card; ++s) sum += weights_[at(s)];
    const double end = u * sum;
    std::int64_t drawn = now;
    double below = 0.0;
    for (std::int64_t s = 0; s < card; ++s) {
      if (weights_[at(s)] <= 0.0) continue;
      drawn = s;
      below += weights_[at(s)];
      if (end < below) break;
    }
    row_[at(node)] = static_cast<std::int32_t>(drawn);
    for (const Use& use : uses_[at(node)]) cells_[at(use.table)] += (drawn - now) * use.stride;
  }

  const GibbsDraw<T>& draw_;
  const std::vector<std::vector<Use>>& uses_;
  std::int64_t number_;
  std::vector<std::int64_t> cells_;
  std::vector<std::int32_t> row_;
  std::vector<std::uint64_t> keys_;
  std::vector<double> weights_;
};

}  // namespace

template <class T>
void draw_gibbs(const GibbsDraw<T>& draw) {
  const auto uses = find_uses(draw.net);
  parallel_for(draw.chains, [&](std::int64_t chain) { Chain<T>(draw, uses, chain).run(); });
}

template void draw_gibbs(const GibbsDraw<std::int8_t>&);
template void draw_gibbs(const GibbsDraw<std::int16_t>&);
template void draw_gibbs(const GibbsDraw<std::int32_t>&);

}  // namespace deciban
