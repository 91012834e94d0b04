// Tokens of files that describe Bayes nets.
#include <nanobind/stl/string.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "read/net_tokens.hpp"

namespace deciban::bind {
namespace {

nb::tuple scan_net_text_of(const nb::bytes& text, const std::string& marks, const std::string& comment,
                           std::int64_t most) {
  require(!comment.empty(), "a comment begins with something");
  require(most >= 0, "the number of tokens is negative");
  const std::string_view view(text.c_str(), text.size());
  NetTokens out = without_gil([&] { return scan_net_text(view, {marks, comment}, size(most)); });
  const std::size_t tokens = out.kinds.size();
  const std::size_t numbers = out.numbers.size();
  return nb::make_tuple(nb::bytes(out.kinds.data(), tokens), to_numpy(std::move(out.starts), {tokens}),
                        to_numpy(std::move(out.ends), {tokens}), to_numpy(std::move(out.firsts), {tokens + 1}),
                        to_numpy(std::move(out.numbers), {numbers}), out.fault, out.is_cut);
}

}  // namespace

void bind_read(nb::module_& m) {
  using nb::arg;
  m.def("scan_net_text", &scan_net_text_of, arg("text"), arg("marks"), arg("comment"), arg("most"));
}

}  // namespace deciban::bind
