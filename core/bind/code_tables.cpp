#include "bind/code_tables.hpp"

#include <algorithm>

namespace deciban::bind {

std::vector<std::int64_t> known_sizes(const Sizes& sizes) {
  const std::vector<std::int64_t> known(sizes.data(), sizes.data() + sizes.size());
  require(std::ranges::all_of(known, [](std::int64_t n) { return n >= 0 && n < 0xFFFFFFFF; }), "a size is negative");
  return known;
}

std::vector<std::int64_t> widths_of(const std::vector<std::int64_t>& known) {
  std::vector<std::int64_t> widths(known);
  for (std::int64_t& width : widths) ++width;
  return widths;
}

CodeColumns code_columns(const CodeTable& codes, const std::vector<std::int64_t>& sizes,
                         const std::vector<std::int64_t>& widths) {
  const Kind kind = kind_of(codes.dtype());
  require(kind == Kind::u8 || kind == Kind::u16 || kind == Kind::u32, "codes must be unsigned, 8 to 32 bits wide");
  require(codes.shape(0) == sizes.size(), "there must be one size a column");
  const auto rows = static_cast<std::int64_t>(codes.shape(1)), cols = static_cast<std::int64_t>(codes.shape(0));
  require(rows > 0 && rows < 0xFFFFFFFF, "there must be a row, and fewer than 2^32");
  require(are_below_sizes({codes.data(), kind, rows, cols, widths}), "a code is above its column's size");
  return {codes.data(), kind, rows, cols, sizes};
}

void check_sets(const RaggedList<std::int32_t>& sets, const std::vector<std::int64_t>& widths, std::int64_t classes) {
  check_ragged(sets, widths.size(), "a set holds a number that is no column");
  for (std::size_t i = 0; i < sets.size(); ++i) {
    auto cells = static_cast<double>(classes);
    for (const std::int32_t column : sets[i]) cells *= static_cast<double>(widths[size(column)]);
    require(cells < 0x1p31, "a set has too many cells");
  }
}

void check_slots(const Sizes& slots, const CodeColumns& codes, const Table& values) {
  require(std::cmp_equal(values.shape(1), codes.rows), "categories and numbers must have the same rows");
  require(slots.size() == size(codes.cols) + values.shape(0) && slots.size() > 0, "there must be one slot a column");
  require(std::ranges::all_of(span_of(slots),
                              [&](std::int64_t slot) {
                                return slot >= 0 ? slot < codes.cols : std::cmp_less(-1 - slot, values.shape(0));
                              }),
          "a slot is no category and no number");
}

}  // namespace deciban::bind
