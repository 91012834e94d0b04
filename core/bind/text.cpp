// Documents: tokens, counts, scores and matrices.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "bind/arrays.hpp"
#include "bind/documents.hpp"
#include "bind/parts.hpp"
#include "read/codes.hpp"
#include "text/count.hpp"
#include "text/one_vs_rest.hpp"
#include "text/score.hpp"
#include "text/term_matrix.hpp"

namespace deciban::bind {
namespace {

using Classes = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class A>
nb::object array(std::vector<T, A>&& values) {
  const std::size_t count = values.size();
  return to_numpy(std::move(values), {count});
}

SpellingView spelling_of(const Bytes& bytes, const Sizes& offsets) {
  const auto ends = span_of(offsets);
  require(!ends.empty() && ends.front() >= 0 && std::is_sorted(ends.begin(), ends.end()) &&
              ends.back() <= static_cast<std::int64_t>(bytes.size()) && ends.size() < unknown,
          "the vocabulary's offsets do not fit its bytes");
  return {span_of(bytes), ends};
}

nb::tuple spelling(Spelling&& out) {
  nb::object bytes = array(std::move(out.bytes));
  return nb::make_tuple(bytes, array(std::move(out.offsets)));
}

// Frozen, so that any number of threads may use it.
struct TokenIndex {
  std::shared_ptr<const Vocabulary> vocabulary;
};

using Given = std::variant<TokenIndex, int>;

Hashed hashed_of(int bits) {
  require(bits >= 1 && bits <= 31, "the number of hashed bits is from 1 to 31");
  return {bits};
}

Index index_of(const Given& given, const TextRules& rules) {
  if (const int* bits = std::get_if<int>(&given)) return hashed_of(*bits);
  const Vocabulary* vocabulary = std::get<TokenIndex>(given).vocabulary.get();
  require(vocabulary->has_sequences() == (rules.last > 1), "the index was made for other n-grams than the rules have");
  return vocabulary;
}

// Replaces each part's numbers by those in the vocabulary without shorter sequences.
void renumber(ReadText& text, const std::vector<std::uint32_t>& numbers) {
  if (numbers.empty()) return;
  for (ReadPart& part : text.parts) {
    if (part.numbers.empty()) {
      part.numbers = numbers;
    } else {
      for (std::uint32_t& number : part.numbers) number = numbers[number];
    }
  }
}

struct Counted {
  ReadText text;
  std::shared_ptr<Vocabulary> vocabulary;
  Spelling letters;
};

Counted read_new(GivenText& source) {
  Counted out{{}, std::make_shared<Vocabulary>(source.rules.last > 1), {}};
  out.text = read_text(*source.documents, source.rules, *out.vocabulary);
  std::vector<std::uint32_t> numbers;
  out.letters = out.vocabulary->spell(source.rules.first, numbers);
  renumber(out.text, numbers);
  return out;
}

template <class T>
nb::tuple counts(std::size_t size, const nb::object& letters, const nb::object& index, TokenSums<T>&& sums,
                 std::vector<std::uint32_t>&& lengths) {
  return nb::make_tuple(size, letters, index, array(std::move(sums.starts)), array(std::move(sums.indices)),
                        array(std::move(sums.occurrences)), array(std::move(sums.documents)),
                        array(std::move(lengths)));
}

nb::tuple count_documents_of(const nb::object& given, const GivenRules& rules, std::optional<int> bits,
                             const Labels& codes, std::int64_t classes, const std::optional<Doubles>& weights) {
  GivenText source(given, rules);
  require(codes.size() == source.documents->count(), "there must be one class a document");
  require(are_codes(span_of(codes), classes), "a class code lies outside the classes");
  require(!weights || weights->size() == codes.size(), "there must be one weight a document");
  Counted counted = without_gil([&] {
    return bits ? Counted{read_text(*source.documents, source.rules, hashed_of(*bits)), {}, {}} : read_new(source);
  });
  const std::size_t size = bits ? hashed_of(*bits).size() : counted.letters.offsets.size() - 1;
  const nb::object letters = bits ? nb::none() : nb::object(spelling(std::move(counted.letters)));
  const bool has_index = !bits && source.rules.first == 1;
  const nb::object index = has_index ? nb::cast(TokenIndex{counted.vocabulary}) : nb::none();
  const auto k = static_cast<std::size_t>(classes);
  std::vector<std::uint32_t> lengths = counted.text.lengths();
  if (weights) {
    auto sums =
        without_gil([&] { return sum_tokens<double>(counted.text, size, span_of(codes), k, span_of(weights)); });
    return counts(size, letters, index, std::move(sums), std::move(lengths));
  }
  auto sums = without_gil([&] { return sum_tokens<std::int64_t>(counted.text, size, span_of(codes), k, {}); });
  return counts(size, letters, index, std::move(sums), std::move(lengths));
}

nb::tuple matrix(std::size_t size, const nb::object& letters, TextMatrix&& out) {
  return nb::make_tuple(size, letters, array(std::move(out.starts)), array(std::move(out.indices)),
                        array(std::move(out.counts)));
}

nb::tuple document_terms_of(const nb::object& given, const GivenRules& rules, const std::optional<Given>& given_index) {
  GivenText source(given, rules);
  if (given_index) {
    const Index index = index_of(*given_index, source.rules);
    TextMatrix out = without_gil([&] {
      ReadText text = read_text(*source.documents, source.rules, index);
      return make_matrix(text, {}, false);
    });
    return matrix(size_of(index), nb::none(), std::move(out));
  }
  Spelling letters;
  TextMatrix out = without_gil([&] {
    Counted counted = read_new(source);
    counted.vocabulary.reset();
    const SpellingView found{counted.letters.bytes, counted.letters.offsets};
    const std::vector<std::uint32_t> order = sort_tokens(found);
    std::vector<std::uint32_t> column(order.size());
    for (std::uint32_t c = 0; c < order.size(); ++c) column[order[c]] = c;
    letters = reorder(found, order);
    return make_matrix(counted.text, column, false);
  });
  const std::size_t size = letters.offsets.size() - 1;
  return matrix(size, spelling(std::move(letters)), std::move(out));
}

nb::tuple hashed_terms_of(const nb::object& given, const GivenRules& rules, std::int64_t features,
                          bool alternate_sign) {
  require(features >= 1 && features < 1LL << 31, "the number of features is from 1 to 2 ** 31 - 1");
  GivenText source(given, rules);
  TextMatrix out = without_gil([&] {
    const Murmur index{static_cast<std::uint32_t>(features), alternate_sign};
    ReadText text = read_text(*source.documents, source.rules, index);
    return make_matrix(text, {}, true);
  });
  return matrix(static_cast<std::size_t>(features), nb::none(), std::move(out));
}

// The arrays of a text model, checked once.
struct TextScores {
  Doubles prior, class_base;
  Sizes starts;
  Classes classes;
  Doubles deltas;
  std::optional<Doubles> token_base;
  Amount amount;
  bool unit_length;

