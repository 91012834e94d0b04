#include "bind/arrays.hpp"

#include <nanobind/stl/optional.h>

#include "read/codes.hpp"

namespace deciban::bind {

Kind kind_of(nb::dlpack::dtype dtype) {
  const auto code = static_cast<nb::dlpack::dtype_code>(dtype.code);
  using enum nb::dlpack::dtype_code;
  if (dtype.lanes == 1) {
    const bool boolean = code == Bool && dtype.bits == 8;
    const int bits = dtype.bits;
    if (code == Float && bits == 64) return Kind::f64;
    if (code == Float && bits == 32) return Kind::f32;
    if (code == Int && bits == 64) return Kind::i64;
    if (code == Int && bits == 32) return Kind::i32;
    if (code == Int && bits == 16) return Kind::i16;
    if (code == Int && bits == 8) return Kind::i8;
    if (code == UInt && bits == 64) return Kind::u64;
    if (code == UInt && bits == 32) return Kind::u32;
    if (code == UInt && bits == 16) return Kind::u16;
    if ((code == UInt && bits == 8) || boolean) return Kind::u8;
  }
  throw std::invalid_argument("the core takes 32- and 64-bit floats and 8- to 64-bit integers");
}

namespace {

Dense dense_of(const AnyMatrix& x) {
  return {x.data(),    kind_of(x.dtype()), static_cast<std::int64_t>(x.shape(0)), static_cast<std::int64_t>(x.shape(1)),
          x.stride(0), x.stride(1)};
}

Columns columns_of(const nb::list& parts) {
  require(nb::len(parts) > 0, "there must be a column");
  Columns x{{}, 0, static_cast<std::int64_t>(parts.size())};
  for (const nb::handle part : parts) {
    const auto column = nb::cast<AnyColumn>(part, false);
    const auto rows = static_cast<std::int64_t>(column.size());
    require(x.columns.empty() || rows == x.rows, "the columns must have one length");
    x.rows = rows;
    x.columns.push_back({column.data(), kind_of(column.dtype()), rows, 1, column.stride(0), 1});
  }
  return x;
}

Csr csr_of(const nb::tuple& parts) {
  const auto values = nb::cast<AnyVector>(parts[0], false);
  const auto indices = nb::cast<AnyVector>(parts[1], false);
  const auto starts = nb::cast<AnyVector>(parts[2], false);
  const auto cols = nb::cast<std::int64_t>(parts[3]);
  const Kind kind = kind_of(indices.dtype());
  require(kind == kind_of(starts.dtype()) && (kind == Kind::i32 || kind == Kind::i64),
          "indices and indptr must both be int32 or both int64");
  require(starts.size() >= 1 && indices.size() == values.size(), "the CSR arrays have the wrong lengths");
  const Csr x{values.data(),
              kind_of(values.dtype()),
              indices.data(),
              starts.data(),
              kind == Kind::i64,
              static_cast<std::int64_t>(starts.size()) - 1,
              cols,
              static_cast<std::int64_t>(values.size())};
  require(is_well_formed(x), "the CSR matrix is malformed: an index lies outside it");
  return x;
}

const char* name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::missing: return "missing";
    case Trouble::infinite: return "infinite";
    case Trouble::negative: return "negative";
    case Trouble::fractional: return "fractional";
    case Trouble::wide: return "wide";
    case Trouble::unseen: return "unseen";
    case Trouble::outside: return "outside";
    case Trouble::none: break;
  }
  return "none";
}

}  // namespace

Matrix matrix_of(const nb::object& x) {
  if (nb::isinstance<nb::tuple>(x)) return csr_of(nb::cast<nb::tuple>(x));
  if (nb::isinstance<nb::list>(x)) return columns_of(nb::cast<nb::list>(x));
  const Dense dense = dense_of(nb::cast<AnyMatrix>(x, false));
  return dense;
}

void check_labels(const Labels& y, const Matrix& x, std::int64_t classes) {
  require(static_cast<std::int64_t>(y.size()) == rows_of(x), "there must be one label a row");
  require(cols_of(x) > 0, "there must be a column");
  require(are_codes(span_of(y), classes), "a label lies outside the classes");
}

void check_weights(const std::optional<Doubles>& weights, const Matrix& x) {
  require(!weights || static_cast<std::int64_t>(weights->size()) == rows_of(x), "there must be one weight a row");
}

nb::object fault_of(const Fault& fault) {
  if (!fault) return nb::none();
  return nb::make_tuple(name_of(fault.what), fault.row, fault.col);
}

}  // namespace deciban::bind
