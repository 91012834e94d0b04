// Products of many or tiny numbers; expected counts and the best completion, which are read from the tables.
#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/propagate.hpp"
#include "run/at.hpp"
#include "run/ties.hpp"

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// Adds logarithms, and subtracts the largest sum before exponentials are taken.
double Propagator::fill_in_logs(const Scratch& scratch, std::size_t k) {
  double* const table = table_of(k);
  const Cells cells = live_[k].cells;
  std::fill_n(table, cells, 0.0);
  for (const Operand& operand : scratch.operands) {
    std::vector<double> logs(static_cast<std::size_t>(operand.cells));
    std::transform(operand.table, operand.table + operand.cells, logs.begin(), [](double p) { return std::log(p); });
    plus_in(walk_of(axes_of(k), operand.axes), logs.data(), table);
  }
  const double most = *std::max_element(table, table + cells);
  if (most == -infinity) {
    std::fill_n(table, cells, 0.0);
    return 0.0;
  }
  const double floor = deepest * std::log(2.0);
  for (Cells i = 0; i < cells; ++i) table[i] = table[i] - most < floor ? 0.0 : std::exp(table[i] - most);
  return most;
}

void Propagator::add_families(double weight, const NodeTables& counts) {
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    const Factor& factor = tree_.factor(static_cast<Node>(v));
    double* const out = counts.values + counts.starts[v];
    std::vector<Axis> open;
    std::vector<Cells> steps;
    Cells offset = 0;
    for (std::size_t d = 0; d < factor.axes.size(); ++d) {
      const std::int32_t code = row_.codes[at(factor.axes[d].node)];
      if (code >= 0) offset += code * factor.steps[d];
      if (code >= 0) continue;
      open.push_back(factor.axes[d]);
      steps.push_back(factor.steps[d]);
    }
    if (open.empty()) {
      out[offset] += weight;
      continue;
    }
    const std::size_t k = at(tree_.home(static_cast<Node>(v)));
    const Cells cells = cells_of(open);
    std::vector<double>& fresh = scratch_.front().fresh;
    fresh.resize(std::max(fresh.size(), static_cast<std::size_t>(cells)));
    sum_down(walk_of(axes_of(k), open), table_of(k), fresh.data());
    std::vector<std::int32_t> index(open.size(), 0);
    for (Cells i = 0; i < cells; ++i) {
      out[offset] += weight * fresh[static_cast<std::size_t>(i)];
      for (std::size_t d = open.size(); d-- > 0;) {
        offset += steps[d];
        if (++index[d] < open[d].size) break;
        offset -= steps[d] * index[d];
        index[d] = 0;
      }
    }
  }
}

// From the root down: given the states in its parent, a clique's own states are those of its largest entry.
void Propagator::read_best(std::int32_t* codes) const {
  std::ranges::copy(row_.codes, codes);
  for (std::size_t k = live_.size(); k-- > 0;) {
    const Live& live = live_[k];
    Cells above = 0;
    for (const Axis& axis : shared_of(k)) above = above * axis.size + codes[at(axis.node)];
    const double* const table = table_of(k);
    Cells best = 0;
    for (Cells i = 1; i < live.cells / live.shared; ++i) {
      if (exceeds(table[i * live.shared + above], table[best * live.shared + above], 0.0)) best = i;
    }
    for (std::size_t i = live.own; i-- > 0;) {
      const Axis axis = axes_of(k)[i];
      codes[at(axis.node)] = static_cast<std::int32_t>(best % axis.size);
      best /= axis.size;
    }
  }
}

// From the root down, as above: a clique's own states are drawn in proportion to its entries.
void Propagator::read_draw(const std::function<double(std::size_t)>& unit, std::int32_t* codes) const {
  std::ranges::copy(row_.codes, codes);
  for (std::size_t k = live_.size(); k-- > 0;) {
    const Live& live = live_[k];
    Cells above = 0;
    for (const Axis& axis : shared_of(k)) above = above * axis.size + codes[at(axis.node)];
    const double* const table = table_of(k) + above;
    const Cells count = live.cells / live.shared;
    double total = 0.0;
    for (Cells i = 0; i < count; ++i) total += table[i * live.shared];
    const double end = unit(k) * total;
    Cells drawn = 0;
    double below = 0.0;
    for (Cells i = 0; i < count; ++i) {
      const double share = table[i * live.shared];
      if (share <= 0.0) continue;
      drawn = i;  // the last possible one where rounding leaves the sum below its end
      below += share;
      if (end < below) break;
    }
    for (std::size_t i = live.own; i-- > 0;) {
      const Axis axis = axes_of(k)[i];
      codes[at(axis.node)] = static_cast<std::int32_t>(drawn % axis.size);
      drawn /= axis.size;
    }
  }
}

double Propagator::log_joint(std::span<const std::int32_t> codes) const {
  double total = 0.0;
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    total += std::log(tree_.factor(static_cast<Node>(v)).value(codes));
  }
  for (const Likelihood& seen : row_.likelihoods) total += std::log(seen.states[codes[at(seen.node)]]);
  return total;
}

}  // namespace deciban
