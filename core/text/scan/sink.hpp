// Where normalized text goes: into tokens, one after the other, by the pattern.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "text/scan/block.hpp"
#include "text/scan/scan.hpp"
#include "text/unicode/characters.hpp"

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
    at_.out = scratch_.text.data();
    if (pattern == Pattern::chars_wb) *at_.out++ = ' ';
    at_.start = at_.out;
  }

  // Makes room for what `input` bytes of ASCII and one other code point can become.
  void reserve(std::size_t input) {
    const auto used = static_cast<std::size_t>(at_.out - scratch_.text.data());
    if (scratch_.text.size() - used < 2 * input + 2 * most_bytes) grow(2 * input + 2 * most_bytes);
  }

  // The first n bytes of a block, all of them ASCII.
  DECIBAN_INLINE void put_block(const Block& block, std::size_t n) {
    const std::uint64_t valid = ~std::uint64_t{0} >> (block_size - n);
    if constexpr (pattern == Pattern::segments) {
      append(block.bytes, n, at_);
    } else if constexpr (pattern == Pattern::chars) {
      put_text(block, n, block.space & valid);
    } else if constexpr (pattern == Pattern::chars_wb) {
      put_tokens(block, n, ~block.space & valid, 0);
    } else {
      if (pattern == Pattern::words_emoji) close_emoji();
      const std::uint64_t other = pattern == Pattern::words_punct ? ~(block.word | block.space) : 0;
      put_tokens(block, n, block.word & valid, other & valid);
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
      if (pattern == Pattern::words_emoji) {
        if (emoji_ == Emoji::none && (flags & is_word) != 0) return append(code);  // the most frequent case
        if (put_emoji(code, flags)) return;
      }
      if ((flags & is_word) != 0) return append(code);
      close();
      if (pattern == Pattern::words_punct && (flags & is_space) == 0) {
        append(code);
        close();
      }
    }
  }

  // Ends the token that is open, if any.
  void close() {
    if (pattern == Pattern::words_emoji && emoji_ != Emoji::none) return close_emoji();
    if (at_.out == at_.start) return;
    std::string_view token;
    if (close(at_, token) != 0) scratch_.tokens.push_back(token);
  }

  // All that was written.
  std::string_view text() const {
    return {scratch_.text.data(), static_cast<std::size_t>(at_.out - scratch_.text.data())};
  }

 private:
  // The emoji that is open: none, one letter of a flag, a whole one, or one that a joiner follows.
  enum class Emoji { none, half_flag, whole, joined };

  // Whether the code point begins an emoji, or is a part of the open one, which ends otherwise.
  DECIBAN_INLINE bool put_emoji(char32_t code, std::uint8_t flags) {
    const bool is_letter = kind_of(code).word_break == tables::wb_regional_indicator;
    if (emoji_ == Emoji::none && (flags & is_emoji) == 0 && !is_letter) return false;
    return put_any_emoji(code, flags, is_letter);
  }

  bool put_any_emoji(char32_t code, std::uint8_t flags, bool is_letter) {
    const bool is_open = emoji_ == Emoji::whole;
    if (is_open && code == joiner) {
      emoji_ = Emoji::joined;
      return true;
    }
    if (is_open && (flags & is_emoji_part) != 0) {
      append(code);
      return true;
    }
    if (emoji_ == Emoji::half_flag && is_letter) {
      append(code);
      close_emoji(true);
      return true;
    }
    if ((flags & is_emoji) == 0 && !is_letter) {
      close_emoji();
      return false;
    }
    if (emoji_ == Emoji::joined && !is_letter) {
      append(joiner);
    } else {
      close();
    }
    append(code);
    emoji_ = is_letter ? Emoji::half_flag : Emoji::whole;
    return true;
  }

  // Ends the open emoji, if any: it is a token however short it is. Half a flag is none.
  void close_emoji(bool is_whole_flag = false) {
    if (emoji_ == Emoji::none) return;
    at_.length = emoji_ == Emoji::half_flag && !is_whole_flag ? 0 : shortest_;
    emoji_ = Emoji::none;
    close();
  }

  // The output position. Kept in a local variable in hot loops: a char that is written may alias every member.
  struct Cursor {
    char* out = nullptr;
    char* start = nullptr;   // of the open token
    std::size_t length = 0;  // of the open token, in code points
  };

  // Runs of `word`, and each of `single` by itself. The next start and the next end belong together, as tokens do not
  // overlap; only the last token may lack its end.
  DECIBAN_INLINE void put_tokens(const Block& block, std::size_t n, std::uint64_t word, std::uint64_t single) {
    if ((word & 1U) == 0) close();
    Cursor at = at_;
    std::size_t count = 0;
    std::uint64_t starts = (word & ~(word << 1)) | single;
    std::uint64_t ends = ((~word & (word << 1)) | (single << 1)) & (~std::uint64_t{0} >> (block_size - n));
    for (; ends != 0; ends &= ends - 1, starts &= starts - 1) {
      const auto start = static_cast<std::size_t>(std::countr_zero(starts));
      append(block.bytes + start, static_cast<std::size_t>(std::countr_zero(ends)) - start, at);
      count += close(at, found_[count]);
    }
    if (starts != 0) {
      const auto start = static_cast<std::size_t>(std::countr_zero(starts));
      append(block.bytes + start, n - start, at);
      if ((single >> start & 1U) != 0) count += close(at, found_[count]);
    }
    at_ = at;
    scratch_.tokens.insert(scratch_.tokens.end(), found_, found_ + count);
  }

  DECIBAN_INLINE void put_text(const Block& block, std::size_t n, std::uint64_t space) {
    for (std::size_t i = 0; i < n;) {
      const std::size_t run = std::min(n - i, static_cast<std::size_t>(std::countr_zero(space >> i)));
      if (run > 0) {
        append(block.bytes + i, run, at_);
        after_space_ = false;
        i += run;
      } else {
        put_space(static_cast<unsigned char>(block.bytes[i++]));
      }
    }
  }

  // Ends a token; returns 1 if it is kept, with a space after it. Without a branch, as lengths cannot be predicted.
  DECIBAN_INLINE std::size_t close(Cursor& at, std::string_view& token) const {
    const bool is_kept = (at.length >= shortest_) & (at.length <= longest_);
    token = {at.start, static_cast<std::size_t>(at.out - at.start)};
    *at.out = ' ';
    at.start = is_kept ? at.out + 1 : at.start;
    at.out = at.start;
    at.length = 0;
    return is_kept ? 1 : 0;
  }

  // Most words are short: 16 bytes are copied at once, wherever the word ends.
  static DECIBAN_INLINE void append(const char* bytes, std::size_t n, Cursor& at) {
    std::memcpy(at.out, bytes, 16);
    if (n > 16) std::memcpy(at.out + 16, bytes + 16, block_size - 16);
    at.out += n;
    at.length += n;
  }

  DECIBAN_INLINE void append(char32_t code) {
    at_.out = encode(code, at_.out);
    ++at_.length;
  }

  // \s\s+ becomes one space; a single space character is kept as it is.
  void put_space(char32_t code) {
    if (after_space_) {
      at_.out = space_;
      code = ' ';
    }
    space_ = at_.out;
    after_space_ = true;
    append(code);
  }

  void grow(std::size_t more) {
    const auto used = static_cast<std::size_t>(at_.out - scratch_.text.data());
    std::vector<char> larger(std::max(2 * scratch_.text.size(), used + more));
    const char* old = scratch_.text.data();
    std::memcpy(larger.data(), old, used);
    for (std::string_view& token : scratch_.tokens) token = {larger.data() + (token.data() - old), token.size()};
    at_.start = larger.data() + (at_.start - old);
    if (after_space_) space_ = larger.data() + (space_ - old);
    at_.out = larger.data() + used;
    scratch_.text.swap(larger);
  }

  std::size_t shortest_, longest_;
  Scratch& scratch_;
  Cursor at_;
  char* space_ = nullptr;  // where the space was written that ends the text so far
  bool after_space_ = false;
  Emoji emoji_ = Emoji::none;
  std::string_view found_[block_size + 1];
};

}  // namespace deciban