  std::size_t tokens() const { return starts.size() - 1; }
  TextModel model() const {
    return {span_of(prior),  span_of(class_base), span_of(starts), span_of(classes),
            span_of(deltas), span_of(token_base), amount,          unit_length};
  }
};

Amount amount_of(const std::string& name) {
  if (name == "occurrences") return Amount::occurrences;
  if (name == "distinct") return Amount::distinct;
  require(name == "logarithm", "amount must be occurrences, distinct or logarithm");
  return Amount::logarithm;
}

void check_rows(const TextScores& scores) {
  const auto starts = span_of(scores.starts);
  const auto classes = span_of(scores.classes);
  require(!starts.empty() && starts.front() == 0 && std::is_sorted(starts.begin(), starts.end()) &&
              starts.back() == static_cast<std::int64_t>(classes.size()) && scores.deltas.size() == classes.size(),
          "the rows' starts do not fit their classes and deltas");
  require(!scores.token_base || scores.token_base->size() == scores.tokens(), "there must be one base a token");
  bool fits = true;
  for (std::size_t t = 0; t < scores.tokens(); ++t) {
    for (std::int64_t k = starts[t]; k < starts[t + 1]; ++k) {
      const auto i = static_cast<std::size_t>(k);
      fits = fits && classes[i] < scores.prior.size() && (k == starts[t] || classes[i - 1] < classes[i]);
    }
  }
  require(fits, "a token's classes must ascend and lie within the classes");
}

TextScores text_scores(const Doubles& prior, const Doubles& class_base, const Sizes& starts, const Classes& classes,
                       const Doubles& deltas, const std::optional<Doubles>& token_base, const std::string& amount,
                       bool unit_length) {
  require(prior.size() > 0 && prior.size() == class_base.size(), "there must be one prior and one base a class");
  TextScores scores{prior, class_base, starts, classes, deltas, token_base, amount_of(amount), unit_length};
  check_rows(scores);
  return scores;
}

nb::tuple score_documents_of(const nb::object& given, const GivenRules& rules, const Given& given_index,
                             const TextScores& scores) {
  GivenText source(given, rules);
  const Index index = index_of(given_index, source.rules);
  require(size_of(index) == scores.tokens(), "there must be one row of scores a token of the index");
  const std::size_t rows = source.documents->count();
  const std::size_t classes = scores.prior.size();
  std::vector<double> joint(rows * classes);
  std::vector<std::uint32_t> known(rows);
  without_gil([&] {
    score_text(*source.documents, source.rules, index, scores.model(), joint.data(), known.data());
    return 0;
  });
  return nb::make_tuple(to_numpy(std::move(joint), {rows, classes}), array(std::move(known)));
}

nb::tuple union_of(const Bytes& bytes, const Sizes& offsets, const Bytes& other_bytes, const Sizes& other_offsets) {
  const SpellingView ours = spelling_of(bytes, offsets);
  const SpellingView theirs = spelling_of(other_bytes, other_offsets);
  std::vector<std::int64_t> numbers;
  Spelling out = without_gil([&] { return unite(ours, theirs, numbers); });
  const nb::tuple written = spelling(std::move(out));
  return nb::make_tuple(written[0], written[1], array(std::move(numbers)));
}

template <class T>
using Counts = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using GivenSums = std::tuple<Sizes, Numbers, Counts<T>, Counts<T>>;

template <class T>
TokenSumsView<T> sums_of(const GivenSums<T>& given, std::size_t tokens) {
  const auto& [starts, indices, occurrences, documents] = given;
  const RaggedList<std::uint32_t> lists{span_of(starts), span_of(indices)};
  check_ragged(lists, tokens, "a token lies outside the vocabulary");
  require(occurrences.size() == indices.size() && documents.size() == indices.size(),
          "there must be one count an entry");
  return {span_of(starts), span_of(indices), span_of(occurrences), span_of(documents)};
}

template <class T>
nb::tuple add_sums_as(const GivenSums<T>& ours, const GivenSums<T>& theirs, std::size_t tokens,
                      const std::optional<Sizes>& numbers, std::int64_t sign) {
  const auto mapped = numbers ? span_of(*numbers) : std::span<const std::int64_t>{};
  require(std::ranges::all_of(mapped, [&](std::int64_t n) { return n >= 0 && std::cmp_less(n, tokens); }),
          "a token's number lies outside the vocabulary");
  const TokenSumsView<T> a = sums_of(ours, tokens);
  const TokenSumsView<T> b = sums_of(theirs, numbers ? mapped.size() : tokens);
  require(a.classes() == b.classes(), "both must have the same number of classes");
  TokenSums<T> sums = without_gil([&] { return add_sums(a, b, tokens, mapped, static_cast<T>(sign)); });
  return nb::make_tuple(array(std::move(sums.starts)), array(std::move(sums.indices)),
                        array(std::move(sums.occurrences)), array(std::move(sums.documents)));
}

nb::tuple add_sums_of(const nb::tuple& ours, const nb::tuple& theirs, std::size_t tokens,
                      const std::optional<Sizes>& numbers, std::int64_t sign) {
  require(ours.size() == 4 && theirs.size() == 4, "counts are starts, indices, occurrences and documents");
  const auto add = [&]<class T>(T) {
    return add_sums_as<T>(nb::cast<GivenSums<T>>(ours), nb::cast<GivenSums<T>>(theirs), tokens, numbers, sign);
  };
  return nb::isinstance<Counts<double>>(ours[2]) ? add(double{}) : add(std::int64_t{});
}

nb::object sort_tokens_of(const Bytes& bytes, const Sizes& offsets) {
  const SpellingView view = spelling_of(bytes, offsets);
  const std::vector<std::uint32_t> order = without_gil([&] { return sort_tokens(view); });
  return array(std::vector<std::int64_t>(order.begin(), order.end()));
}

nb::tuple fit_one_vs_rest_of(const nb::tuple& matrix, const Doubles& costs, const Labels& codes, const Sizes& classes,
                             const Table& scales, bool is_logistic, double tolerance, std::int64_t most_passes) {
  require(matrix.size() == 3, "documents × tokens are starts, tokens and values");
  const auto starts = nb::cast<Sizes>(matrix[0]);
  const auto tokens = nb::cast<Labels>(matrix[1]);
  const auto values = nb::cast<Doubles>(matrix[2]);
  const std::size_t size = scales.shape(1);
  check_ragged(RaggedList<std::int32_t>{span_of(starts), span_of(tokens)}, size, "a token lies outside the scales");
  require(values.size() == tokens.size(), "there must be one value an entry");
  require(costs.size() == starts.size() - 1 && codes.size() == costs.size(), "there must be one cost and class a row");
  require(std::ranges::all_of(span_of(costs), [](double cost) { return cost > 0.0; }), "costs must be positive");
  require(classes.size() == scales.shape(0), "there must be one row of scales a class");
  std::vector<double> weights(classes.size() * size);
  std::vector<double> intercepts(classes.size());
  const std::int64_t unfinished = without_gil([&] {
    const LinearProblem problem{span_of(starts), span_of(tokens), span_of(values), span_of(costs), span_of(codes)};
    const LinearOptions options{is_logistic ? MarginLoss::logistic : MarginLoss::squared_hinge, tolerance, most_passes};
    std::vector<ClassWeights> fits;
    fits.reserve(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      fits.push_back({static_cast<std::int32_t>(classes(c)),
                      std::span(scales.data(), scales.size()).subspan(c * size, size),
                      std::span(weights).subspan(c * size, size)});
    }
    fit_one_vs_rest(problem, options, fits);
    std::ranges::transform(fits, intercepts.begin(), [](const ClassWeights& fit) { return fit.intercept; });
    return std::ranges::count(fits, false, &ClassWeights::has_converged);
  });
  return nb::make_tuple(to_numpy(std::move(weights), {classes.size(), size}), array(std::move(intercepts)), unfinished);
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
  Scanner scanner(scan_rules(pattern, lower, accents.value_or("keep"), shortest,
                             longest.value_or(std::numeric_limits<std::size_t>::max()), chars));
  nb::list out;
  for (const nb::handle item : documents) {
    const Document document = document_of(item);
    scanner.scan(document.bytes, document.encoding);
    out.append(terms_of(scanner.tokens(), ngrams.first, ngrams.second));
  }
  return out;
}

}  // namespace

void bind_text(nb::module_& m) {
  using nb::arg;
  nb::class_<ArrowText>(m, "ArrowText")
      .def(nb::init<Bytes, AnyVector, std::optional<Bytes>, std::int64_t, std::int64_t>(), arg("text"), arg("offsets"),
           arg("validity").none(), arg("first"), arg("count"));
  nb::class_<TokenIndex>(m, "TokenIndex")
      .def(
          "__init__",
          [](TokenIndex* self, const Bytes& bytes, const Sizes& offsets, bool sequences) {
            const SpellingView view = spelling_of(bytes, offsets);
            new (self) TokenIndex{without_gil([&] { return std::make_shared<Vocabulary>(view, sequences); })};
          },
          arg("letters"), arg("offsets"), arg("sequences"))
      .def("__len__", [](const TokenIndex& self) { return self.vocabulary->size(); });
  nb::class_<TextScores>(m, "TextScores").def("__len__", &TextScores::tokens);
  m.def("text_scores", &text_scores, arg("prior"), arg("class_base"), arg("starts"), arg("classes"), arg("deltas"),
        arg("token_base").none(), arg("amount"), arg("unit_length"));
  m.def("count_documents", &count_documents_of, arg("documents"), arg("rules").none(), arg("hashed_bits").none(),
        arg("codes"), arg("classes"), arg("weights").none());
  m.def("score_documents", &score_documents_of, arg("documents"), arg("rules").none(), arg("index"), arg("scores"));
  m.def("document_terms", &document_terms_of, arg("documents"), arg("rules").none(), arg("index").none());
  m.def("hashed_terms", &hashed_terms_of, arg("documents"), arg("rules").none(), arg("features"),
        arg("alternate_sign"));
  m.def("union_vocabularies", &union_of, arg("letters"), arg("offsets"), arg("other_letters"), arg("other_offsets"));
  m.def("add_token_sums", &add_sums_of, arg("ours"), arg("theirs"), arg("tokens"), arg("numbers").none(), arg("sign"));
  m.def("fit_one_vs_rest", &fit_one_vs_rest_of, arg("matrix"), arg("costs"), arg("codes"), arg("classes"),
        arg("scales"), arg("is_logistic"), arg("tolerance"), arg("most_passes"));
  m.def("sort_tokens", &sort_tokens_of, arg("letters"), arg("offsets"));
  m.def("unicode_version", [] { return std::string(unicode_version()); });
  m.def("tokenize", &tokenize, arg("documents"), arg("pattern"), arg("lower"), arg("accents").none(), arg("shortest"),
        arg("longest").none(), arg("chars"), arg("ngrams"));
}

}  // namespace deciban::bind
