#include "text/spelling.hpp"

#include <algorithm>
#include <numeric>

#include "run/pages.hpp"
#include "run/pool.hpp"
#include "text/vocabulary.hpp"

namespace deciban {
namespace {

struct Keyed {
  std::uint64_t letters;  // eight of them, as a number in their order
  std::uint32_t token;
  bool operator<(const Keyed& other) const { return letters < other.letters; }
};

std::uint64_t letters_at(std::string_view token, std::size_t depth) {
  if (depth >= token.size()) return 0;
  return reversed_bytes(load_some(token.data() + depth, std::min<std::size_t>(8, token.size() - depth)));
}

// Tokens that agree in their first `depth` bytes and are still to be sorted by what follows.
struct Unsorted {
  std::span<Keyed> tokens;
  std::size_t depth;
};

// Sorts by the next eight bytes, and adds each run of tokens that agree in those, too, to `pending`.
void sort_step(const SpellingView& spelling, const Unsorted& part, std::vector<Unsorted>& pending) {
  const auto [tokens, depth] = part;
  for (Keyed& keyed : tokens) keyed.letters = letters_at(spelling[keyed.token], depth);
  std::sort(tokens.begin(), tokens.end());
  for (std::size_t begin = 0; begin < tokens.size();) {
    std::size_t end = begin + 1;
    while (end < tokens.size() && tokens[end].letters == tokens[begin].letters) ++end;
    if (end - begin > 1) {
      // Tokens that end here differ only in zero bytes: the shorter goes before the longer.
      const auto run = tokens.subspan(begin, end - begin);
      const auto size = [&](const Keyed& keyed) { return spelling[keyed.token].size(); };
      const auto rest =
          std::partition(run.begin(), run.end(), [&, depth = depth](const Keyed& k) { return size(k) <= depth + 8; });
      std::sort(run.begin(), rest, [&](const Keyed& a, const Keyed& b) { return size(a) < size(b); });
      const auto longer = static_cast<std::size_t>(run.end() - rest);
      if (longer > 1) pending.push_back({run.last(longer), depth + 8});
    }
    begin = end;
  }
}

// A work list instead of recursion, whose depth would be that of the longest common prefix.
void sort_bucket(const SpellingView& spelling, std::span<Keyed> tokens) {
  std::vector<Unsorted> pending;
  sort_step(spelling, {tokens, 0}, pending);
  while (!pending.empty()) {
    const Unsorted part = pending.back();
    pending.pop_back();
    sort_step(spelling, part, pending);
  }
}

}  // namespace

std::vector<std::uint32_t> sort_tokens(const SpellingView& spelling) {
  constexpr std::size_t buckets = 1 << 16;  // by the first two bytes, sorted in parallel
  const auto bucket = [&](std::size_t token) { return static_cast<std::size_t>(letters_at(spelling[token], 0) >> 48); };
  std::vector<std::size_t> ends(buckets + 1);
  for (std::size_t t = 0; t < spelling.size(); ++t) ++ends[bucket(t) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  Pages<Keyed> keyed(spelling.size());
  for (std::size_t t = 0; t < spelling.size(); ++t) keyed[next[bucket(t)]++].token = static_cast<std::uint32_t>(t);
  parallel_for(static_cast<std::int64_t>(buckets), [&](std::int64_t b) {
    const auto i = static_cast<std::size_t>(b);
    if (ends[i + 1] > ends[i]) sort_bucket(spelling, std::span(keyed).subspan(ends[i], ends[i + 1] - ends[i]));
  });
  std::vector<std::uint32_t> order(spelling.size());
  std::transform(keyed.begin(), keyed.end(), order.begin(), [](const Keyed& k) { return k.token; });
  return order;
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

// From a spelling to a vocabulary, and back.

Vocabulary::Vocabulary(const SpellingView& spelling, bool sequences) : sequences_(sequences) {
  known_ = static_cast<std::uint32_t>(spelling.size());
  if (!sequences) {
    add(spelling);
    return;
  }
  std::vector<std::vector<std::uint32_t>> by_spaces(1);
  for (std::uint32_t t = 0; t < known_; ++t) {
    const std::string_view token = spelling[t];
    const auto spaces = static_cast<std::size_t>(std::count(token.begin(), token.end(), ' '));
    if (spaces >= by_spaces.size()) by_spaces.resize(spaces + 1);
    by_spaces[spaces].push_back(t);
  }
  reserve(by_spaces[0].size(), spelling.size() - by_spaces[0].size());
  std::uint32_t next = known_;
  number_words(spelling, by_spaces[0]);  // shorter ones first: they are prefixes of longer ones
  for (std::size_t n = 1; n < by_spaces.size(); ++n) number_sequences(spelling, by_spaces[n], next);
}

std::vector<std::int64_t> Vocabulary::add(const SpellingView& spelling) {
  reserve(std::max(word_starts_.size() - 1, spelling.size()), 0);
  std::vector<std::int64_t> numbers(spelling.size());
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    if (t + ahead < numbers.size()) fetch_word(key_of(spelling[t + ahead]));
    numbers[t] = add_word(key_of(spelling[t]), spelling[t]);
  }
  return numbers;
}

void Vocabulary::number_words(const SpellingView& spelling, std::span<const std::uint32_t> tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + ahead < tokens.size()) fetch_word(key_of(spelling[tokens[i + ahead]]));
    node_of_word_[word_in_sequence(spelling[tokens[i]])] = tokens[i];
  }
}

