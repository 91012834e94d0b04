#include "text/read.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::size_t most_parts = 16;  // each has a vocabulary of its own, and all are merged one after the other

std::size_t part_count(std::size_t documents) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(thread_count()), 1,
                                 std::clamp<std::size_t>(documents, 1, most_parts));
}

std::uint32_t murmur3(std::string_view token) {
  constexpr std::uint32_t c1 = 0xcc9e2d51;
  constexpr std::uint32_t c2 = 0x1b873593;
  std::uint32_t hash = 0;
  std::size_t at = 0;
  for (; at + 4 <= token.size(); at += 4) {
    hash ^= std::rotl(load<std::uint32_t>(token.data() + at) * c1, 15) * c2;
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
  }
  const auto rest = static_cast<std::uint32_t>(load_some(token.data() + at, token.size() - at));
  hash ^= std::rotl(rest * c1, 15) * c2;
  hash ^= static_cast<std::uint32_t>(token.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

std::uint32_t signed_index(std::string_view token, const Murmur& index) {
  const auto hash = static_cast<std::int32_t>(murmur3(token));
  const auto distance = static_cast<std::uint32_t>(hash < 0 ? -static_cast<std::int64_t>(hash) : hash);
  const std::uint32_t column = distance % index.features;
  return column * 2 + (index.alternate_sign && hash < 0 ? 1 : 0);
}

void look_up_murmur(const Murmur& index, std::span<const std::string_view> tokens, const TextRules& rules,
                    Lookup& lookup) {
  lookup.ids.clear();
  for (std::size_t n = rules.first; n <= std::min(rules.last, tokens.size()); ++n) {
    for (std::size_t i = 0; i + n <= tokens.size(); ++i) {
      const std::string_view last = tokens[i + n - 1];
      const char* begin = tokens[i].data();
      const auto size = static_cast<std::size_t>(last.data() + last.size() - begin);
      lookup.ids.push_back(signed_index({begin, size}, index));
    }
  }
}

void look_up_hashed(const Hashed& index, std::span<const std::string_view> tokens, const TextRules& rules,
                    Lookup& lookup) {
  const std::uint64_t mask = index.size() - 1;
  lookup.ids.clear();
  std::vector<std::uint64_t>& words = lookup.hashes;
  words.resize(2 * tokens.size());
  std::uint64_t* sequences = words.data() + tokens.size();
  for (std::size_t i = 0; i < tokens.size(); ++i) words[i] = sequences[i] = key_of(tokens[i]).hash();
  for (std::size_t n = 1; n <= std::min(rules.last, tokens.size()); ++n) {
    for (std::size_t i = 0; i + n <= tokens.size(); ++i) {
      if (n > 1) sequences[i] = hash_sequence(sequences[i], words[i + n - 1]);
      if (n >= rules.first) lookup.ids.push_back(static_cast<std::uint32_t>(sequences[i] & mask));
    }
  }
}

// Reads all parts in parallel, with task(part, document).
template <class Task>
void read_parts(Documents& documents, std::size_t parts, Task&& task) {
  documents.split(parts);
  std::vector<Run> runs;
  while (documents.advance(runs)) {
    parallel_for(static_cast<std::int64_t>(parts), [&](std::int64_t p) {
      const Run run = runs[static_cast<std::size_t>(p)];
      for (std::size_t d = run.begin; d < run.end; ++d) task(static_cast<std::size_t>(p), d);
    });
  }
}

std::vector<ReadPart> empty_parts(const Documents& documents) {
  std::vector<ReadPart> parts(documents.parts().size());
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].run = documents.parts()[p];
  return parts;
}

}  // namespace

std::deque<Tokenizer> make_tokenizers(const TextRules& rules, std::size_t count) {
  std::deque<Tokenizer> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(rules);
  return all;
}

std::size_t size_of(const Index& index) {
  if (const auto* vocabulary = std::get_if<const Vocabulary*>(&index)) return (*vocabulary)->size();
  if (const auto* hashed = std::get_if<Hashed>(&index)) return hashed->size();
  return std::get<Murmur>(index).size();
}

