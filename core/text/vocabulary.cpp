#include "text/vocabulary.hpp"

#include <algorithm>
#include <stdexcept>

namespace deciban {
namespace {

// Filled to two thirds at most.
bool is_full(std::size_t held, std::size_t slots) {
  return held * 3 >= slots * 2;
}

}  // namespace

void Vocabulary::reserve(std::size_t words, std::size_t pairs) {
  while (is_full(words, words_.size())) grow_words();
  while (is_full(pairs, pairs_.size())) grow_pairs();
}

std::string_view Vocabulary::word(std::uint32_t number) const {
  return {letters_.data() + word_starts_[number], word_starts_[number + 1] - word_starts_[number]};
}

bool Vocabulary::holds(const WordSlot& slot, const TokenKey& key, std::string_view token) const {
  return slot.key == key && (key.is_whole() || word(slot.word) == token);
}

std::size_t Vocabulary::word_slot(const TokenKey& key, std::string_view token) const {
  const std::size_t mask = words_.size() - 1;
  std::size_t at = key.hash() & mask;
  while (words_[at].word != unknown && !holds(words_[at], key, token)) at = (at + 1) & mask;
  return at;
}

std::size_t Vocabulary::pair_slot(std::uint64_t key) const {
  const std::size_t mask = pairs_.size() - 1;
  std::size_t at = scatter(key) & mask;
  while (pairs_[at].key != key && pairs_[at].key != 0) at = (at + 1) & mask;
  return at;
}

void Vocabulary::grow_words() {
  Pages<WordSlot> old(words_.size() * 2);
  old.swap(words_);
  const std::size_t mask = words_.size() - 1;
  for (const WordSlot& slot : old) {
    if (slot.word == unknown) continue;
    std::size_t at = slot.key.hash() & mask;
    while (words_[at].word != unknown) at = (at + 1) & mask;
    words_[at] = slot;
  }
}

void Vocabulary::grow_pairs() {
  Pages<PairSlot> old(pairs_.size() * 2);
  old.swap(pairs_);
  for (const PairSlot& slot : old) {
    if (slot.key != 0) pairs_[pair_slot(slot.key)] = slot;
  }
}

std::uint32_t Vocabulary::add_word(const TokenKey& key, std::string_view token) {
  std::size_t at = word_slot(key, token);
  if (words_[at].word != unknown) return words_[at].word;
  const auto number = static_cast<std::uint32_t>(word_starts_.size() - 1);
  if (number >= unknown - 1) throw std::length_error("there are more different tokens than 32 bits can number");
  if (is_full(number + 1, words_.size())) {
    grow_words();
    at = word_slot(key, token);
  }
  words_[at] = {key, number};
  letters_.insert(letters_.end(), token.begin(), token.end());
  word_starts_.push_back(letters_.size());
  if (sequences_ && known_ == unknown) {
    node_of_word_.push_back(static_cast<std::uint32_t>(pairs_by_node_.size()));
    pairs_by_node_.push_back(number);
  }
  return number;
}

std::uint32_t Vocabulary::put_pair(std::uint64_t key, std::uint32_t node) {
  std::size_t at = pair_slot(key);
  if (pairs_[at].key != 0) return pairs_[at].node;
  if (is_full(++pair_count_, pairs_.size())) {
    grow_pairs();
    at = pair_slot(key);
  }
  pairs_[at] = {key, node};
  return node;
}

std::uint32_t Vocabulary::add_pair(std::uint64_t key) {
  const auto next = static_cast<std::uint32_t>(pairs_by_node_.size());
  if (next >= unknown - 1) throw std::length_error("there are more different sequences than 32 bits can number");
  const std::uint32_t node = put_pair(key, next);
  if (node == next) pairs_by_node_.push_back(key);
  return node;
}

void Vocabulary::read_words(std::span<const std::string_view> tokens, Lookup& lookup) const {
  lookup.ids.clear();
  lookup.keys.resize(tokens.size());
  lookup.words.resize(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) lookup.keys[i] = key_of(tokens[i]);
  for (std::size_t i = 0; i < std::min(ahead, tokens.size()); ++i) fetch_word(lookup.keys[i]);
}

void Vocabulary::add(std::span<const std::string_view> tokens, std::size_t first, std::size_t last, Lookup& lookup) {
  read_words(tokens, lookup);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + ahead < tokens.size()) fetch_word(lookup.keys[i + ahead]);
    lookup.words[i] = add_word(lookup.keys[i], tokens[i]);
  }
  if (!sequences_) {
    lookup.ids.swap(lookup.words);
    return;
  }
  std::vector<std::uint32_t>& nodes = lookup.nodes;
  nodes.resize(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) nodes[i] = node_of_word_[lookup.words[i]];
  if (first == 1) lookup.ids = nodes;
  for (std::size_t n = 2; n <= std::min(last, tokens.size()); ++n) {
    const std::size_t count = tokens.size() + 1 - n;
    const std::uint32_t* ends = lookup.words.data() + n - 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) fetch_pair(pair_of(nodes[i + ahead], ends[i + ahead]));
      nodes[i] = add_pair(pair_of(nodes[i], ends[i]));
    }
    if (n >= first)
      lookup.ids.insert(lookup.ids.end(), nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

void Vocabulary::find(std::span<const std::string_view> tokens, std::size_t first, std::size_t last,
                      Lookup& lookup) const {
  read_words(tokens, lookup);
  std::vector<std::uint32_t>& nodes = lookup.nodes;
  nodes.resize(tokens.size());
  const auto keep = [&](std::uint32_t node) {
    if (node < known_) lookup.ids.push_back(node);
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + ahead < tokens.size()) fetch_word(lookup.keys[i + ahead]);
    const std::uint32_t word = words_[word_slot(lookup.keys[i], tokens[i])].word;
    lookup.words[i] = word;
    nodes[i] = word == unknown || !sequences_ ? word : node_of_word_[word];
    if (first == 1) keep(nodes[i]);
  }
  for (std::size_t n = 2; n <= std::min(last, tokens.size()); ++n) {
    const std::size_t count = tokens.size() + 1 - n;
    const std::uint32_t* ends = lookup.words.data() + n - 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) fetch_pair(pair_of(nodes[i + ahead], ends[i + ahead]));
      if (nodes[i] == unknown || ends[i] == unknown) {
        nodes[i] = unknown;
      } else {
        nodes[i] = pairs_[pair_slot(pair_of(nodes[i], ends[i]))].node;
      }
      if (n >= first) keep(nodes[i]);
    }
  }
}

