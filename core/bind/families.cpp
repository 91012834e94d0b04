// Counts and scores of families of a Bayes net: a node and its parents.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "bind/arrays.hpp"
#include "bind/code_tables.hpp"
#include "bind/parts.hpp"
#include "count/families/scores.hpp"
#include "count/families/tables.hpp"
#include "search/cached_scores.hpp"
#include "search/code_scores.hpp"
#include "search/mixed_scores.hpp"

namespace deciban::bind {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The largest n for which n·log n is looked up.
constexpr std::int64_t most_known = std::int64_t{1} << 20;

// Columns of codes, checked once for all later calls; the arrays are not copied, and must not change.
class CodeStore {
 public:
  CodeStore(const CodeTable& codes, const Sizes& sizes, const std::optional<Doubles>& weights)
      : codes_(codes),
        weights_(weights),
        sizes_(sizes.data(), sizes.data() + sizes.size()),
        kind_(kind_of(codes.dtype())),
        rows_(static_cast<std::int64_t>(codes.shape(1))) {
    require(kind_ == Kind::u8 || kind_ == Kind::u16 || kind_ == Kind::u32, "codes must be unsigned, 8 to 32 bits wide");
    require(codes.shape(0) == sizes.size(), "there must be one size a column");
    require(rows_ > 0 && rows_ < 0xFFFFFFFF, "there must be a row, and fewer than 2^32");
    require(std::ranges::all_of(sizes_, [](std::int64_t n) { return n > 0 && n <= 0xFFFFFFFF; }),
            "a size is not above 0");
    require(!weights || weights->size() == codes.shape(1), "there must be one weight a row");
    require(are_below_sizes(columns()), "a code is not below its column's size");
    if (weights) return;  // the table of n·log n is for rows that count once
    xlogx_.resize(size(std::min(rows_, most_known)) + 1);
    for (std::size_t n = 1; n < xlogx_.size(); ++n)
      xlogx_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
  }

  CodeColumns columns() const {
    return {codes_.data(), kind_, rows_, static_cast<std::int64_t>(sizes_.size()), sizes_, span_of(weights_)};
  }
  std::span<const double> xlogx() const { return xlogx_; }

 private:
  CodeTable codes_;
  std::optional<Doubles> weights_;
  std::vector<std::int64_t> sizes_;
  std::vector<double> xlogx_;
  Kind kind_;
  std::int64_t rows_;
};

Form form_of(const std::string& name) {
  if (name == "likelihood") return Form::likelihood;
  require(name == "bdeu" || name == "k2", "the form must be likelihood, bdeu or k2");
  return name == "bdeu" ? Form::bdeu : Form::k2;
}

CellSum cell_sum_of(const std::string& name) {
  if (name == "xlogx") return CellSum::xlogx;
  require(name == "gamma" || name == "gamma_shared", "the form must be xlogx, gamma or gamma_shared");
  return name == "gamma" ? CellSum::gamma : CellSum::gamma_shared;
}

// The store holds what the scores read: it must outlive them.
std::shared_ptr<LocalScores> code_scores_of(const CodeStore& codes, const std::string& form, double penalty,
                                            double ess) {
  return cached(code_scores(codes.columns(), {form_of(form), penalty, ess, codes.xlogx()}));
}

std::shared_ptr<LocalScores> cell_scores_of(const CodeStore& codes, const Table& values, const Sizes& slots,
                                            double cost) {
  check_slots(slots, codes.columns(), values);
  return without_gil([&] {
    const auto numbers = static_cast<std::int64_t>(values.shape(0));
    return cached(cell_scores(mixed_columns(codes.columns(), span_of(values), numbers, span_of(slots)), cost));
  });
}

nb::object subset_sums_of(const CodeStore& codes, const std::string& form, double pseudo, std::int64_t most) {
  const CodeColumns columns = codes.columns();
  require(columns.cols <= 30, "there must be at most 30 columns");
  const CellSum sum = cell_sum_of(form);
  Interrupt interrupt(poll_signals);
  auto sums = without_gil([&] { return subset_sums(columns, sum, pseudo, codes.xlogx(), most, interrupt); });
  const std::size_t count = sums.size();
  return to_numpy(std::move(sums), {count});
}

constexpr double most_cells = 0x1p40;

template <class T>
nb::object tables_of(std::vector<T>&& tables) {
  const std::size_t cells = tables.size();
  return to_numpy(std::move(tables), {cells});
}

void check_families(const CodesWithMissing& codes, const RaggedList<std::int32_t>& families) {
  require(std::ranges::all_of(codes.sizes, [](std::int64_t n) { return n > 0; }), "a size is not above 0");
  check_ragged(families, codes.sizes.size(), "a member of a family is no column");
  double all = 0;
  for (std::size_t i = 0; i < families.size(); ++i) {
    double cells = 1;
    for (const std::int32_t column : families[i]) cells *= static_cast<double>(codes.sizes[size(column)]);
    all += cells;
  }
  require(all <= most_cells, "the tables have too many cells");
}

nb::object count_families_of(const Codes& codes, const Sizes& sizes, const Sizes& starts, const Labels& members,
                             const std::optional<Doubles>& weights) {
  require(codes.shape(0) == sizes.size(), "there must be one size a column");
  require(!weights || weights->size() == codes.shape(1), "there must be one weight a row");
  const CodesWithMissing held{span_of(codes), static_cast<std::int64_t>(codes.shape(1)), span_of(sizes)};
  const RaggedList<std::int32_t> families{span_of(starts), span_of(members)};
  check_families(held, families);
  require(without_gil([&] { return are_states_or_missing(held); }), "a code lies outside its column's states");
  if (weights) return tables_of(without_gil([&] { return count_families(held, families, span_of(weights)); }));
  return tables_of(without_gil([&] { return count_families(held, families); }));
}

}  // namespace

void bind_families(nb::module_& m) {
  using nb::arg;
  nb::class_<CodeStore>(m, "CodeStore")
      .def(nb::init<const CodeTable&, const Sizes&, const std::optional<Doubles>&>(), arg("codes"), arg("sizes"),
           arg("weights").none() = nb::none());
  m.def("code_scores", &code_scores_of, arg("codes"), arg("form"), arg("penalty"), arg("ess"), nb::keep_alive<0, 1>());
  m.def("cell_scores", &cell_scores_of, arg("codes"), arg("values"), arg("slots"), arg("cost"), nb::keep_alive<0, 1>());
  m.def("subset_sums", &subset_sums_of, arg("codes"), arg("form"), arg("pseudo"), arg("most"));
  m.def("count_families", &count_families_of, arg("codes"), arg("sizes"), arg("starts"), arg("members"),
        arg("weights").none());
}

}  // namespace deciban::bind
