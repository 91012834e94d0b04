// What is read from the tables of a row, beside beliefs: expected counts and the best completion.
#include <algorithm>
#include <cmath>

#include "propagate.hpp"

namespace deciban {
namespace {

std::size_t at(std::int32_t v) {
  return static_cast<std::size_t>(v);
}

}  // namespace

void Propagator::add_families(double weight, const Places& counts) {
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    const Factor& factor = tree_.factor(static_cast<Node>(v));
    double* const out = counts.values + counts.starts[v];
    std::vector<Axis> open;
    std::vector<Cells> steps;
    Cells place = 0;
    for (std::size_t d = 0; d < factor.axes.size(); ++d) {
      const std::int32_t code = row_.codes[at(factor.axes[d].node)];
      if (code >= 0) place += code * factor.given[d];
      if (code >= 0) continue;
      open.push_back(factor.axes[d]);
      steps.push_back(factor.given[d]);
    }
    if (open.empty()) {
      out[place] += weight;
      continue;
    }
    const std::size_t k = at(tree_.home(static_cast<Node>(v)));
    const Cells cells = cells_of(open);
    fresh_.resize(std::max(fresh_.size(), static_cast<std::size_t>(cells)));
    sum_down(walk_of(axes_of(k), open), table_of(k), fresh_.data());
    std::vector<std::int32_t> index(open.size(), 0);
    for (Cells i = 0; i < cells; ++i) {
      out[place] += weight * fresh_[static_cast<std::size_t>(i)];
      for (std::size_t d = open.size(); d-- > 0;) {
        place += steps[d];
        if (++index[d] < open[d].size) break;
        place -= steps[d] * index[d];
        index[d] = 0;
      }
    }
  }
}

// From the top: given the states above, a clique's own states are those of its largest entry.
void Propagator::read_best(std::int32_t* codes) const {
  std::ranges::copy(row_.codes, codes);
  for (std::size_t k = live_.size(); k-- > 0;) {
    const Live& live = live_[k];
    Cells above = 0;
    for (const Axis& axis : shared_of(k)) above = above * axis.size + codes[at(axis.node)];
    const double* const table = table_of(k);
    Cells best = 0;
    for (Cells i = 1; i < live.cells / live.shared; ++i) {
      if (table[i * live.shared + above] > table[best * live.shared + above]) best = i;
    }
    for (std::size_t i = live.own; i-- > 0;) {
      const Axis axis = axes_of(k)[i];
      codes[at(axis.node)] = static_cast<std::int32_t>(best % axis.size);
      best /= axis.size;
    }
  }
}

double Propagator::log_joint(std::span<const std::int32_t> codes) const {
  double total = 0.0;
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    const Factor& factor = tree_.factor(static_cast<Node>(v));
    std::size_t place = 0;
    for (const Axis& axis : factor.axes) place = place * at(axis.size) + at(codes[at(axis.node)]);
    total += std::log(factor.table[place]);
  }
  for (const Likelihood& seen : row_.likelihoods) total += std::log(seen.states[codes[at(seen.node)]]);
  return total;
}

}  // namespace deciban
