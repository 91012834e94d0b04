// Where normalized text goes: into tokens, one after the other, by the pattern.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "scan.hpp"
#include "scan_block.hpp"
#include "unicode/characters.hpp"

namespace deciban {

// The most bytes that one code point can become: its parts, each of up to four bytes with a space after it.
inline constexpr std::size_t most_bytes = 160;

template <Pattern pattern>
class Sink {
 public:
  Sink(const ScanRules& rules, Scratch& scratch, std::size_t input)
      : shortest_(pattern == Pattern::chars_wb ? 1 : rules.shortest),
        longest_(pattern == Pattern::chars_wb ? std::numeric_limits<std::size_t>::max() : rules.longest),
        scratch_(scratch) {
    scratch_.tokens.clear();
    const std::size_t room = 2 * input + 2 * most_bytes;
    if (scratch_.text.size() < room) scratch_.text.resize(room);
    out_ = start_ = scratch_.text.data();
    if (pattern == Pattern::chars_wb) *out_++ = ' ';
    start_ = out_;
  }

  // Makes room for what `input` bytes of ASCII and one other code point can become.
  void reserve(std::size_t input) {
    const auto used = static_cast<std::size_t>(out_ - scratch_.text.data());
    if (scratch_.text.size() - used < 2 * input + 2 * most_bytes) grow(2 * input + 2 * most_bytes);
  }

  // The first n bytes of a block, all of them ASCII.
  DECIBAN_INLINE void put_block(const Block& block, std::size_t n) {
    const std::uint64_t valid = ~std::uint64_t{0} >> (block_size - n);
    if constexpr (pattern == Pattern::segments) {
      append(block.bytes, n);
    } else if constexpr (pattern == Pattern::words || pattern == Pattern::words_punct) {
      put_runs(block, n, block.word & valid, ~(block.word | block.space) & valid);
    } else {
      put_runs(block, n, ~block.space & valid, block.space & valid);
    }
  }

  DECIBAN_INLINE void put(char32_t code) {
    const std::uint8_t flags = kind_of(code).flags;
    if constexpr (pattern == Pattern::segments) {
      append(code);
    } else if constexpr (pattern == Pattern::chars) {
      if ((flags & is_space) != 0) return put_space(code);
      after_space_ = false;
      append(code);
    } else if constexpr (pattern == Pattern::chars_wb) {
      (flags & is_space) == 0 ? append(code) : close();
    } else {
      if ((flags & is_word) != 0) return append(code);
      close();
      if (pattern == Pattern::words_punct && (flags & is_space) == 0) {
        append(code);
        close();
      }
    }
  }

  // Ends the token that is open, if any. A space stands after each token that is kept.
  DECIBAN_INLINE void close() {
    if (out_ == start_) return;
    if (length_ >= shortest_ && length_ <= longest_) {
      scratch_.tokens.emplace_back(start_, static_cast<std::size_t>(out_ - start_));
      *out_++ = ' ';
    } else {
      out_ = start_;
    }
    start_ = out_;
    length_ = 0;
  }

  // All that was written.
  std::string_view text() const {
    return {scratch_.text.data(), static_cast<std::size_t>(out_ - scratch_.text.data())};
  }

 private:
  // Runs of token characters are appended; of the others, each bit of `other` is put by itself.
  DECIBAN_INLINE void put_runs(const Block& block, std::size_t n, std::uint64_t word, std::uint64_t other) {
    for (std::size_t i = 0; i < n;) {
      const std::uint64_t rest = word >> i;
      if ((rest & 1U) != 0) {
        const auto run = static_cast<std::size_t>(std::countr_one(rest));
        if constexpr (pattern == Pattern::chars) after_space_ = false;
        append(block.bytes + i, run);
        i += run;
        if (i >= n) return;
      }
      if constexpr (pattern != Pattern::chars) close();
      const std::uint64_t next = pattern == Pattern::words || pattern == Pattern::chars_wb ? word : word | other;
      i += static_cast<std::size_t>(std::countr_zero(next >> i));
      if constexpr (pattern == Pattern::words_punct || pattern == Pattern::chars) {
        if (i < n && (other >> i & 1U) != 0) {
          put(static_cast<unsigned char>(block.bytes[i]));
          ++i;
        }
      }
    }
  }

  // Most words are short: 16 bytes are copied at once, wherever the word ends.
  DECIBAN_INLINE void append(const char* bytes, std::size_t n) {
    std::memcpy(out_, bytes, 16);
    if (n > 16) std::memcpy(out_ + 16, bytes + 16, 48);
    out_ += n;
    length_ += n;
  }

  DECIBAN_INLINE void append(char32_t code) {
    out_ = encode(code, out_);
    ++length_;
  }

  // \s\s+ becomes one space; a space character alone stays what it is.
  void put_space(char32_t code) {
    if (after_space_) {
      out_ = space_;
      code = ' ';
    }
    space_ = out_;
    after_space_ = true;
    append(code);
  }

  void grow(std::size_t more) {
    const auto used = static_cast<std::size_t>(out_ - scratch_.text.data());
    std::vector<char> larger(std::max(2 * scratch_.text.size(), used + more));
    const char* old = scratch_.text.data();
    std::memcpy(larger.data(), old, used);
    for (std::string_view& token : scratch_.tokens) token = {larger.data() + (token.data() - old), token.size()};
    start_ = larger.data() + (start_ - old);
    if (after_space_) space_ = larger.data() + (space_ - old);
    out_ = larger.data() + used;
    scratch_.text.swap(larger);
  }

  std::size_t shortest_, longest_;
  Scratch& scratch_;
  char* out_ = nullptr;
  char* start_ = nullptr;   // of the open token
  std::size_t length_ = 0;  // of the open token, in code points
  char* space_ = nullptr;   // where the space was written that ends the text so far
  bool after_space_ = false;
};

}  // namespace deciban
