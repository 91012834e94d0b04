#include "text/score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "run/instruction_set.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

struct Worker {
  Lookup lookup;
  std::vector<double> sums;           // one a class
  std::vector<std::uint32_t> slots;   // a hash table from a token to its index in `tokens`, plus one
  std::vector<std::uint32_t> tokens;  // the document's, each once
  std::vector<double> amounts;
};

void add_full_row(const double* row, std::size_t count, double amount, double* sums) {
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    for (std::size_t c = 0; c < count; ++c) sums[c] += amount * row[c];
  });
}

void fetch_row(const TextModel& model, std::uint32_t token) {
  const auto at = static_cast<std::size_t>(model.starts[token]);
  prefetch(model.deltas.data() + at);
  prefetch(model.classes.data() + at);
  if (!model.token_base.empty()) prefetch(model.token_base.data() + token);
}

// Adds the rows of the tokens; amount_of(i) is the weight of token i.
template <class F>
void add_rows(const TextModel& model, std::span<const std::uint32_t> tokens, F&& amount_of, Worker& worker,
              double* out) {
  const std::size_t classes = model.prior.size();
  std::fill(worker.sums.begin(), worker.sums.end(), 0.0);
  double base = 0.0;
  double whole = 0.0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + 2 * ahead < tokens.size()) prefetch(model.starts.data() + tokens[i + 2 * ahead]);
    if (i + ahead < tokens.size()) fetch_row(model, tokens[i + ahead]);
    const double amount = amount_of(i);
    const auto begin = static_cast<std::size_t>(model.starts[tokens[i]]);
    const auto end = static_cast<std::size_t>(model.starts[tokens[i] + 1]);
    whole += amount;
    if (!model.token_base.empty()) base += amount * model.token_base[tokens[i]];
    if (end - begin == classes) {
      add_full_row(model.deltas.data() + begin, classes, amount, worker.sums.data());
    } else {
      for (std::size_t k = begin; k < end; ++k) worker.sums[model.classes[k]] += amount * model.deltas[k];
    }
  }
  std::copy(model.prior.begin(), model.prior.end(), out);
  if (tokens.empty()) return;  // so that a base of −∞ is not multiplied by 0
  for (std::size_t c = 0; c < classes; ++c) out[c] += whole * model.class_base[c] + (base + worker.sums[c]);
}

// Each token once, in the order of first occurrence, with its amount.
void gather(const TextModel& model, std::span<const std::uint32_t> ids, Worker& worker) {
  const std::size_t mask = std::bit_ceil(2 * ids.size() + 2) - 1;
  worker.slots.assign(mask + 1, 0);
  worker.tokens.clear();
  worker.amounts.clear();
  for (const std::uint32_t id : ids) {
    std::size_t at = (id * 0x9e3779b1U) & mask;
    while (worker.slots[at] != 0 && worker.tokens[worker.slots[at] - 1] != id) at = (at + 1) & mask;
    if (worker.slots[at] == 0) {
      worker.tokens.push_back(id);
      worker.amounts.push_back(0.0);
      worker.slots[at] = static_cast<std::uint32_t>(worker.tokens.size());
    }
    worker.amounts[worker.slots[at] - 1] += 1.0;
  }
  double squares = 0.0;
  for (double& amount : worker.amounts) {
    if (model.amount == Amount::distinct) amount = 1.0;
    if (model.amount == Amount::logarithm) amount = 1.0 + std::log(amount);
    squares += amount * amount;
  }
  if (!model.unit_length) return;
  const double root = std::sqrt(squares);
  for (double& amount : worker.amounts) amount /= root;
}

}  // namespace

void score_text(Documents& documents, const TextRules& rules, const Index& index, const TextModel& model, double* joint,
                std::uint32_t* known) {
  const auto threads = static_cast<std::size_t>(thread_count());
  const std::size_t classes = model.prior.size();
  std::deque<Tokenizer> tokenizers = make_tokenizers(rules, threads);
  std::vector<Worker> workers(threads);
  for (Worker& worker : workers) worker.sums.resize(classes);
  for_each_document(documents, threads, [&](std::size_t thread, std::size_t d) {
    Worker& worker = workers[thread];
    look_up(index, tokenizers[thread].read(documents, d), rules, worker.lookup);
    const std::span<const std::uint32_t> ids = worker.lookup.ids;
    known[d] = static_cast<std::uint32_t>(ids.size());
    double* out = joint + d * classes;
    if (model.amount == Amount::occurrences && !model.unit_length) {
      add_rows(model, ids, [](std::size_t) { return 1.0; }, worker, out);
    } else {
      gather(model, ids, worker);
      add_rows(model, worker.tokens, [&](std::size_t i) { return worker.amounts[i]; }, worker, out);
    }
  });
}

}  // namespace deciban
