// A stand-in for the scanner: lower-cased words of ASCII.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deciban {

enum class Pattern { words, words_punct, chars, chars_wb, segments };
enum class Accents { keep, unicode, ascii };
enum class Encoding { text, bytes };

struct ScanRules {
  Pattern pattern;
  bool lower;
  Accents accents;
  std::size_t shortest, longest;
  std::size_t first, last;
};

class Scanner {
 public:
  explicit Scanner(const ScanRules& rules) : rules_(rules) {}
  void scan(std::string_view document, Encoding encoding = Encoding::text);
  std::span<const std::string_view> tokens() const { return tokens_; }

 private:
  ScanRules rules_;
  std::string text_;
  std::vector<std::string_view> tokens_;
};

}  // namespace deciban