std::vector<std::uint32_t> Vocabulary::merge(const Vocabulary& other) {
  const std::size_t count = other.node_count();
  std::vector<std::uint32_t> nodes(count, unknown);
  std::vector<std::uint32_t> words(other.word_starts_.size() - 1, unknown);
  for (std::size_t i = 0; i < count; ++i) {
    const auto node_pair = [&](std::size_t n) { return other.sequences_ ? other.pairs_by_node_[n] : n; };
    const auto pair_here = [&](std::uint64_t p) { return pair_of(nodes[(p >> 32) - 1], words[p & unknown]); };
    if (i + ahead < count) {
      const std::uint64_t later = node_pair(i + ahead);
      if (later >> 32 == 0) {
        fetch_word(key_of(other.word(static_cast<std::uint32_t>(later))));
      } else if (nodes[(later >> 32) - 1] != unknown) {
        fetch_pair(pair_here(later));
      }
    }
    const std::uint64_t pair = node_pair(i);
    if (pair >> 32 == 0) {
      const std::string_view token = other.word(static_cast<std::uint32_t>(pair));
      const std::uint32_t word = add_word(key_of(token), token);
      words[pair] = word;
      nodes[i] = sequences_ ? node_of_word_[word] : word;
    } else {
      nodes[i] = add_pair(pair_here(pair));
    }
  }
  return nodes;
}

}  // namespace deciban
