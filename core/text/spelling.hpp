// A vocabulary as flat arrays: stored, sorted and merged with another.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace deciban {

// All tokens' bytes in a row, and where each begins; one more offset than tokens.
struct Spelling {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets{0};
};

struct SpellingView {
  std::span<const std::uint8_t> bytes;
  std::span<const std::int64_t> offsets;

  std::size_t size() const { return offsets.size() - 1; }
  std::string_view operator[](std::size_t token) const {
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    return {text + offsets[token], static_cast<std::size_t>(offsets[token + 1] - offsets[token])};
  }
};

// The tokens' numbers in the order of their bytes.
std::vector<std::uint32_t> sort_tokens(const SpellingView& spelling);

// The spelling with its tokens in another order.
Spelling reorder(const SpellingView& spelling, std::span<const std::uint32_t> order);

// The tokens of one spelling, then those of another that are new; `numbers` gets the index of each of the other's.
Spelling unite(const SpellingView& ours, const SpellingView& theirs, std::vector<std::int64_t>& numbers);

}  // namespace deciban
