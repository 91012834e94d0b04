#include "propagate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(std::int32_t v) {
  return static_cast<std::size_t>(v);
}

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
  for (std::size_t k = 0; k < live_.size() && log_total > -infinity; ++k) {
    if (!live_[k].is_silent && !send(k, log_total)) return -infinity;
  }
  return log_total;
}

// Factors and likelihoods of which nothing is open.
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

void Propagator::plan() {
  axes_.clear();
  for (std::size_t k = 0; k < live_.size(); ++k) {
    live_[k] = {};
    open_axes(k);
  }
  find_evidence();
  find_silent();
  const std::size_t needed = place_tables();
  if (arena_.size() < needed) {
    arena_ = {};
    arena_ = RawPages<double>(needed);
  }
}

void Propagator::find_evidence() {
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    if (row_.codes[v] >= 0 && tree_.cards()[v] > 1 && tree_.top(static_cast<Node>(v)) >= 0) {
      live_[at(tree_.top(static_cast<Node>(v)))].has_evidence = true;
    }
  }
  for (const Likelihood& seen : row_.likelihoods) {
    if (row_.codes[at(seen.node)] < 0) live_[at(tree_.top(seen.node))].has_evidence = true;
  }
  for (std::size_t k = 0; k < live_.size(); ++k) {
    const std::int32_t parent = tree_.cliques()[k].parent;
    if (parent >= 0 && live_[k].has_evidence) live_[at(parent)].has_evidence = true;
  }
}

void Propagator::open_axes(std::size_t k) {
  constexpr double most_cells = 0x1p44;
  const Clique& clique = tree_.cliques()[k];
  Live& live = live_[k];
  live.first = axes_.size();
  double cells = 1.0;
  for (std::size_t i = 0; i < clique.axes.size(); ++i) {
    const Axis axis = clique.axes[i];
    if (row_.codes[at(axis.node)] >= 0) continue;
    axes_.push_back(axis);
    ++live.count;
    if (i < clique.own) ++live.own;
    cells *= axis.size;
  }
  if (cells > most_cells) throw std::bad_alloc();
  live.cells = cells_of(axes_of(k));
  live.shared = cells_of(shared_of(k));
}

// Messages, then tables: all of them where they are read again, else one after the other in the same place.
std::size_t Propagator::place_tables() {
  std::size_t end = 0;
  for (Live& live : live_) {
    live.message = end;
    end += static_cast<std::size_t>(live.shared);
  }
  const std::size_t first = end;
  for (Live& live : live_) {
    const auto cells = static_cast<std::size_t>(live.cells);
    live.table = answer_ == Answer::probability ? first : end;
    end = answer_ == Answer::probability ? std::max(end, first + cells) : end + cells;
  }
  return end;
}

// For P(e) alone, nothing below a message of 1 need be known either.
void Propagator::find_silent() {
  if (answer_ == Answer::best) return;
  for (std::size_t k = live_.size(); k-- > 0;) {
    const Clique& clique = tree_.cliques()[k];
    const bool is_below = answer_ == Answer::probability && clique.parent >= 0 && live_[at(clique.parent)].is_silent;
    const bool sums = answer_ == Answer::probability ? clique.sums_to_one : clique.all_sum_to_one;
    live_[k].is_silent = is_below || (sums && !live_[k].has_evidence);
  }
}

// A factor with the observed states cut out of it.
Propagator::Operand Propagator::cut(Node v) {
  const Factor& factor = tree_.factor(v);
  const std::size_t first = cut_axes_.size();
  const double* from = factor.given;
  Cells steps[Walk::most];
  for (std::size_t d = 0; d < factor.axes.size(); ++d) {
    const std::int32_t code = row_.codes[at(factor.axes[d].node)];
    if (code >= 0) {
      from += code * factor.steps[d];
      continue;
    }
    steps[cut_axes_.size() - first] = factor.steps[d];
    cut_axes_.push_back(factor.axes[d]);
  }
  const std::span<const Axis> axes = std::span(cut_axes_).subspan(first);
  const Cells cells = cells_of(axes);
  if (axes.size() == factor.axes.size() && !factor.ordered.empty()) {
    return {factor.ordered.data(), axes, cells, factor.lowest};
  }
  cut_cells_.resize(cut_cells_.size() + static_cast<std::size_t>(cells));
  double* const out = cut_cells_.data() + cut_cells_.size() - cells;
  copy_cells(axes, steps, from, out);
  return {out, axes, cells, factor.lowest};
}

