#include "read/net_tokens.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>

namespace deciban {
namespace {

enum class Role : std::uint8_t { word, blank, mark, quote };

std::array<Role, 256> roles_of(std::string_view marks) {
  std::array<Role, 256> roles{};
  for (const char c : std::string_view(" \t\r\n\f\v,")) roles[static_cast<std::uint8_t>(c)] = Role::blank;
  for (const char c : marks) roles[static_cast<std::uint8_t>(c)] = Role::mark;
  roles[static_cast<std::uint8_t>('"')] = Role::quote;
  return roles;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

#if defined(__cpp_lib_to_chars) && !defined(DECIBAN_PLAIN_LOOPS)
// All of `digits` as a number; false where it is not one.
bool read_unsigned(std::string_view digits, double& out) {
  const char* const first = digits.data();
  const char* const last = first + digits.size();
  const auto [end, error] = std::from_chars(first, last, out);
  if (end != last || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) out = std::strtod(std::string(digits).c_str(), nullptr);
  return true;
}
#else
// For standard libraries whose from_chars reads integers only, such as LLVM's before version 20.
bool is_decimal(std::string_view word) {
  const auto skip = [&](std::size_t at) {
    while (at < word.size() && is_digit(word[at])) ++at;
    return at;
  };
  std::size_t at = skip(0);
  std::size_t digits = at;
  if (at < word.size() && word[at] == '.') {
    const std::size_t end = skip(at + 1);
    digits += end - at - 1;
    at = end;
  }
  if (digits > 0 && at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    const bool is_signed = at + 1 < word.size() && (word[at + 1] == '+' || word[at + 1] == '-');
    const std::size_t first = at + (is_signed ? 2 : 1);
    at = skip(first);
    if (at == first) return false;
  }
  return digits > 0 && at == word.size();
}

bool read_unsigned(std::string_view digits, double& out) {
  if (!is_decimal(digits)) return false;
  std::istringstream in{std::string(digits)};
  in.imbue(std::locale::classic());
  if (!(in >> out)) out = std::strtod(std::string(digits).c_str(), nullptr);  // out of range
  return true;
}
#endif

// The whole word as a decimal number; false where it is not one.
bool read_number(std::string_view word, double& out) {
  const bool is_signed = word.front() == '+' || word.front() == '-';
  const std::string_view digits = is_signed ? word.substr(1) : word;
  if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) return false;
  if (!read_unsigned(digits, out)) return false;
  if (word.front() == '-') out = -out;
  return true;
}

class NetScanner {
 public:
  NetScanner(std::string_view text, const NetTextRules& rules, std::size_t most)
      : text_(text), comment_(rules.comment), roles_(roles_of(rules.marks)), most_(most) {}

  NetTokens scan() {
    while (at_ < text_.size() && out_.fault < 0 && !out_.is_cut) step();
    out_.firsts.push_back(static_cast<std::int64_t>(out_.numbers.size()));
    return std::move(out_);
  }

 private:
  Role role() const { return roles_[static_cast<std::uint8_t>(text_[at_])]; }
  bool is_comment(std::size_t at) const {
    if (text_[at] != comment_.front()) return false;
    return text_.substr(at).starts_with(comment_) || is_long_comment(at);
  }
  bool is_long_comment(std::size_t at) const { return comment_ == "//" && text_.substr(at).starts_with("/*"); }

  void step() {
    if (role() == Role::blank) {
      ++at_;
    } else if (is_comment(at_)) {
      is_run_ = false;
      skip_comment();
    } else if (role() == Role::mark) {
      add(static_cast<std::uint8_t>(text_[at_]), at_ + 1);
    } else if (role() == Role::quote) {
      take_string();
    } else {
      take_word();
    }
  }

  void skip_comment() {
    const bool is_long = is_long_comment(at_);
    const std::size_t end = is_long ? text_.find("*/", at_ + 2) : text_.find('\n', at_);
    if (is_long && end == std::string_view::npos) out_.fault = static_cast<std::int64_t>(at_);
    at_ = end == std::string_view::npos ? text_.size() : end + (is_long ? 2 : 1);
  }

  void take_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    if (end < text_.size()) {
      add(string_token, end + 1);
    } else {
      out_.fault = static_cast<std::int64_t>(at_);
    }
  }

  void take_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && role() == Role::word && !is_comment(at_)) ++at_;
    const std::size_t end = at_;
    at_ = start;
    double number = 0.0;
    if (!read_number(text_.substr(start, end - start), number)) {
      add(word_token, end);
      return;
    }
    if (is_run_) {
      out_.ends.back() = static_cast<std::int64_t>(end);
      at_ = end;
    } else {
      add(numbers_token, end);
      if (out_.is_cut) return;
      is_run_ = true;
    }
    out_.numbers.push_back(number);
  }

  void add(std::uint8_t kind, std::size_t end) {
    out_.is_cut = out_.kinds.size() == most_;
    if (out_.is_cut) return;
    out_.kinds.push_back(kind);
    out_.starts.push_back(static_cast<std::int64_t>(at_));
    out_.ends.push_back(static_cast<std::int64_t>(end));
    out_.firsts.push_back(static_cast<std::int64_t>(out_.numbers.size()));
    at_ = end;
    is_run_ = false;
  }

  std::string_view text_;
  std::string_view comment_;
  std::array<Role, 256> roles_;
  std::size_t most_;
  NetTokens out_;
  std::size_t at_ = 0;
  bool is_run_ = false;  // the last token is a run of numbers, followed by blanks only
};

}  // namespace

NetTokens scan_net_text(std::string_view text, const NetTextRules& rules, std::size_t most) {
  return NetScanner(text, rules, most).scan();
}

}  // namespace deciban
