#include "infer/propagate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/at.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double log2_of_lowest(const double* values, Cells count) {
  double lowest = 1.0;
  for (Cells i = 0; i < count; ++i) lowest = values[i] > 0 && values[i] < lowest ? values[i] : lowest;
  return std::log2(lowest);
}

}  // namespace

Propagator::Propagator(const CliqueTree& tree, RawPages<double>& arena)
    : tree_(tree), live_(tree.cliques().size()), arena_(arena) {
  std::size_t axes = 0;
  for (const Clique& clique : tree.cliques()) axes += clique.axes.size();
  axes_.reserve(axes);
}

double Propagator::collect(const Row& row, Answer answer) {
  row_ = row;
  answer_ = answer;
  plan();
  double log_total = log_of_numbers();
  if (log_total == -infinity) return log_total;
  const auto send_all = [&](std::size_t group) {
    for (const std::size_t k : groups_[group]) {
      if (!live_[k].is_one) send(scratch_[group], k);
    }
  };
  parallel_for(static_cast<std::int64_t>(top_group()),
               [&](std::int64_t group) { send_all(static_cast<std::size_t>(group)); });
  send_all(top_group());
  for (const Live& live : live_) log_total += live.log;
  return log_total;
}

// Factors and likelihoods whose nodes are all observed.
double Propagator::log_of_numbers() const {
  double total = 0.0;
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    const auto is_known = [&](const Axis& axis) { return row_.codes[at(axis.node)] >= 0; };
    const Factor& factor = tree_.factor(static_cast<Node>(v));
    if (tree_.cards()[v] == 1 || !std::ranges::all_of(factor.axes, is_known)) continue;
    total += std::log(factor.value(row_.codes));
  }
  for (const Likelihood& seen : row_.likelihoods) {
    if (row_.codes[at(seen.node)] >= 0) total += std::log(seen.states[row_.codes[at(seen.node)]]);
  }
  return total;
}

// The slice of a factor at the observed states.
Propagator::Operand Propagator::slice(Scratch& scratch, Node v) const {
  const Factor& factor = tree_.factor(v);
  const std::size_t first = scratch.axes.size();
  const double* from = factor.given;
  Cells steps[Walk::most];
  for (std::size_t d = 0; d < factor.axes.size(); ++d) {
    const std::int32_t code = row_.codes[at(factor.axes[d].node)];
    if (code >= 0) {
      from += code * factor.steps[d];
      continue;
    }
    steps[scratch.axes.size() - first] = factor.steps[d];
    scratch.axes.push_back(factor.axes[d]);
  }
  const std::span<const Axis> axes = std::span(scratch.axes).subspan(first);
  const Cells cells = cells_of(axes);
  if (axes.size() == factor.axes.size() && !factor.ordered.empty()) {
    return {factor.ordered.data(), axes, cells, factor.lowest};
  }
  scratch.cells.resize(scratch.cells.size() + static_cast<std::size_t>(cells));
  double* const out = scratch.cells.data() + scratch.cells.size() - cells;
  copy_cells(axes, steps, from, out);
  return {out, axes, cells, factor.lowest};
}

// All tables that are multiplied into the table of a clique, the largest first.
void Propagator::gather(Scratch& scratch, std::size_t k) const {
  const Clique& clique = tree_.cliques()[k];
  scratch.operands.clear();
  scratch.axes.clear();
  scratch.cells.clear();
  std::size_t axes = row_.likelihoods.size();
  std::size_t cells = 0;
  for (const Node v : clique.factors) {
    axes += tree_.factor(v).axes.size();
    cells += static_cast<std::size_t>(cells_of(tree_.factor(v).axes));
  }
  scratch.axes.reserve(axes);  // operands point into both
  scratch.cells.reserve(cells);
  for (const Node v : clique.factors) {
    const Operand operand = slice(scratch, v);
    if (!operand.axes.empty()) scratch.operands.push_back(operand);
  }
  for (const Likelihood& seen : row_.likelihoods) {
    if (row_.codes[at(seen.node)] >= 0 || tree_.top(seen.node) != static_cast<std::int32_t>(k)) continue;
    const Axis axis{seen.node, tree_.cards()[at(seen.node)]};
    scratch.axes.push_back(axis);
    scratch.operands.push_back(
        {seen.states, std::span(scratch.axes).last(1), axis.size, log2_of_lowest(seen.states, axis.size)});
  }
  for (const std::int32_t child : clique.children) {
    if (live_[at(child)].is_one) continue;
    scratch.operands.push_back(
        {message_of(at(child)), shared_of(at(child)), live_[at(child)].shared, live_[at(child)].lowest});
  }
  std::ranges::stable_sort(scratch.operands, [](const Operand& a, const Operand& b) { return a.cells > b.cells; });
}