// All that is multiplied into the table of a clique, the largest first.
void Propagator::gather(std::size_t k) {
  const Clique& clique = tree_.cliques()[k];
  operands_.clear();
  cut_axes_.clear();
  cut_cells_.clear();
  std::size_t axes = row_.likelihoods.size();
  std::size_t cells = 0;
  for (const Node v : clique.factors) {
    axes += tree_.factor(v).axes.size();
    cells += static_cast<std::size_t>(cells_of(tree_.factor(v).axes));
  }
  cut_axes_.reserve(axes);  // operands point into both
  cut_cells_.reserve(cells);
  for (const Node v : clique.factors) {
    const Operand operand = cut(v);
    if (!operand.axes.empty()) operands_.push_back(operand);
  }
  for (const Likelihood& seen : row_.likelihoods) {
    if (row_.codes[at(seen.node)] >= 0 || tree_.top(seen.node) != static_cast<std::int32_t>(k)) continue;
    const Axis axis{seen.node, tree_.cards()[at(seen.node)]};
    cut_axes_.push_back(axis);
    operands_.push_back({seen.states, std::span(cut_axes_).last(1), axis.size, log2_of_lowest(seen.states, axis.size)});
  }
  for (const std::int32_t child : clique.children) {
    if (live_[at(child)].is_silent) continue;
    operands_.push_back(
        {message_of(at(child)), shared_of(at(child)), live_[at(child)].shared, live_[at(child)].lowest});
  }
  std::ranges::stable_sort(operands_, [](const Operand& a, const Operand& b) { return a.cells > b.cells; });
}

// The product of what a clique is given; the logarithm of what it was divided by.
double Propagator::fill(std::size_t k) {
  gather(k);
  double lowest = 0.0;
  for (const Operand& operand : operands_) lowest += operand.lowest;
  if (lowest < deepest) return fill_in_logs(k);
  double* const table = table_of(k);
  if (operands_.empty()) std::fill_n(table, live_[k].cells, 1.0);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const Walk walk = walk_of(axes_of(k), operands_[i].axes);
    i == 0 ? copy_in(walk, operands_[i].table, table) : times_in(walk, operands_[i].table, table);
  }
  return 0.0;
}

// Fills a table and sums it down to what the parent shares; false where nothing is possible.
bool Propagator::send(std::size_t k, double& log_total) {
  log_total += fill(k);
  Live& live = live_[k];
  double* const message = message_of(k);
  const Walk walk = walk_of(axes_of(k), shared_of(k));
  answer_ == Answer::best ? most_down(walk, table_of(k), message) : sum_down(walk, table_of(k), message);
  live.scale = largest_of(message, live.shared);
  if (!(live.scale > 0)) return false;
  log_total += std::log(live.scale);
  scale(message, live.shared, 1.0 / live.scale);
  live.lowest = log2_of_lowest(message, live.shared);
  return true;
}

void Propagator::distribute(const Places* beliefs) {
  for (std::size_t k = live_.size(); k-- > 0;) {
    if (tree_.cliques()[k].parent >= 0) {
      receive(k, beliefs);
    } else if (live_[k].is_silent) {
      const double shift = fill(k);
      if (shift != 0) scale(table_of(k), live_[k].cells, std::exp(shift));
    } else {
      scale(table_of(k), live_[k].cells, 1.0 / live_[k].scale);
    }
    show(table_of(k), axes_of(k), tree_.cliques()[k].shown, beliefs);
  }
  if (beliefs == nullptr) return;
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    if (row_.codes[v] < 0) continue;
    double* const out = beliefs->values + beliefs->starts[v];
    std::fill_n(out, tree_.cards()[v], 0.0);
    out[row_.codes[v]] = 1.0;
  }
}

// The parent's belief of what is shared takes the place of what the clique had said of it.
void Propagator::receive(std::size_t k, const Places* beliefs) {
  const Live& live = live_[k];
  const std::size_t parent = at(tree_.cliques()[k].parent);
  fresh_.resize(std::max(fresh_.size(), static_cast<std::size_t>(live.shared)));
  sum_down(walk_of(axes_of(parent), shared_of(k)), table_of(parent), fresh_.data());
  show(fresh_.data(), shared_of(k), tree_.cliques()[k].shown_shared, beliefs);
  if (live_[k].is_silent) {
    const double shift = fill(k);
    if (shift != 0) scale(table_of(k), live.cells, std::exp(shift));
  } else {
    const double* const message = message_of(k);
    for (Cells i = 0; i < live.shared; ++i) {
      fresh_[static_cast<std::size_t>(i)] =
          message[i] > 0 ? fresh_[static_cast<std::size_t>(i)] / (message[i] * live.scale) : 0.0;
    }
  }
  times_in(walk_of(axes_of(k), shared_of(k)), fresh_.data(), table_of(k));
}

void Propagator::show(const double* table, std::span<const Axis> axes, std::span<const Node> nodes,
                      const Places* beliefs) {
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
