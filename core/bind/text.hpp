// The part of deciban._core that reads documents. Documents are str, or bytes in UTF-8.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scan.hpp"

namespace deciban::bind {

// The bytes of a document; `owner` keeps them alive.
struct Document {
  std::string_view bytes;
  Encoding encoding;
  nanobind::object owner;
};

Document document_of(nanobind::handle item);

ScanRules scan_rules(const std::string& pattern, bool lower, const std::optional<std::string>& accents,
                     std::size_t shortest, std::optional<std::size_t> longest,
                     std::pair<std::size_t, std::size_t> chars);

void add_text(nanobind::module_& m);

}  // namespace deciban::bind
