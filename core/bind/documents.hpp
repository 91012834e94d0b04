// Documents from Python: lists of str or bytes, lists of lists of tokens, Arrow arrays of strings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "bind/arrays.hpp"
#include "text/documents.hpp"

namespace deciban::bind {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The buffers of an Arrow array of strings.
struct ArrowText {
  Bytes text;
  AnyVector offsets;  // int32 or int64
  std::optional<Bytes> validity;
  std::int64_t first;
  std::int64_t count;

  ArrowText(Bytes text, AnyVector offsets, std::optional<Bytes> validity, std::int64_t first, std::int64_t count);
};

// The bytes of one str, in UTF-8, or of one bytes object; `owner` keeps them alive.
struct Document {
  std::string_view bytes;
  Encoding encoding;
  nb::object owner;
};

Document document_of(nb::handle item);

// Text, a list of Arrow's chunks, or lists of tokens of documents that are tokenized already. Call it with the GIL
// held; the result takes it when needed.
std::unique_ptr<Documents> documents_of(const nb::object& documents, bool are_tokens);

// Pattern, lower, accents, shortest, longest, first and last of characters, first and last of tokens. None: tokens.
using GivenRules = std::optional<std::tuple<std::string, bool, std::string, std::size_t, std::size_t, std::size_t,
                                            std::size_t, std::size_t, std::size_t>>;

ScanRules scan_rules(const std::string& pattern, bool lower, const std::string& accents, std::size_t shortest,
                     std::size_t longest, std::pair<std::size_t, std::size_t> chars);

TextRules rules_of(const GivenRules& given);

// Documents and rules as Python gives them.
struct GivenText {
  TextRules rules;
  std::unique_ptr<Documents> documents;

  GivenText(const nb::object& given, const GivenRules& rules_given)
      : rules(rules_of(rules_given)), documents(documents_of(given, !rules.scan)) {}
};

}  // namespace deciban::bind
