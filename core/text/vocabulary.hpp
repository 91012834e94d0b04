// A vocabulary: tokens, and sequences of tokens, numbered in the order in which they are first added.
//
// The key of a sequence is the number of all but its last token, and its last token: one comparison of 64 bits, for any
// length. Its text is assembled only when the vocabulary is written out.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "run/pages.hpp"
#include "text/hash.hpp"
#include "text/spelling.hpp"

namespace deciban {

// How many lookups are prefetched at a time.
inline constexpr std::size_t ahead = 8;

inline constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

// The workspace of a lookup: one for each thread.
struct Lookup {
  std::vector<TokenKey> keys;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> ids;  // the result
};

class Vocabulary {
 public:
  // With sequences, or of single tokens only.
  explicit Vocabulary(bool sequences) : sequences_(sequences) {}
  // The tokens of a spelling under the numbers that they have there.
  Vocabulary(const SpellingView& spelling, bool sequences);

  bool has_sequences() const { return sequences_; }
  std::size_t size() const { return known_ == unknown ? node_count() : known_; }

  // The numbers of a document's sequences of first … last tokens, shorter ones first; new ones are added.
  void add(std::span<const std::string_view> tokens, std::size_t first, std::size_t last, Lookup& lookup);
  // The same, without unknown ones.
  void find(std::span<const std::string_view> tokens, std::size_t first, std::size_t last, Lookup& lookup) const;

  // The numbers of a spelling's tokens; new ones are added. Without sequences.
  std::vector<std::int64_t> add(const SpellingView& spelling);
  // The same, but new ones are `unknown`.
  std::vector<std::uint32_t> find(const SpellingView& spelling) const;

  // Adds the entries of another vocabulary, in its order. Returns the number here of each of its nodes.
  std::vector<std::uint32_t> merge(const Vocabulary& other);

  // Without the sequences shorter than `first`; `numbers` gets the number of each remaining node.
  Spelling spell(std::size_t first, std::vector<std::uint32_t>& numbers) const;

 private:
  struct WordSlot {
    TokenKey key;
    std::uint32_t word = unknown;
  };
  struct PairSlot {
    std::uint64_t key = 0;  // the number of all but the last token, plus one; the last token
    std::uint32_t node = unknown;
  };

  std::size_t node_count() const { return sequences_ ? pairs_by_node_.size() : word_starts_.size() - 1; }
  std::string_view word(std::uint32_t number) const;
  bool holds(const WordSlot& slot, const TokenKey& key, std::string_view token) const;
  std::size_t word_slot(const TokenKey& key, std::string_view token) const;
  std::size_t pair_slot(std::uint64_t key) const;
  void fetch_word(const TokenKey& key) const { prefetch(&words_[key.hash() & (words_.size() - 1)]); }
  void fetch_pair(std::uint64_t key) const { prefetch(&pairs_[scatter(key) & (pairs_.size() - 1)]); }
  static std::uint64_t scatter(std::uint64_t key) { return mix(key, 0x9e3779b97f4a7c15U); }
  static std::uint64_t pair_of(std::uint32_t node, std::uint32_t word) { return (node + 1ULL) << 32 | word; }

  std::uint32_t add_word(const TokenKey& key, std::string_view token);
  std::uint32_t add_pair(std::uint64_t key);
  std::uint32_t put_pair(std::uint64_t key, std::uint32_t node);
  void reserve(std::size_t words, std::size_t pairs);
  void number_words(const SpellingView& spelling, std::span<const std::uint32_t> tokens);
  void number_sequences(const SpellingView& spelling, std::span<const std::uint32_t> tokens, std::uint32_t& next);
  std::uint32_t word_in_sequence(std::string_view token);
  std::uint64_t pair_of_sequence(std::string_view token, std::uint32_t& next);
  std::size_t letters_of(std::uint32_t node) const;
  void write(std::uint32_t node, std::uint8_t* end) const;
  void grow_words();
  void grow_pairs();
  void read_words(std::span<const std::string_view> tokens, Lookup& lookup) const;

  bool sequences_;
  std::uint32_t known_ = unknown;  // of a spelling: its size; nodes from here on are only prefixes of sequences
  Pages<WordSlot> words_ = Pages<WordSlot>(1 << 10);
  std::vector<char> letters_;
  std::vector<std::uint64_t> word_starts_{0};
  std::vector<std::uint32_t> node_of_word_;
  Pages<PairSlot> pairs_ = Pages<PairSlot>(1 << 10);
  std::size_t pair_count_ = 0;
  std::vector<std::uint64_t> pairs_by_node_;  // of a word: 0 and the word
};

}  // namespace deciban