// Fills the table of a clique; returns the logarithm of the number that it was divided by.
double Propagator::fill(Scratch& scratch, std::size_t k) {
  gather(scratch, k);
  double lowest = 0.0;
  for (const Operand& operand : scratch.operands) lowest += operand.lowest;
  if (lowest < deepest) return fill_in_logs(scratch, k);
  double* const table = table_of(k);
  if (scratch.operands.empty()) std::fill_n(table, live_[k].cells, 1.0);
  for (std::size_t i = 0; i < scratch.operands.size(); ++i) {
    const Walk walk = walk_of(axes_of(k), scratch.operands[i].axes);
    i == 0 ? copy_in(walk, scratch.operands[i].table, table) : times_in(walk, scratch.operands[i].table, table);
  }
  return 0.0;
}

// Fills a table and sums it down to the nodes shared with the parent.
void Propagator::send(Scratch& scratch, std::size_t k) {
  Live& live = live_[k];
  live.log = fill(scratch, k);
  double* const message = message_of(k);
  const Walk walk = walk_of(axes_of(k), shared_of(k));
  answer_ == Answer::best ? most_down(walk, table_of(k), message) : sum_down(walk, table_of(k), message);
  live.scale = largest_of(message, live.shared);
  live.log = live.scale > 0 ? live.log + std::log(live.scale) : -infinity;
  if (live.scale > 0) scale(message, live.shared, 1.0 / live.scale);
  live.lowest = log2_of_lowest(message, live.shared);
}

void Propagator::distribute(const NodeTables* beliefs) {
  const auto receive_all = [&](std::size_t group) {
    for (std::size_t i = groups_[group].size(); i-- > 0;) receive(scratch_[group], groups_[group][i], beliefs);
  };
  receive_all(top_group());
  parallel_for(static_cast<std::int64_t>(top_group()),
               [&](std::int64_t group) { receive_all(static_cast<std::size_t>(group)); });
  if (beliefs == nullptr) return;
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    if (row_.codes[v] < 0) continue;
    double* const out = beliefs->values + beliefs->starts[v];
    std::fill_n(out, tree_.cards()[v], 0.0);
    out[row_.codes[v]] = 1.0;
  }
}

void Propagator::receive(Scratch& scratch, std::size_t k, const NodeTables* beliefs) {
  Live& live = live_[k];
  if (live.is_one) {
    const double shift = fill(scratch, k);
    if (shift != 0) scale(table_of(k), live.cells, std::exp(shift));
    live.scale = 1.0;
  }
  if (tree_.cliques()[k].parent >= 0) {
    correct(scratch, k, beliefs);
  } else {
    scale(table_of(k), live.cells, 1.0 / live.scale);
  }
  read_beliefs(table_of(k), axes_of(k), tree_.cliques()[k].read_here, beliefs);
}

// Replaces the clique's own message by the parent's belief of the shared nodes.
void Propagator::correct(Scratch& scratch, std::size_t k, const NodeTables* beliefs) {
  const Live& live = live_[k];
  const std::size_t parent = at(tree_.cliques()[k].parent);
  scratch.fresh.resize(std::max(scratch.fresh.size(), static_cast<std::size_t>(live.shared)));
  double* const fresh = scratch.fresh.data();
  sum_down(walk_of(axes_of(parent), shared_of(k)), table_of(parent), fresh);
  read_beliefs(fresh, shared_of(k), tree_.cliques()[k].read_shared, beliefs);
  if (!live.is_one) {
    const double* const message = message_of(k);
    for (Cells i = 0; i < live.shared; ++i) fresh[i] = message[i] > 0 ? fresh[i] / (message[i] * live.scale) : 0.0;
  }
  times_in(walk_of(axes_of(k), shared_of(k)), fresh, table_of(k));
}

void Propagator::read_beliefs(const double* table, std::span<const Axis> axes, std::span<const Node> nodes,
                              const NodeTables* beliefs) const {
  if (beliefs == nullptr) return;
  for (const Node v : nodes) {
    if (row_.codes[at(v)] >= 0) continue;
    const Axis axis{v, tree_.cards()[at(v)]};
    double* const out = beliefs->values + beliefs->starts[at(v)];
    sum_down(walk_of(axes, {&axis, 1}), table, out);
    double total = 0.0;
    for (std::int32_t s = 0; s < axis.size; ++s) total += out[s];
    scale(out, axis.size, 1.0 / total);
  }
}

}  // namespace deciban
