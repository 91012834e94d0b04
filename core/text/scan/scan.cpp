#include "text/scan/scan.hpp"

#include "text/scan/sink.hpp"

namespace deciban {
namespace {

static_assert(most_bytes >= 24 * 5, "as many parts as make_tables.py allows, of four bytes and a space");

// One document on its way into a sink.
template <Pattern pattern>
class Scan {
 public:
  Scan(const ScanRules& rules, Scratch& scratch, std::string_view document, Encoding encoding)
      : rules_(rules),
        with_surrogates_(encoding == Encoding::text),
        begin_(document.data()),
        end_(begin_ + document.size()),
        sink_(rules, scratch, document.size()) {}

  Sink<pattern>& run() {
    const char* p = begin_;
    while (p < end_) {
      p = rules_.lower ? ascii<true>(p) : ascii<false>(p);
      if (p < end_) p = others(p);
    }
    if constexpr (pattern != Pattern::chars && pattern != Pattern::segments) sink_.close();
    return sink_;
  }

 private:
  std::size_t left(const char* p) const { return static_cast<std::size_t>(end_ - p); }

  // Block by block, up to the first byte that is not ASCII.
  template <bool lower>
  const char* ascii(const char* p) {
    Block block;
    while (p < end_) {
      const std::size_t size = std::min(left(p), block_size);
      read_block<lower>(p, size, block);
      const std::size_t n = std::min(size, static_cast<std::size_t>(std::countr_zero(block.high)));
      if (n > 0) sink_.put_block(block, n);
      p += n;
      if (n < size) break;
    }
    return p;
  }

  // Code point by code point, until eight bytes of ASCII follow: from there on blocks are faster.
  const char* others(const char* p) {
    while (p < end_ && !is_ascii_ahead(p)) {
      const Decoded found = decode(p, end_, with_surrogates_);
      normalize(found.code, p, p + found.bytes);
      p += found.bytes;
      sink_.reserve(left(p));
    }
    return p;
  }

  bool is_ascii_ahead(const char* p) const {
    if (static_cast<unsigned char>(*p) >= 0x80 || left(p) < 8) return false;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, 8);
    return (bytes & 0x8080808080808080U) == 0;
  }

  // The code point that lies from p to after.
  void normalize(char32_t code, const char* p, const char* after) {
    if (!rules_.lower) return strip(code);
    const tables::Kind& kind = kind_of(code);
    if (code == capital_sigma && is_final(p, after)) return strip(final_sigma);
    if ((kind.flags & lowers_to_two) == 0) return strip(code + static_cast<char32_t>(kind.lower));
    for (const tables::LowersToTwo& row : tables::lowers_to_two) {
      if (row.code != code) continue;
      strip(row.first);
      strip(row.second);
    }
  }

  void strip(char32_t code) {
    if (rules_.accents == Accents::keep) return sink_.put(code);
    char32_t own[3];
    for (const char32_t part : parts_of(code, own)) {
      if (part < 0x80 || rules_.accents == Accents::unicode) sink_.put(part);
    }
  }

  // A sigma is final after a cased letter and not before one, ignorable characters aside (The Unicode Standard, 3.13).
  // No ignorable character is looked at by more than two sigmas, as a sigma is none.
  bool is_final(const char* p, const char* after) const {
    const auto is = [](char32_t code, std::uint8_t flag) { return (kind_of(code).flags & flag) != 0; };
    Decoded found{replacement, 0};
    for (; p > begin_; p -= found.bytes) {
      found = decode_before(begin_, p);
      if (!is(found.code, is_ignorable)) break;
    }
    if (p == begin_ || !is(found.code, is_cased)) return false;
    for (; after < end_; after += found.bytes) {
      found = decode(after, end_, with_surrogates_);
      if (!is(found.code, is_ignorable)) return !is(found.code, is_cased);
    }
    return true;
  }

  const ScanRules& rules_;
  bool with_surrogates_;
  const char* begin_;
  const char* end_;
  Sink<pattern> sink_;
};

const char* next(const char* p, const char* end) {
  ++p;
  while (p < end && (static_cast<unsigned char>(*p) & 0xC0U) == 0x80) ++p;
  return p;
}

// All runs of n code points of the text. False if it has fewer.
bool add_ngrams(std::string_view text, std::size_t n, std::vector<std::string_view>& tokens) {
  const char* start = text.data();
  const char* const end = start + text.size();
  const char* stop = start;
  for (std::size_t i = 0; i < n; ++i) {
    if (stop == end) return false;
    stop = next(stop, end);
  }
  while (true) {
    tokens.emplace_back(start, static_cast<std::size_t>(stop - start));
    if (stop == end) return true;
    start = next(start, end);
    stop = next(stop, end);
  }
}

void add_chars(std::string_view text, const ScanRules& rules, Scratch& scratch) {
  for (std::size_t n = rules.first; n <= rules.last; ++n) {
    if (!add_ngrams(text, n, scratch.tokens)) return;
  }
}

// Of each word with the space at either side. A word that is not longer than n counts once, and no larger n is taken.
void add_word_chars(const ScanRules& rules, Scratch& scratch) {
  scratch.words.swap(scratch.tokens);
  scratch.tokens.clear();
  for (const std::string_view word : scratch.words) {
    const std::string_view wide(word.data() - 1, word.size() + 2);
    for (std::size_t n = rules.first; n <= rules.last; ++n) {
      const std::size_t before = scratch.tokens.size();
      if (!add_ngrams(wide, n, scratch.tokens)) {
        if (n == rules.first) scratch.tokens.push_back(wide);
        break;
      }
      if (scratch.tokens.size() == before + 1) break;
    }
  }
}

template <Pattern pattern>
void scan_as(const ScanRules& rules, Scratch& scratch, std::string_view document, Encoding encoding) {
  Scan<pattern> scan(rules, scratch, document, encoding);
  const Sink<pattern>& sink = scan.run();
  if constexpr (pattern == Pattern::chars) add_chars(sink.text(), rules, scratch);
  if constexpr (pattern == Pattern::chars_wb) add_word_chars(rules, scratch);
  if constexpr (pattern == Pattern::segments) {
    const std::size_t size = sink.text().size();
    scratch.uncut.swap(scratch.text);
    cut_segments({scratch.uncut.data(), size}, rules, scratch);
  }
}

}  // namespace

void Scanner::scan(std::string_view document, Encoding encoding) {
  switch (rules_.pattern) {
    case Pattern::words: return scan_as<Pattern::words>(rules_, scratch_, document, encoding);
    case Pattern::words_emoji: return scan_as<Pattern::words_emoji>(rules_, scratch_, document, encoding);
    case Pattern::words_punct: return scan_as<Pattern::words_punct>(rules_, scratch_, document, encoding);
    case Pattern::chars: return scan_as<Pattern::chars>(rules_, scratch_, document, encoding);
    case Pattern::chars_wb: return scan_as<Pattern::chars_wb>(rules_, scratch_, document, encoding);
    case Pattern::segments: return scan_as<Pattern::segments>(rules_, scratch_, document, encoding);
  }
}

std::string_view unicode_version() {
  return tables::version;
}

}  // namespace deciban
