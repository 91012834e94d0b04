// Documents to tokens: lower-cased, without accents, and cut by a pattern, as scikit-learn's vectorizers do it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace deciban {

enum class Pattern { words, words_emoji, words_punct, chars, chars_wb, segments };
enum class Accents { keep, unicode, ascii };
// Text is UTF-8 that may hold surrogates (a Python str); in bytes from elsewhere they are malformed.
enum class Encoding { text, bytes };

struct ScanRules {
  Pattern pattern;
  bool lower;
  Accents accents;
  std::size_t shortest, longest;  // token length in code points, for words, words_punct and segments
  std::size_t first, last;        // sizes of n-grams of characters, for chars and chars_wb; else 1, 1
};

// The output of a scan; kept between documents, so that its memory is used again.
struct Scratch {
  std::vector<char> text;
  std::vector<char> uncut;
  std::vector<std::string_view> tokens;
  std::vector<std::string_view> words;
};

class Scanner {
 public:
  explicit Scanner(const ScanRules& rules) : rules_(rules) {}
  // The tokens of words, words_punct and segments are stored one after the other, separated by one space, so an n-gram
  // of tokens i..j is the text from the start of i to the end of j. They are valid until the next scan.
  void scan(std::string_view document, Encoding encoding = Encoding::text);
  std::span<const std::string_view> tokens() const { return scratch_.tokens; }

 private:
  ScanRules rules_;
  Scratch scratch_;
};

// The version of Unicode whose tables the core was built with.
std::string_view unicode_version();

// Cuts text at the word boundaries of UAX 29, and copies segments with a letter or digit to scratch.text.
void cut_segments(std::string_view text, const ScanRules& rules, Scratch& scratch);

}  // namespace deciban
