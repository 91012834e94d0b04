#include "learning.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "family_tables.hpp"

namespace deciban::bind {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr double most_cells = 0x1p40;

template <class T>
nb::object tables_of(std::vector<T>&& tables) {
  const std::size_t cells = tables.size();
  return to_numpy(std::move(tables), {cells});
}

void check_families(const GappedCodes& codes, const Members& families) {
  const auto columns = static_cast<std::int32_t>(codes.sizes.size());
  require(std::ranges::all_of(codes.sizes, [](std::int64_t n) { return n > 0; }), "a size is not above 0");
  require(std::ranges::all_of(families.members, [&](std::int32_t c) { return c >= 0 && c < columns; }),
          "a member of a family is no column");
  require(!families.starts.empty() && families.starts.front() == 0 && std::ranges::is_sorted(families.starts) &&
              families.starts.back() == static_cast<std::int64_t>(families.members.size()),
          "starts must rise from 0 to the number of members");
  double all = 0;
  for (std::size_t i = 0; i + 1 < families.starts.size(); ++i) {
    double cells = 1;
    for (std::int64_t m = families.starts[i]; m < families.starts[i + 1]; ++m) {
      cells *= static_cast<double>(codes.sizes[size(families.members[size(m)])]);
    }
    all += cells;
  }
  require(all <= most_cells, "the tables have too many cells");
}

nb::object count_families_of(const Codes& codes, const Sizes& sizes, const Sizes& starts, const Labels& members,
                             const std::optional<Doubles>& weights) {
  require(codes.shape(0) == sizes.size(), "there must be one size a column");
  require(!weights || weights->size() == codes.shape(1), "there must be one weight a row");
  const GappedCodes gapped{span_of(codes), static_cast<std::int64_t>(codes.shape(1)), span_of(sizes)};
  const Members families{span_of(starts), span_of(members)};
  check_families(gapped, families);
  require(without_gil([&] { return are_gapped_codes(gapped); }), "a code lies outside its column's states");
  if (weights) return tables_of(without_gil([&] { return count_families(gapped, families, span_of(weights)); }));
  return tables_of(without_gil([&] { return count_families(gapped, families); }));
}

}  // namespace

void add_learning(nb::module_& m) {
  using nb::arg;
  m.def("count_families", &count_families_of, arg("codes"), arg("sizes"), arg("starts"), arg("members"),
        arg("weights").none());
}

}  // namespace deciban::bind