void look_up(const Index& index, std::span<const std::string_view> tokens, const TextRules& rules, Lookup& lookup) {
  if (const auto* vocabulary = std::get_if<const Vocabulary*>(&index)) {
    (*vocabulary)->find(tokens, rules.first, rules.last, lookup);
  } else if (const auto* hashed = std::get_if<Hashed>(&index)) {
    look_up_hashed(*hashed, tokens, rules, lookup);
  } else {
    look_up_murmur(std::get<Murmur>(index), tokens, rules, lookup);
  }
}

void TokenLog::put(std::span<const std::uint32_t> ids) {
  constexpr std::size_t block = 1 << 18;
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < ids.size()) {
    blocks_.emplace_back().reserve(std::max(block, ids.size()));
  }
  std::vector<std::uint32_t>& last = blocks_.back();
  const std::size_t begin = last.size();
  last.insert(last.end(), ids.begin(), ids.end());
  documents_.emplace_back(last.data() + begin, ids.size());
}

const ReadPart& ReadText::part_of(std::size_t document) const {
  const auto after = [](std::size_t d, const ReadPart& part) { return d < part.run.end; };
  return *std::upper_bound(parts.begin(), parts.end(), document, after);
}

std::vector<std::uint32_t> ReadText::lengths() const {
  std::vector<std::uint32_t> all;
  for (const ReadPart& part : parts) {
    for (std::size_t d = part.run.begin; d < part.run.end; ++d) {
      all.push_back(static_cast<std::uint32_t>(part.tokens(d).size()));
    }
  }
  return all;
}

ReadText read_text(Documents& documents, const TextRules& rules, const Index& index) {
  const std::size_t count = part_count(documents.count());
  std::deque<Tokenizer> tokenizers = make_tokenizers(rules, count);
  std::vector<Lookup> lookups(count);
  std::vector<TokenLog> logs(count);
  read_parts(documents, count, [&](std::size_t p, std::size_t d) {
    look_up(index, tokenizers[p].read(documents, d), rules, lookups[p]);
    logs[p].put(lookups[p].ids);
  });
  ReadText text{empty_parts(documents)};
  for (std::size_t p = 0; p < count; ++p) text.parts[p].log = std::move(logs[p]);
  return text;
}

ReadText read_text(Documents& documents, const TextRules& rules, Vocabulary& vocabulary) {
  const std::size_t count = part_count(documents.count());
  std::deque<Tokenizer> tokenizers = make_tokenizers(rules, count);
  std::vector<Lookup> lookups(count);
  std::vector<TokenLog> logs(count);
  std::vector<Vocabulary> own(count, Vocabulary(rules.last > 1));
  read_parts(documents, count, [&](std::size_t p, std::size_t d) {
    own[p].add(tokenizers[p].read(documents, d), rules.first, rules.last, lookups[p]);
    logs[p].put(lookups[p].ids);
  });
  ReadText text{empty_parts(documents)};
  vocabulary = std::move(own[0]);
  for (std::size_t p = 0; p < count; ++p) {
    text.parts[p].log = std::move(logs[p]);
    if (p > 0) {
      text.parts[p].numbers = vocabulary.merge(own[p]);
      own[p] = Vocabulary(false);
    }
  }
  return text;
}

void for_each_document(Documents& documents, std::size_t threads,
                       const std::function<void(std::size_t, std::size_t)>& task) {
  constexpr std::size_t step = 8;
  documents.split(1);
  std::vector<Run> runs;
  while (documents.advance(runs)) {
    std::atomic<std::size_t> next = runs[0].begin;
    const auto steps = static_cast<std::int64_t>((runs[0].end - runs[0].begin + step - 1) / step);
    parallel_for(std::min(static_cast<std::int64_t>(threads), steps), [&](std::int64_t thread) {
      for (;;) {
        const std::size_t begin = next.fetch_add(step);
        if (begin >= runs[0].end) return;
        for (std::size_t d = begin; d < std::min(begin + step, runs[0].end); ++d)
          task(static_cast<std::size_t>(thread), d);
      }
    });
  }
}

}  // namespace deciban