// Looks for a few sequences at a time, so that their slots are prefetched together.
void Vocabulary::number_sequences(const SpellingView& spelling, std::span<const std::uint32_t> tokens,
                                  std::uint32_t& next) {
  std::vector<std::uint64_t> pairs(2 * ahead);
  for (std::size_t begin = 0; begin < tokens.size(); begin += pairs.size()) {
    const auto some = tokens.subspan(begin, std::min(pairs.size(), tokens.size() - begin));
    for (std::size_t i = 0; i < some.size(); ++i) {
      pairs[i] = pair_of_sequence(spelling[some[i]], next);
      fetch_pair(pairs[i]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) put_pair(pairs[i], some[i]);
  }
}

std::uint32_t Vocabulary::word_in_sequence(std::string_view token) {
  const std::uint32_t word = add_word(key_of(token), token);
  if (word == node_of_word_.size()) node_of_word_.push_back(unknown);
  return word;
}

// The pair of a sequence's prefix and its last word. Prefixes without a number get one of their own.
std::uint64_t Vocabulary::pair_of_sequence(std::string_view token, std::uint32_t& next) {
  std::uint32_t node = unknown;
  for (std::size_t space = token.find(' '); space != std::string_view::npos; space = token.find(' ')) {
    const std::uint32_t word = word_in_sequence(token.substr(0, space));
    token.remove_prefix(space + 1);
    if (node != unknown) {
      node = put_pair(pair_of(node, word), next);
    } else {
      if (node_of_word_[word] == unknown) node_of_word_[word] = next;
      node = node_of_word_[word];
    }
    if (node == next) ++next;
  }
  return pair_of(node, word_in_sequence(token));
}

// How many bytes a node has: those of its words and the spaces between.
std::size_t Vocabulary::letters_of(std::uint32_t node) const {
  std::uint64_t pair = pairs_by_node_[node];
  std::size_t size = word(static_cast<std::uint32_t>(pair)).size();
  for (; pair >> 32 != 0; size += 1 + word(static_cast<std::uint32_t>(pair)).size()) {
    pair = pairs_by_node_[(pair >> 32) - 1];
  }
  return size;
}

void Vocabulary::write(std::uint32_t node, std::uint8_t* end) const {
  for (std::uint64_t pair = pairs_by_node_[node];; pair = pairs_by_node_[(pair >> 32) - 1]) {
    const std::string_view last = word(static_cast<std::uint32_t>(pair));
    end = std::copy_backward(last.begin(), last.end(), end);
    if (pair >> 32 == 0) return;
    *--end = ' ';
  }
}

Spelling Vocabulary::spell(std::size_t first, std::vector<std::uint32_t>& numbers) const {
  if (!sequences_) return {{letters_.begin(), letters_.end()}, {word_starts_.begin(), word_starts_.end()}};
  std::vector<std::uint32_t> kept;
  if (first > 1) {
    std::vector<std::size_t> sizes(node_count());
    numbers.assign(node_count(), unknown);
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      const std::uint64_t start = pairs_by_node_[node] >> 32;
      sizes[node] = start == 0 ? 1 : sizes[start - 1] + 1;
      if (sizes[node] < first) continue;
      numbers[node] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(node);
    }
  }
  const std::size_t count = first > 1 ? kept.size() : node_count();
  const auto node_at = [&](std::int64_t i) {
    return first > 1 ? kept[static_cast<std::size_t>(i)] : static_cast<std::uint32_t>(i);
  };
  Spelling out;
  out.offsets.resize(count + 1);
  const Stripes cut = stripes(static_cast<std::int64_t>(count), 16, 0);
  const auto for_each = [&](auto&& task) {
    parallel_for(cut.count, [&](std::int64_t s) {
      for (std::int64_t i = cut.begin(s); i < cut.end(s); ++i) task(node_at(i), static_cast<std::size_t>(i));
    });
  };
  for_each(
      [&](std::uint32_t node, std::size_t i) { out.offsets[i + 1] = static_cast<std::int64_t>(letters_of(node)); });
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  out.bytes.resize(static_cast<std::size_t>(out.offsets.back()));
  for_each([&](std::uint32_t node, std::size_t i) { write(node, out.bytes.data() + out.offsets[i + 1]); });
  return out;
}

