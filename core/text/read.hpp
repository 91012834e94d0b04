// Documents → the numbers of their tokens, on all threads: by a growing vocabulary, by a fixed one, or by hashing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "text/documents.hpp"
#include "text/vocabulary.hpp"

namespace deciban {

// Tokens are numbered by the lowest bits of their hashes.
struct Hashed {
  int bits;
  std::size_t size() const { return std::size_t{1} << bits; }
};

// The index of MurmurHash3 (Appleby) as scikit-learn's FeatureHasher takes it, times two, plus one where the sign is
// minus.
struct Murmur {
  std::uint32_t features;
  bool alternate_sign;
  std::size_t size() const { return features; }
};

using Index = std::variant<const Vocabulary*, Hashed, Murmur>;

std::size_t size_of(const Index& index);

// The numbers of a document's known tokens, into lookup.ids.
void look_up(const Index& index, std::span<const std::string_view> tokens, const TextRules& rules, Lookup& lookup);

// The tokens' numbers of each document, in blocks that are never moved.
class TokenLog {
 public:
  void put(std::span<const std::uint32_t> ids);
  std::span<std::uint32_t> operator[](std::size_t document) { return documents_[document]; }
  std::span<const std::uint32_t> operator[](std::size_t document) const { return documents_[document]; }

 private:
  std::vector<std::vector<std::uint32_t>> blocks_;
  std::vector<std::span<std::uint32_t>> documents_;
};

// A run of documents, read by one thread: their tokens, and the number in the common vocabulary of each of its own
// numbers.
struct ReadPart {
  Run run;
  TokenLog log;
  std::vector<std::uint32_t> numbers;  // empty: as they are

  std::span<const std::uint32_t> tokens(std::size_t document) const { return log[document - run.begin]; }
  std::uint32_t number(std::uint32_t token) const { return numbers.empty() ? token : numbers[token]; }
  void fetch(std::uint32_t token) const {
    if (!numbers.empty()) prefetch(&numbers[token]);
  }
};

struct ReadText {
  std::vector<ReadPart> parts;
  const ReadPart& part_of(std::size_t document) const;
  std::vector<std::uint32_t> lengths() const;
};

// Reads with an index; or adds the tokens to an empty vocabulary.
ReadText read_text(Documents& documents, const TextRules& rules, const Index& index);
ReadText read_text(Documents& documents, const TextRules& rules, Vocabulary& vocabulary);

std::deque<Tokenizer> make_tokenizers(const TextRules& rules, std::size_t count);

// Runs task(thread, document) for all documents, with thread < threads; no two tasks at the same time have the same
// thread.
void for_each_document(Documents& documents, std::size_t threads,
                       const std::function<void(std::size_t, std::size_t)>& task);

}  // namespace deciban
