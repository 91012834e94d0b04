// Exact inference in a Bayes net.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "infer/inference.hpp"

namespace deciban::bind {
namespace {

using CodeRows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<std::vector<Node>> scopes_of(const Labels& cards, const Sizes& starts, const Labels& members,
                                         std::size_t most_cells) {
  const std::size_t nodes = cards.size();
  const RaggedList<std::int32_t> families{span_of(starts), span_of(members)};
  check_ragged(families, nodes, "a member is no node");
  require(families.size() == nodes, "there must be one list of members a node");
  std::vector<std::vector<Node>> scopes(nodes);
  std::size_t total = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    require(families.length(v) > 0, "a family has no member");
    std::size_t cells = 1;
    for (const std::int32_t member : families[v]) {
      scopes[v].push_back(member);
      cells *= size(cards.data()[member]);
      require(cells <= most_cells && cells < 0x7FFFFFFF, "the tables are too short");
    }
    total += cells;
  }
  require(total == most_cells, "the tables are not as long as their shapes say");
  return scopes;
}

// The net, compiled; the tables are copied, so that it depends on no array.
std::unique_ptr<Inference> compile(const Labels& cards, const Sizes& starts, const Labels& members,
                                   const Doubles& tables) {
  require(std::ranges::all_of(span_of(cards), [](std::int32_t n) { return n > 0; }), "a node has no state");
  auto scopes = scopes_of(cards, starts, members, tables.size());
  return without_gil(
      [&] { return std::make_unique<Inference>(span_of(cards), std::move(scopes), span_of(tables), Effort{}); });
}

std::unique_ptr<Inference> with_tables(const Inference& net, const Doubles& tables) {
  require(tables.size() == net.table_cells(), "the tables are not as long as their shapes say");
  return without_gil([&] { return std::make_unique<Inference>(net, span_of(tables)); });
}

// (number of cliques, entries of all tables, entries of the largest, its nodes)
nb::tuple cost_of(const Inference& net) {
  double cells = 0.0;
  const Clique* largest = nullptr;
  for (const Clique& clique : net.tree().cliques()) {
    cells += clique.cells + (clique.parent < 0 ? 0.0 : clique.shared);
    if (largest == nullptr || clique.cells > largest->cells) largest = &clique;
  }
  nb::list nodes;
  if (largest != nullptr) {
    for (const Axis& axis : largest->axes) nodes.append(axis.node);
  }
  return nb::make_tuple(net.tree().cliques().size(), cells, largest == nullptr ? 0.0 : largest->cells, nodes);
}

Evidence evidence_of(const Inference& net, const CodeRows& codes, const nb::dict& likelihoods) {
  const std::span<const std::int32_t> cards = net.tree().cards();
  require(codes.shape(1) == cards.size(), "there must be one column a node");
  Evidence evidence{span_of(codes), static_cast<std::int64_t>(codes.shape(0)), {}};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    require(evidence.codes[i] >= -1 && evidence.codes[i] < cards[i % cards.size()], "a code is no state of its node");
  }
  for (const auto& [key, value] : likelihoods) {
    const auto node = nb::cast<std::int32_t>(key);
    const auto table = nb::cast<Table>(value, false);
    require(node >= 0 && size(node) < cards.size(), "a likelihood is of no node");
    require(table.shape(0) == codes.shape(0) && table.shape(1) == size(cards[size(node)]),
            "a likelihood must be rows × states");
    evidence.soft.push_back({node, table.data()});
  }
  return evidence;
}

nb::tuple beliefs_of(const Inference& net, const CodeRows& codes, const nb::dict& likelihoods) {
  const Evidence evidence = evidence_of(net, codes, likelihoods);
  Beliefs out = without_gil([&] { return net.beliefs(evidence); });
  const std::size_t rows = out.logs.size();
  std::size_t states = 0;
  for (const std::int32_t card : net.tree().cards()) states += size(card);
  return nb::make_tuple(to_numpy(std::move(out.logs), {rows}), to_numpy(std::move(out.values), {rows, states}));
}

nb::object log_probability_of(const Inference& net, const CodeRows& codes, const nb::dict& likelihoods) {
  const Evidence evidence = evidence_of(net, codes, likelihoods);
  return to_numpy(without_gil([&] { return net.log_probability(evidence); }), {codes.shape(0)});
}

nb::tuple best_of(const Inference& net, const CodeRows& codes, const nb::dict& likelihoods) {
  const Evidence evidence = evidence_of(net, codes, likelihoods);
  Completions out = without_gil([&] { return net.best(evidence); });
  return nb::make_tuple(to_numpy(std::move(out.codes), {codes.shape(0), codes.shape(1)}),
                        to_numpy(std::move(out.logs), {codes.shape(0)}));
}

nb::tuple draws_of(const Inference& net, const CodeRows& codes, std::int64_t count, std::uint64_t seed) {
  const Evidence evidence = evidence_of(net, codes, {});
  require(count > 0, "there must be a draw");
  Completions out = without_gil([&] { return net.draws(evidence, count, seed); });
  return nb::make_tuple(to_numpy(std::move(out.codes), {codes.shape(0), size(count), codes.shape(1)}),
                        to_numpy(std::move(out.logs), {codes.shape(0)}));
}

nb::tuple expected_of(const Inference& net, const CodeRows& codes, const std::optional<Doubles>& weights) {
  const Evidence evidence = evidence_of(net, codes, {});
  require(!weights || weights->size() == codes.shape(0), "there must be one weight a row");
  Expected out = without_gil([&] { return net.expected(evidence, span_of(weights)); });
  const std::size_t cells = out.counts.size();
  return nb::make_tuple(to_numpy(std::move(out.counts), {cells}), out.log_likelihood);
}

}  // namespace

void bind_infer(nb::module_& m) {
  using nb::arg;
  nb::class_<Inference>(m, "Inference")
      .def(nb::new_(&compile), arg("cards"), arg("starts"), arg("members"), arg("tables"))
      .def("with_tables", &with_tables, arg("tables"))
      .def("cost", &cost_of)
      .def("set_most_workers", &Inference::set_most_workers, arg("count"))
      .def("beliefs", &beliefs_of, arg("codes"), arg("likelihoods"))
      .def("log_probability", &log_probability_of, arg("codes"), arg("likelihoods"))
      .def("best", &best_of, arg("codes"), arg("likelihoods"))
      .def("draws", &draws_of, arg("codes"), arg("count"), arg("seed"))
      .def("expected", &expected_of, arg("codes"), arg("weights").none());
}

}  // namespace deciban::bind