std::vector<std::uint32_t> Vocabulary::find(const SpellingView& spelling) const {
  std::vector<std::uint32_t> numbers(spelling.size());
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    if (t + ahead < numbers.size()) fetch_word(key_of(spelling[t + ahead]));
    numbers[t] = words_[word_slot(key_of(spelling[t]), spelling[t])].word;
  }
  return numbers;
}

namespace {

// The bytes of one spelling, then those of another's tokens that have no number yet; these get the next ones.
Spelling append_new(const SpellingView& ours, const SpellingView& theirs, std::vector<std::int64_t>& numbers) {
  const auto first = ours.bytes.begin() + ours.offsets.front();
  Spelling out{{first, ours.bytes.begin() + ours.offsets.back()}, {ours.offsets.begin(), ours.offsets.end()}};
  for (std::int64_t& offset : out.offsets) offset -= ours.offsets.front();
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    if (numbers[t] >= 0) continue;
    numbers[t] = static_cast<std::int64_t>(out.offsets.size() - 1);
    out.bytes.insert(out.bytes.end(), theirs[t].begin(), theirs[t].end());
    out.offsets.push_back(static_cast<std::int64_t>(out.bytes.size()));
  }
  return out;
}

}  // namespace

Spelling unite(const SpellingView& ours, const SpellingView& theirs, std::vector<std::int64_t>& numbers) {
  // Looking up many tokens in a small table is faster than adding them to a large one.
  if (theirs.size() <= ours.size()) {
    Vocabulary small(false);
    small.add(theirs);
    if (small.size() == theirs.size()) {
      numbers.assign(theirs.size(), -1);
      const std::vector<std::uint32_t> found = small.find(ours);
      for (std::size_t t = 0; t < found.size(); ++t) {
        if (found[t] != unknown) numbers[found[t]] = static_cast<std::int64_t>(t);
      }
      return append_new(ours, theirs, numbers);
    }
  }
  Vocabulary all(false);
  all.add(ours);
  numbers = all.add(theirs);
  std::vector<std::uint32_t> unused;
  return all.spell(1, unused);
}

}  // namespace deciban
