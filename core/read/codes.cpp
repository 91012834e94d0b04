#include "read/codes.hpp"

#include <algorithm>
#include <functional>

#include "run/instruction_set.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

bool load_fast(const Dense& of_rows, std::int64_t b, std::int64_t e, std::uint32_t* out, std::int64_t width,
               std::uint32_t* largest) {
  return on_instruction_set([=, x = of_rows](auto) DECIBAN_INLINE_LAMBDA {
    switch (x.kind) {
      case Kind::i64: return load_codes_fast<std::int64_t>(x, b, e, out, width, largest);
      case Kind::i32: return load_codes_fast<std::int32_t>(x, b, e, out, width, largest);
      case Kind::i16: return load_codes_fast<std::int16_t>(x, b, e, out, width, largest);
      case Kind::i8: return load_codes_fast<std::int8_t>(x, b, e, out, width, largest);
      case Kind::u64: return load_codes_fast<std::uint64_t>(x, b, e, out, width, largest);
      case Kind::u32: return load_codes_fast<std::uint32_t>(x, b, e, out, width, largest);
      case Kind::u16: return load_codes_fast<std::uint16_t>(x, b, e, out, width, largest);
      case Kind::u8: return load_codes_fast<std::uint8_t>(x, b, e, out, width, largest);
      case Kind::f32: return load_codes_fast<float>(x, b, e, out, width, largest);
      case Kind::f64: return load_codes_fast<double>(x, b, e, out, width, largest);
    }
    return false;
  });
}

// The largest of codes that are `width` columns, without missing ones; true where it is a valid code.
bool known_codes(const std::uint32_t* codes, std::int64_t count, std::int64_t width, std::uint32_t* largest) {
  *largest = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint32_t code = codes[k * width];
    if (code != missing_code) *largest = std::max(*largest, code);
  }
  return *largest <= largest_code;
}

enum class Found : std::uint8_t { codes, missing, trouble };

// Column by column, into rows. In 32-bit codes −1 already is missing_code and need not be converted.
Found load_columns(const Columns& x, std::int64_t begin, std::int64_t end, const CodeRules& rules, std::uint32_t* out,
                   std::uint32_t* largest) {
  Found found = Found::codes;
  *largest = 0;
  for (const Dense& column : x.columns) {
    std::uint32_t highest = 0;
    if (!load_fast(column, begin, end, out, x.cols, &highest)) {
      const bool may_have_missing = column.kind == Kind::i32 && rules.minus_is_missing && rules.missing_allowed;
      if (!may_have_missing || !known_codes(out, end - begin, x.cols, &highest)) return Found::trouble;
      found = Found::missing;
    }
    *largest = std::max(*largest, highest);
    ++out;
  }
  return found;
}

// The code that a value stands for, or the trouble with it.
Trouble read_code(double value, const CodeRules& rules, std::uint32_t& code) {
  const bool is_missing = std::isnan(value) || (value == -1.0 && rules.minus_is_missing);
  if (is_missing) {
    code = missing_code;
    return rules.missing_allowed ? Trouble::none : Trouble::missing;
  }
  if (std::isinf(value)) return Trouble::infinite;
  if (value < 0.0) return Trouble::negative;
  if (value != std::floor(value)) return Trouble::fractional;
  if (value > static_cast<double>(largest_code)) return Trouble::wide;
  code = static_cast<std::uint32_t>(value);
  return Trouble::none;
}

}  // namespace

bool are_codes(std::span<const std::int32_t> codes, std::int64_t size) {
  return codes.empty() ||
         largest_of(codes.data(), static_cast<std::int64_t>(codes.size())) < static_cast<std::uint64_t>(size);
}

std::vector<std::int64_t> count_occurrences(std::span<const std::int32_t> codes, std::int64_t size) {
  const Stripes cut = stripes(static_cast<std::int64_t>(codes.size()), 1, size * 8);
  const auto states = static_cast<std::size_t>(size);
  std::vector<std::vector<std::int64_t>> parts(static_cast<std::size_t>(cut.count), std::vector<std::int64_t>(states));
  parallel_for(cut.count, [&](std::int64_t s) {
    std::vector<std::int64_t>& mine = parts[static_cast<std::size_t>(s)];
    const auto rows =
        codes.subspan(static_cast<std::size_t>(cut.begin(s)), static_cast<std::size_t>(cut.end(s) - cut.begin(s)));
    for (const std::int32_t code : rows) ++mine[static_cast<std::size_t>(code)];
  });
  for (std::size_t s = 1; s < parts.size(); ++s) {
    std::transform(parts[s].begin(), parts[s].end(), parts[0].begin(), parts[0].begin(), std::plus<>());
  }
  return std::move(parts[0]);
}

void load_codes_checked(const Matrix& x, std::int64_t begin, std::int64_t end, const CodeRules& rules,
                        std::vector<double>& scratch, std::uint32_t* out, Fault& fault) {
  const std::int64_t cols = cols_of(x);
  scratch.resize(static_cast<std::size_t>((end - begin) * cols));
  load_rows(x, begin, end, scratch.data(), cols);
  for (std::int64_t r = begin, k = 0; r < end; ++r) {
    for (std::int64_t c = 0; c < cols; ++c, ++k) {
      out[k] = missing_code;
      const Trouble trouble = read_code(scratch[static_cast<std::size_t>(k)], rules, out[k]);
      if (trouble != Trouble::none) fault.note(trouble, r, c);
    }
  }
}

bool load_codes(const Matrix& x, std::int64_t begin, std::int64_t end, const CodeRules& rules,
                std::vector<double>& scratch, std::uint32_t* out, std::uint32_t* largest, Fault& fault) {
  const Dense* dense = std::get_if<Dense>(&x);
  if (dense != nullptr && load_fast(*dense, begin, end, out, dense->cols, largest)) return false;
  if (const Columns* columns = std::get_if<Columns>(&x)) {
    const Found found = load_columns(*columns, begin, end, rules, out, largest);
    if (found != Found::trouble) return found == Found::missing;
  }
  load_codes_checked(x, begin, end, rules, scratch, out, fault);
  *largest = 0;
  known_codes(out, (end - begin) * cols_of(x), 1, largest);
  return true;
}

}  // namespace deciban
