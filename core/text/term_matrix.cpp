#include "text/term_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "run/pool.hpp"

namespace deciban {
namespace {

// Sorts a document's columns in place; returns how many differ.
std::int64_t sort_row(const ReadPart& part, std::span<const std::uint32_t> column, bool with_signs,
                      std::span<std::uint32_t> tokens) {
  for (std::uint32_t& token : tokens) {
    token = part.number(token);
    if (!column.empty()) token = column[token];
  }
  std::sort(tokens.begin(), tokens.end());
  std::int64_t different = 0;
  const int shift = with_signs ? 1 : 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    different += i == 0 || tokens[i] >> shift != tokens[i - 1] >> shift;
  }
  return different;
}

void write_row(std::span<const std::uint32_t> tokens, bool with_signs, std::int32_t* indices, std::int64_t* counts) {
  const int shift = with_signs ? 1 : 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_new = i == 0 || tokens[i] >> shift != tokens[i - 1] >> shift;
    if (is_new && i > 0) {
      ++indices;
      ++counts;
    }
    if (is_new) *indices = static_cast<std::int32_t>(tokens[i] >> shift);
    *counts += with_signs && (tokens[i] & 1) != 0 ? -1 : 1;
  }
}

template <class Task>
void for_each_row(ReadText& text, Task&& task) {
  for (ReadPart& part : text.parts) {
    const std::size_t rows = part.run.end - part.run.begin;
    const Stripes cut = stripes(static_cast<std::int64_t>(rows), 1 << 10, 0);
    parallel_for(cut.count, [&](std::int64_t s) {
      for (std::int64_t r = cut.begin(s); r < cut.end(s); ++r) task(part, part.run.begin + static_cast<std::size_t>(r));
    });
  }
}

}  // namespace

TextMatrix make_matrix(ReadText& text, std::span<const std::uint32_t> column, bool with_signs) {
  TextMatrix matrix;
  matrix.starts.resize(text.parts.back().run.end + 1);
  for_each_row(text, [&](ReadPart& part, std::size_t d) {
    matrix.starts[d + 1] = sort_row(part, column, with_signs, part.log[d - part.run.begin]);
  });
  std::partial_sum(matrix.starts.begin(), matrix.starts.end(), matrix.starts.begin());
  matrix.indices.resize(static_cast<std::size_t>(matrix.starts.back()));
  matrix.counts.resize(static_cast<std::size_t>(matrix.starts.back()));
  for_each_row(text, [&](const ReadPart& part, std::size_t d) {
    const std::int64_t at = matrix.starts[d];
    write_row(part.tokens(d), with_signs, matrix.indices.data() + at, matrix.counts.data() + at);
  });
  return matrix;
}

}  // namespace deciban
