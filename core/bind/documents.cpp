#include "bind/documents.hpp"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace deciban::bind {
namespace {

[[noreturn]] void raise_type(std::size_t document, nb::handle found, const char* wanted) {
  const std::string message = "document " + std::to_string(document) + " is of type '" +
                              nb::cast<std::string>(found.type().attr("__name__")) + "', not " + wanted + ".";
  PyErr_SetString(nb::module_::import_("deciban.errors").attr("InputTypeError").ptr(), message.c_str());
  throw nb::python_error();
}

bool is_ascii(nb::handle text) {
#ifdef Py_LIMITED_API
  return nb::cast<bool>(text.attr("isascii")());
#else
  return PyUnicode_READY(text.ptr()) == 0 && PyUnicode_IS_ASCII(text.ptr());
#endif
}

std::string_view ascii_view(nb::handle text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);  // of ASCII: the string's own bytes
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

// In UTF-8, with lone surrogates encoded as they are.
nb::bytes encoded(nb::handle text) {
  PyObject* bytes = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass");
  if (bytes == nullptr) throw nb::python_error();
  return nb::steal<nb::bytes>(bytes);
}

// Views of Python objects. A str that is not stored as UTF-8 has a view without data, of about its length, until it is
// copied.
class Texts : public Documents {
 public:
  Texts(const nb::object& documents, bool are_tokens) : are_tokens_(are_tokens) {
    PyObject* held = PySequence_Tuple(documents.ptr());  // keeps the documents while others may change the list
    if (held == nullptr) throw nb::python_error();
    documents_ = nb::steal<nb::tuple>(held);
    views_.reserve(documents_.size());
    for (std::size_t d = 0; d < documents_.size(); ++d) views_.push_back(view(d));
  }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;
  ~Texts() override = default;

  Encoding encoding(std::size_t document) const override {
    return !is_bytes_.empty() && is_bytes_[document] ? Encoding::bytes : Encoding::text;
  }

 protected:
  std::size_t prepare(Run run, std::size_t bytes) override {
    if (!any_copied_) return run.end;
    const nb::gil_scoped_acquire hold;
    std::size_t d = run.begin;
    for (std::size_t used = 0; d < run.end && used < bytes; ++d) {
      if (!needs_copy(d)) continue;
      copied_.emplace_back(d, views_[d].size());
      views_[d] = are_tokens_ ? pack(d) : copy(d);
      used += views_[d].size();
    }
    return d;
  }

  void release() override {
    if (copied_.empty()) return;
    const nb::gil_scoped_acquire hold;
    for (const auto& [document, size] : copied_) views_[document] = {nullptr, size};
    copied_.clear();
    bytes_.clear();
    packed_.clear();
  }

 private:
  bool needs_copy(std::size_t d) const { return views_[d].data() == nullptr && !views_[d].empty(); }

  std::string_view view(std::size_t d) {
    const nb::handle text = documents_[d];
    if (are_tokens_) {
      if (!nb::isinstance<nb::list>(text) && !nb::isinstance<nb::tuple>(text)) raise_type(d, text, "a list of tokens");
      any_copied_ = true;
      return {nullptr, nb::len(text)};
    }
    if (PyUnicode_Check(text.ptr())) {
      if (is_ascii(text)) return ascii_view(text);
      any_copied_ = true;
      return {nullptr, static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()))};
    }
    if (!PyBytes_Check(text.ptr())) raise_type(d, text, "str or bytes");
    is_bytes_.resize(documents_.size());
    is_bytes_[d] = true;
    const auto bytes = nb::borrow<nb::bytes>(text);
    return {bytes.c_str(), bytes.size()};
  }

  std::string_view copy(std::size_t d) {
    bytes_.push_back(encoded(documents_[d]));
    return {bytes_.back().c_str(), bytes_.back().size()};
  }

  std::string_view pack(std::size_t d) {
    std::string& packed = packed_.emplace_back();
    for (const nb::handle token : documents_[d]) {
      if (!PyUnicode_Check(token.ptr())) raise_type(d, token, "a list of str");
      const nb::bytes text = encoded(token);
      const auto size = static_cast<std::uint32_t>(text.size());
      packed.append(reinterpret_cast<const char*>(&size), sizeof size).append(text.c_str(), size);
    }
    return packed;
  }

  bool are_tokens_;
  bool any_copied_ = false;
  nb::tuple documents_;
  std::vector<bool> is_bytes_;  // empty: none is
  std::vector<std::pair<std::size_t, std::size_t>> copied_;
  std::vector<nb::bytes> bytes_;
  std::deque<std::string> packed_;
};

