// The words of a file that describes a Bayes net, and its numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace deciban {

// What separates the words of a format, besides blanks and commas.
struct NetTextRules {
  std::string_view marks;    // characters that are tokens by themselves
  std::string_view comment;  // what begins a comment up to the end of its line; with "//" also /* … */
};

inline constexpr std::uint8_t word_token = 'w';
inline constexpr std::uint8_t string_token = '"';
inline constexpr std::uint8_t numbers_token = '0';

// Token i is text [starts[i], ends[i]) of kinds[i]: a mark's own character, or one of the above. Numbers that follow
// each other are one token, with numbers[firsts[i]] … numbers[firsts[i + 1] - 1]. `fault` is the position of a string
// or comment that is not closed, or -1. There are at most `most` tokens: `is_cut` says that the text has more.
struct NetTokens {
  std::vector<std::uint8_t> kinds;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::int64_t> firsts;
  std::vector<double> numbers;
  std::int64_t fault = -1;
  bool is_cut = false;
};

NetTokens scan_net_text(std::string_view text, const NetTextRules& rules, std::size_t most);

}  // namespace deciban
