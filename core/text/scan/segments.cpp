// Word boundaries of Unicode: UAX 29, section 4.1.1; the rules' names are in the comments. WB3c (emoji joined by ZWJ)
// is left out, as Python's database has no property for emoji: it changes the boundaries of no word.
#include <algorithm>
#include <cstring>

#include "text/scan/scan.hpp"
#include "text/unicode/characters.hpp"

namespace deciban {
namespace {

using Class = std::uint8_t;
using namespace tables;

constexpr std::uint32_t any(std::initializer_list<Class> classes) {
  std::uint32_t bits = 0;
  for (const Class c : classes) bits |= 1U << c;
  return bits;
}

constexpr bool in(Class c, std::uint32_t set) {
  return (set >> c & 1U) != 0;
}

constexpr std::uint32_t newline = any({wb_cr, wb_lf, wb_newline});
constexpr std::uint32_t attached = any({wb_extend, wb_format, wb_zwj});
constexpr std::uint32_t letter = any({wb_aletter, wb_hebrew_letter});
constexpr std::uint32_t number = any({wb_numeric});
constexpr std::uint32_t hebrew = any({wb_hebrew_letter});
constexpr std::uint32_t quote = any({wb_double_quote});
constexpr std::uint32_t mid_letter = any({wb_midletter, wb_midnumlet, wb_single_quote});
constexpr std::uint32_t mid_number = any({wb_midnum, wb_midnumlet, wb_single_quote});
constexpr std::uint32_t joined = letter | number | any({wb_katakana});

struct Around {
  Class raw = wb_other;     // just before
  Class before = wb_other;  // before, without attached characters
  Class second = wb_other;  // before that
  bool is_odd = false;      // whether an odd number of regional indicators ends before
};

// Whether two characters of these classes stay together whatever lies around them.
bool is_pair(Class a, Class b) {
  return (in(a, letter | number) && in(b, letter | number))                   // WB5, 8, 9, 10
         || (a == wb_hebrew_letter && b == wb_single_quote)                   // WB7a
         || (a == wb_katakana && b == wb_katakana)                            // WB13
         || (b == wb_extendnumlet && in(a, joined | any({wb_extendnumlet})))  // WB13a
         || (a == wb_extendnumlet && in(b, joined));                          // WB13b
}

// Whether `middle` joins a and b: WB6 and 7, 7b and 7c, 11 and 12.
bool is_triple(Class a, Class middle, Class b) {
  return (in(a, letter) && in(middle, mid_letter) && in(b, letter)) ||
         (in(a, hebrew) && in(middle, quote) && in(b, hebrew)) ||
         (in(a, number) && in(middle, mid_number) && in(b, number));
}

// The class of the next character from p on, without attached characters. A run of those is read again only for
// the character before it, so the time stays linear.
Class class_ahead(const char* p, const char* end) {
  while (p < end) {
    const Decoded found = decode(p, end, true);
    const Class c = kind_of(found.code).word_break;
    if (!in(c, attached)) return c;
    p += found.bytes;
  }
  return wb_other;
}

// Whether there is a boundary before a character of class c that ends at `after`.
bool is_boundary(const Around& at, Class c, const char* after, const char* end) {
  if (in(at.raw, letter | number) && in(c, letter | number)) return false;  // the most frequent case
  if (at.raw == wb_cr && c == wb_lf) return false;                          // WB3
  if (in(at.raw, newline) || in(c, newline)) return true;                   // WB3a, 3b
  if (at.raw == wb_wsegspace && c == wb_wsegspace) return false;            // WB3d
  if (in(c, attached)) return false;                                        // WB4
  if (is_pair(at.before, c) || is_triple(at.second, at.before, c)) return false;
  if (in(c, mid_letter | mid_number | quote) && in(at.before, letter | number)) {
    return !is_triple(at.before, c, class_ahead(after, end));
  }
  return !(c == wb_regional_indicator && at.is_odd);  // WB15, 16
}

void pass(Around& at, Class c) {
  at.raw = c;
  if (in(c, attached)) return;
  at.is_odd = c == wb_regional_indicator && !at.is_odd;
  at.second = at.before;
  at.before = c;
}

}  // namespace

void cut_segments(std::string_view text, const ScanRules& rules, Scratch& scratch) {
  if (scratch.text.size() < 2 * text.size()) scratch.text.resize(2 * text.size());
  char* out = scratch.text.data();
  const char* const end = text.data() + text.size();
  const char* start = text.data();
  std::size_t length = 0;
  bool has_word = false;
  const auto close = [&](const char* p) {
    if (has_word && length >= rules.shortest && length <= rules.longest) {
      const auto size = static_cast<std::size_t>(p - start);
      std::memcpy(out, start, size);
      scratch.tokens.emplace_back(out, size);
      out[size] = ' ';
      out += size + 1;
    }
    start = p;
    length = 0;
    has_word = false;
  };
  Around at;
  for (const char* p = start; p < end;) {
    const Decoded found = decode(p, end, true);
    const Kind& kind = kind_of(found.code);
    if (p > start && is_boundary(at, kind.word_break, p + found.bytes, end)) close(p);
    pass(at, kind.word_break);
    has_word |= (kind.flags & is_word) != 0 && found.code != '_';
    ++length;
    p += found.bytes;
  }
  close(end);
}

}  // namespace deciban