class ArrowDocuments : public Documents {
 public:
  explicit ArrowDocuments(std::vector<ArrowText> chunks) : chunks_(std::move(chunks)) {
    for (const ArrowText& chunk : chunks_) {
      if (kind_of(chunk.offsets.dtype()) == Kind::i32) {
        look(chunk, static_cast<const std::int32_t*>(chunk.offsets.data()));
      } else {
        look(chunk, static_cast<const std::int64_t*>(chunk.offsets.data()));
      }
    }
  }

 protected:
  std::size_t prepare(Run run, std::size_t /*bytes*/) override { return run.end; }
  void release() override {}

 private:
  template <class Offset>
  void look(const ArrowText& chunk, const Offset* offsets) {
    const auto* text = reinterpret_cast<const char*>(chunk.text.data());
    const auto room = static_cast<Offset>(chunk.text.size());
    for (std::int64_t i = chunk.first; i < chunk.first + chunk.count; ++i) {
      const bool missing = chunk.validity && (chunk.validity->data()[i / 8] >> (i % 8) & 1) == 0;
      require(offsets[i] >= 0 && offsets[i] <= offsets[i + 1] && offsets[i + 1] <= room,
              "the Arrow array's offsets lie outside its text");
      views_.emplace_back(text + offsets[i], missing ? 0 : static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
  }

  std::vector<ArrowText> chunks_;
};

Pattern pattern_of(const std::string& name) {
  if (name == "words") return Pattern::words;
  if (name == "words+emoji") return Pattern::words_emoji;
  if (name == "words+punct") return Pattern::words_punct;
  if (name == "chars") return Pattern::chars;
  if (name == "chars_wb") return Pattern::chars_wb;
  require(name == "segments", "pattern must be words, words+emoji, words+punct, chars, chars_wb or segments");
  return Pattern::segments;
}

Accents accents_of(const std::string& name) {
  if (name == "keep") return Accents::keep;
  if (name == "unicode") return Accents::unicode;
  require(name == "ascii", "accents must be keep, unicode or ascii");
  return Accents::ascii;
}

}  // namespace

ArrowText::ArrowText(Bytes text, AnyVector offsets, std::optional<Bytes> validity, std::int64_t first,
                     std::int64_t count)
    : text(std::move(text)), offsets(std::move(offsets)), validity(std::move(validity)), first(first), count(count) {
  const Kind kind = kind_of(this->offsets.dtype());
  const auto end = static_cast<std::size_t>(first + count);
  require(kind == Kind::i32 || kind == Kind::i64, "the Arrow array's offsets must be int32 or int64");
  require(first >= 0 && count >= 0 && (count == 0 || end < this->offsets.size()), "the Arrow array lacks offsets");
  require(!this->validity || (end + 7) / 8 <= this->validity->size(), "the Arrow array lacks validity bits");
}

std::unique_ptr<Documents> documents_of(const nb::object& documents, bool are_tokens) {
  const bool is_list = nb::isinstance<nb::list>(documents) && nb::len(documents) > 0;
  if (!is_list || !nb::isinstance<ArrowText>(documents[0])) return std::make_unique<Texts>(documents, are_tokens);
  require(!are_tokens, "an Arrow array of strings needs rules");
  std::vector<ArrowText> chunks;
  for (const nb::handle chunk : documents) chunks.push_back(nb::cast<ArrowText>(chunk));
  return std::make_unique<ArrowDocuments>(std::move(chunks));
}

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

ScanRules scan_rules(const std::string& pattern, bool lower, const std::string& accents, std::size_t shortest,
                     std::size_t longest, std::pair<std::size_t, std::size_t> chars) {
  require(chars.first > 0, "sizes must be at least 1");
  return {pattern_of(pattern), lower, accents_of(accents), shortest, longest, chars.first, chars.second};
}

TextRules rules_of(const GivenRules& given) {
  if (!given) return {};
  const auto& [pattern, lower, accents, shortest, longest, first_char, last_char, first, last] = *given;
  const ScanRules scan = scan_rules(pattern, lower, accents, shortest, longest, {first_char, last_char});
  const TextRules rules{scan, first, last};
  require(rules.first >= 1 && rules.first <= rules.last, "the n-grams must be 1 <= first <= last");
  const bool of_characters = scan.pattern == Pattern::chars || scan.pattern == Pattern::chars_wb;
  require(rules.last == 1 || !of_characters, "n-grams of characters form no n-grams of tokens");
  return rules;
}

}  // namespace deciban::bind
