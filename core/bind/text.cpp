#include "text.hpp"

#include <algorithm>
#include <limits>

#include "arrays.hpp"

namespace deciban::bind {
namespace {

Pattern pattern_of(const std::string& name) {
  if (name == "words") return Pattern::words;
  if (name == "words+punct") return Pattern::words_punct;
  if (name == "chars") return Pattern::chars;
  if (name == "chars_wb") return Pattern::chars_wb;
  require(name == "segments", "pattern must be words, words_punct, chars, chars_wb or segments");
  return Pattern::segments;
}

Accents accents_of(const std::optional<std::string>& name) {
  if (!name) return Accents::keep;
  if (*name == "unicode") return Accents::unicode;
  require(*name == "ascii", "accents must be None, unicode or ascii");
  return Accents::ascii;
}

void add_term(nb::list& terms, std::string_view text) {
  PyObject* term = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
  if (term == nullptr) nb::raise_python_error();
  terms.append(nb::steal(term));
}

nb::list terms_of(std::span<const std::string_view> tokens, std::size_t first, std::size_t last) {
  nb::list terms;
  for (std::size_t n = first; n <= std::min(last, tokens.size()); ++n) {
    for (std::size_t i = 0; i + n <= tokens.size(); ++i) {
      const char* start = tokens[i].data();
      const char* end = tokens[i + n - 1].data() + tokens[i + n - 1].size();
      add_term(terms, {start, static_cast<std::size_t>(end - start)});
    }
  }
  return terms;
}

nb::list tokenize(const nb::list& documents, const std::string& pattern, bool lower,
                  const std::optional<std::string>& accents, std::size_t shortest, std::optional<std::size_t> longest,
                  std::pair<std::size_t, std::size_t> chars, std::pair<std::size_t, std::size_t> ngrams) {
  require(ngrams.first > 0, "sizes must be at least 1");
  Scanner scanner(scan_rules(pattern, lower, accents, shortest, longest, chars));
  nb::list out;
  for (const nb::handle item : documents) {
    const Document document = document_of(item);
    scanner.scan(document.bytes, document.encoding);
    out.append(terms_of(scanner.tokens(), ngrams.first, ngrams.second));
  }
  return out;
}

}  // namespace

Document document_of(nb::handle item) {
  Document document{{}, Encoding::text, nb::borrow(item)};
  if (PyUnicode_Check(item.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (text != nullptr) {
      document.bytes = {text, static_cast<std::size_t>(size)};
      return document;
    }
    PyErr_Clear();  // It holds surrogates.
    document.owner = nb::steal(PyUnicode_AsEncodedString(item.ptr(), "utf-8", "surrogatepass"));
    if (!document.owner.is_valid()) nb::raise_python_error();
  } else {
    require(PyBytes_Check(item.ptr()) != 0, "a document must be str or bytes");
    document.encoding = Encoding::bytes;
  }
  document.bytes = {PyBytes_AsString(document.owner.ptr()),
                    static_cast<std::size_t>(PyBytes_Size(document.owner.ptr()))};
  return document;
}

ScanRules scan_rules(const std::string& pattern, bool lower, const std::optional<std::string>& accents,
                     std::size_t shortest, std::optional<std::size_t> longest,
                     std::pair<std::size_t, std::size_t> chars) {
  require(chars.first > 0, "sizes must be at least 1");
  return {pattern_of(pattern),
          lower,
          accents_of(accents),
          shortest,
          longest.value_or(std::numeric_limits<std::size_t>::max()),
          chars.first,
          chars.second};
}

void add_text(nb::module_& m) {
  using nb::arg;
  m.def("unicode_version", [] { return std::string(unicode_version()); });
  m.def("tokenize", &tokenize, arg("documents"), arg("pattern"), arg("lower"), arg("accents").none(), arg("shortest"),
        arg("longest").none(), arg("chars"), arg("ngrams"));
}

}  // namespace deciban::bind
