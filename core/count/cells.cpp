#include "count/cells.hpp"

#include "run/instruction_set.hpp"

namespace deciban {
void add_to_index(const CodeColumns& codes, std::int32_t column, std::int64_t begin, std::int64_t count,
                  std::uint32_t stride, std::uint32_t* index) {
  codes.with_column(column, [&](const auto* values) {
    on_instruction_set([=, of_rows = values + begin](auto) DECIBAN_INLINE_LAMBDA {
      for (std::int64_t i = 0; i < count; ++i) index[i] += stride * static_cast<std::uint32_t>(of_rows[i]);
    });
  });
}

}  // namespace deciban
