#include "scan.hpp"

#include <array>

namespace deciban {
namespace {

constexpr std::array<char, 256> lowered = [] {
  std::array<char, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
    const bool capital = c >= 'A' && c <= 'Z';
    table[static_cast<std::size_t>(c)] = static_cast<char>(capital ? c + 32 : (digit || letter) ? c : 0);
  }
  return table;
}();

}  // namespace

void Scanner::scan(std::string_view document, Encoding /*encoding*/) {
  text_.resize(document.size() + 1);
  tokens_.clear();
  char* out = text_.data();
  const char* at = document.data();
  const char* end = at + document.size();
  while (at < end) {
    char* begin = out;
    for (; at < end; ++at) {
      const char c = lowered[static_cast<unsigned char>(*at)];
      if (c == 0) break;
      *out++ = c;
    }
    const auto size = static_cast<std::size_t>(out - begin);
    if (size >= rules_.shortest && size <= rules_.longest) {
      tokens_.emplace_back(begin, size);
      *out++ = ' ';
    } else {
      out = begin;
    }
    ++at;
  }
}

}  // namespace deciban
