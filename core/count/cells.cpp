#include "count/cells.hpp"

#include "run/compiler.hpp"

namespace deciban {
namespace {

template <class T>
DECIBAN_INLINE void add_each(const T* codes, std::int64_t count, std::uint32_t stride, std::uint32_t* index) {
  for (std::int64_t i = 0; i < count; ++i) index[i] += stride * static_cast<std::uint32_t>(codes[i]);
}

DECIBAN_CLONES void add_scaled(const std::uint8_t* c, std::int64_t n, std::uint32_t stride, std::uint32_t* index) {
  add_each(c, n, stride, index);
}
DECIBAN_CLONES void add_scaled(const std::uint16_t* c, std::int64_t n, std::uint32_t stride, std::uint32_t* index) {
  add_each(c, n, stride, index);
}
DECIBAN_CLONES void add_scaled(const std::uint32_t* c, std::int64_t n, std::uint32_t stride, std::uint32_t* index) {
  add_each(c, n, stride, index);
}

}  // namespace

void add_to_index(const CodeColumns& codes, std::int32_t column, std::int64_t begin, std::int64_t count,
                  std::uint32_t stride, std::uint32_t* index) {
  codes.with_column(column, [&](const auto* values) { add_scaled(values + begin, count, stride, index); });
}

}  // namespace deciban
