#include "text_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "pool.hpp"

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

struct Keyed {
  std::uint64_t letters;  // eight of them, as a number in their order
  std::uint32_t token;
  bool operator<(const Keyed& other) const { return letters < other.letters; }
};

std::uint64_t letters_at(std::string_view token, std::size_t depth) {
  if (depth >= token.size()) return 0;
  return __builtin_bswap64(load_some(token.data() + depth, std::min<std::size_t>(8, token.size() - depth)));
}

// Sorts tokens that agree in their first `depth` bytes: by the next eight, then each run of equal ones by what follows.
void sort_from(const SpellingView& spelling, std::size_t depth, std::span<Keyed> tokens) {
  for (Keyed& keyed : tokens) keyed.letters = letters_at(spelling[keyed.token], depth);
  std::sort(tokens.begin(), tokens.end());
  for (std::size_t begin = 0; begin < tokens.size();) {
    std::size_t end = begin + 1;
    while (end < tokens.size() && tokens[end].letters == tokens[begin].letters) ++end;
    if (end - begin > 1) {
      // Those that end here are alike but for their zeros: the shorter goes before the longer.
      const auto run = tokens.subspan(begin, end - begin);
      const auto size = [&](const Keyed& keyed) { return spelling[keyed.token].size(); };
      const auto rest = std::partition(run.begin(), run.end(), [&](const Keyed& k) { return size(k) <= depth + 8; });
      std::sort(run.begin(), rest, [&](const Keyed& a, const Keyed& b) { return size(a) < size(b); });
      const auto longer = static_cast<std::size_t>(run.end() - rest);
      if (longer > 1) sort_from(spelling, depth + 8, run.last(longer));
    }
    begin = end;
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

std::vector<std::uint32_t> sort_tokens(const SpellingView& spelling) {
  constexpr std::size_t buckets = 1 << 16;  // by the first two bytes, sorted beside each other
  const auto bucket = [&](std::size_t token) { return static_cast<std::size_t>(letters_at(spelling[token], 0) >> 48); };
  std::vector<std::size_t> ends(buckets + 1);
  for (std::size_t t = 0; t < spelling.size(); ++t) ++ends[bucket(t) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  Pages<Keyed> keyed(spelling.size());
  for (std::size_t t = 0; t < spelling.size(); ++t) keyed[next[bucket(t)]++].token = static_cast<std::uint32_t>(t);
  parallel_for(static_cast<std::int64_t>(buckets), [&](std::int64_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (ends[i + 1] > ends[i]) sort_from(spelling, 0, std::span(keyed).subspan(ends[i], ends[i + 1] - ends[i]));
  });
  std::vector<std::uint32_t> order(spelling.size());
  std::transform(keyed.begin(), keyed.end(), order.begin(), [](const Keyed& k) { return k.token; });
  return order;
}

Spelling unite(const SpellingView& ours, const SpellingView& theirs, std::vector<std::int64_t>& places) {
  Vocabulary all(false);
  for (std::size_t t = 0; t < ours.size(); ++t) all.add(ours[t]);
  places.clear();
  for (std::size_t t = 0; t < theirs.size(); ++t) places.push_back(all.add(theirs[t]));
  std::vector<std::uint32_t> unused;
  return all.spell(1, unused);
}

Spelling reorder(const SpellingView& spelling, std::span<const std::uint32_t> order) {
  Spelling out;
  out.bytes.reserve(spelling.bytes.size());
  out.offsets.reserve(spelling.offsets.size());
  for (const std::uint32_t token : order) {
    const std::string_view text = spelling[token];
    out.bytes.insert(out.bytes.end(), text.begin(), text.end());
    out.offsets.push_back(static_cast<std::int64_t>(out.bytes.size()));
  }
  return out;
}

}  // namespace deciban
