#include "text/documents.hpp"

#include <algorithm>
#include <cstdint>

#include "text/hash.hpp"

namespace deciban {

void Documents::split(std::size_t parts) {
  std::size_t all = 0;
  for (const std::string_view view : views_) all += view.size() + 1;
  parts_.clear();
  reached_.clear();
  std::size_t begin = 0;
  std::size_t seen = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    std::size_t end = begin;
    while (end < count() && (p + 1 == parts || seen < all / parts * (p + 1))) seen += views_[end++].size() + 1;
    parts_.push_back({begin, end});
    reached_.push_back(begin);
    begin = end;
  }
}

bool Documents::advance(std::vector<Run>& runs) {
  constexpr std::size_t copied_bytes = 8 << 20;
  release();
  runs.clear();
  bool any = false;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::size_t begin = reached_[p];
    if (begin < parts_[p].end) {
      reached_[p] = prepare({begin, parts_[p].end}, copied_bytes / parts_.size());
      any = true;
    }
    runs.push_back({begin, reached_[p]});
  }
  return any;
}

Tokenizer::Tokenizer(const TextRules& rules) {
  if (rules.scan) scanner_.emplace(*rules.scan);
}

std::span<const std::string_view> Tokenizer::read(const Documents& documents, std::size_t document) {
  if (scanner_) {
    scanner_->scan(documents[document], documents.encoding(document));
    return scanner_->tokens();
  }
  tokens_.clear();
  for (std::string_view rest = documents[document]; !rest.empty();) {
    const auto size = static_cast<std::uint32_t>(load_some(&rest.front(), sizeof(std::uint32_t)));
    tokens_.push_back(rest.substr(sizeof size, size));
    rest.remove_prefix(sizeof size + size);
  }
  return tokens_;
}

}  // namespace deciban
