#include "net_files.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "net_text.hpp"

namespace deciban::bind {
namespace {

nb::tuple scan_net_text_of(const nb::bytes& text, const std::string& marks, const std::string& comment) {
  require(!comment.empty(), "a comment begins with something");
  const std::string_view view(text.c_str(), text.size());
  NetTokens out = without_gil([&] { return scan_net_text(view, {marks, comment}); });
  const std::size_t tokens = out.kinds.size();
  const std::size_t numbers = out.numbers.size();
  return nb::make_tuple(nb::bytes(out.kinds.data(), tokens), to_numpy(std::move(out.starts), {tokens}),
                        to_numpy(std::move(out.ends), {tokens}), to_numpy(std::move(out.firsts), {tokens + 1}),
                        to_numpy(std::move(out.numbers), {numbers}), out.fault);
}

}  // namespace

void add_net_files(nb::module_& m) {
  using nb::arg;
  m.def("scan_net_text", &scan_net_text_of, arg("text"), arg("marks"), arg("comment"));
}

}  // namespace deciban::bind
