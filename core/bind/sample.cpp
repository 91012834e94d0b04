// Rows drawn from a Bayes net.
#include "sample/sample.hpp"

#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"

namespace deciban::bind {
namespace {

// Orders, sizes and indices are checked once, here.
struct NetArrays {
  const Sizes& cards;
  const Sizes& starts;
  const Sizes& parents;
  const Sizes& offsets;

  FlatNet checked(const Labels& fixed, std::size_t cells) const {
    const FlatNet net{span_of(cards), {span_of(starts), span_of(parents)}, span_of(offsets)};
    check_ragged(net.parents, cards.size(), "a parent is no node");
    require(net.nodes() > 0 && net.parents.size() == cards.size() && offsets.size() == cards.size() &&
                fixed.size() == cards.size(),
            "there must be one size, list of parents, offset and fixed state a node");
    require(std::ranges::all_of(net.cards, [](std::int64_t c) { return c > 0 && c <= 0x7FFFFFFF; }),
            "a node has no states");
    for (std::size_t i = 0; i < cards.size(); ++i) {
      std::int64_t rows = 1;
      for (const std::int64_t parent : net.parents[i]) rows *= net.cards[size(parent)];
      require(rows * net.cards[i] <= 0x7FFFFFFF, "a table has more than 2^31 entries");
      require(net.offsets[i] >= 0 && size(net.offsets[i] + rows * net.cards[i]) <= cells, "a table is too short");
      require(fixed.data()[i] < net.cards[i], "a fixed state is outside the node's states");
    }
    return net;
  }
};

// Calls `run` with a vector of the narrowest codes that hold every state, and hands it to numpy.
template <class F>
nb::object with_codes(const FlatNet& net, std::int64_t rows, F&& run) {
  const std::int64_t most = std::ranges::max(net.cards);
  const auto made = [&]<class T>(T) {
    std::vector<T> codes(net.cards.size() * size(rows));
    without_gil([&] {
      run(codes.data());
      return 0;
    });
    return to_numpy(std::move(codes), {net.cards.size(), size(rows)});
  };
  if (most <= 1 << 7) return made(std::int8_t{});
  return most <= 1 << 15 ? made(std::int16_t{}) : made(std::int32_t{});
}

nb::tuple draw_forward_of(const Sizes& cards, const Sizes& starts, const Sizes& parents, const Sizes& offsets,
                          const Sizes& order, const Labels& fixed, const Doubles& ends, const Doubles& logs,
                          std::uint64_t seed, std::int64_t rows) {
  const FlatNet net = NetArrays{cards, starts, parents, offsets}.checked(fixed, ends.size());
  require(rows >= 0, "the number of rows is negative");
  require(logs.size() == 0 || logs.size() == ends.size(), "there must be as many logs as ends");
  std::vector<bool> is_drawn(cards.size());
  for (const std::int64_t node : span_of(order)) {
    require(node >= 0 && node < net.nodes() && !is_drawn[size(node)], "the order names a node twice, or none");
    for (const std::int64_t parent : net.parents[size(node)])
      require(is_drawn[size(parent)], "a node comes before its parent");
    is_drawn[size(node)] = true;
  }
  require(order.size() == cards.size(), "the order leaves a node out");
  std::vector<double> weights(logs.size() == 0 ? 0 : size(rows));
  double* const out = logs.size() == 0 ? nullptr : weights.data();
  nb::object codes = with_codes(net, rows, [&]<class T>(T* drawn) {
    draw_forward<T>({net, span_of(order), span_of(fixed), span_of(ends), span_of(logs), seed, rows, drawn, out});
  });
  const std::size_t count = weights.size();
  return nb::make_tuple(codes, to_numpy(std::move(weights), {count}));
}

nb::object draw_gibbs_of(const Sizes& cards, const Sizes& starts, const Sizes& parents, const Sizes& offsets,
                         const Labels& fixed, const Doubles& values, const Labels& first, std::uint64_t seed,
                         std::int64_t rows, std::int64_t burn_in, std::int64_t thin) {
  const FlatNet net = NetArrays{cards, starts, parents, offsets}.checked(fixed, values.size());
  require(rows >= 0 && burn_in >= 0 && thin > 0, "rows, burn_in or thin is too small");
  require(first.size() > 0 && first.size() % cards.size() == 0, "there must be a first row for each chain");
  for (std::size_t i = 0; i < first.size(); ++i)
    require(first.data()[i] >= 0 && first.data()[i] < net.cards[i % cards.size()],
            "a first state is outside the node's states");
  const auto chains = static_cast<std::int64_t>(first.size() / cards.size());
  return with_codes(net, rows * chains, [&]<class T>(T* drawn) {
    draw_gibbs<T>({net, span_of(fixed), span_of(values), span_of(first), seed, chains, rows, burn_in, thin, drawn});
  });
}

}  // namespace

void bind_sample(nb::module_& m) {
  using nb::arg;
  m.def("draw_forward", &draw_forward_of, arg("cards"), arg("starts"), arg("parents"), arg("offsets"), arg("order"),
        arg("fixed"), arg("ends"), arg("logs"), arg("seed"), arg("rows"));
  m.def("draw_gibbs", &draw_gibbs_of, arg("cards"), arg("starts"), arg("parents"), arg("offsets"), arg("fixed"),
        arg("values"), arg("first"), arg("seed"), arg("rows"), arg("burn_in"), arg("thin"));
}

}  // namespace deciban::bind
