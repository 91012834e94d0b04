// Single tests, and the tests for triples x — z — y: is z in the sets that separate x from y?
#include <algorithm>
#include <utility>

#include "independence/skeleton.hpp"
#include "run/workers.hpp"

namespace deciban {
namespace {

struct Judged {
  std::unique_ptr<Tester> tester;
  Judge judge;

  Judged(std::unique_ptr<Tester> own, const TestRules& rules) : tester(std::move(own)), judge(rules) {}
};

Workers<Judged> judged_testers(const Source& source, const TestRules& rules) {
  return Workers<Judged>([&source, rules] { return std::make_unique<Judged>(source.tester(), rules); });
}

std::vector<std::int64_t> pool_of(const Marks& pool, std::int64_t x, std::int64_t but) {
  std::vector<std::int64_t> found;
  for (std::int64_t z = 0; z < pool.n; ++z) {
    if (z != but && pool(x, z)) found.push_back(z);
  }
  return found;
}

// The largest size up to `depth` with at most `most` subsets of up to that size; at least 1, if depth is.
std::int64_t affordable(std::size_t members, std::int64_t depth, std::int64_t most) {
  double sets = 1.0;
  double all = 1.0;
  for (std::int64_t k = 1; k <= depth; ++k) {
    sets *= (static_cast<double>(members) - static_cast<double>(k) + 1.0) / static_cast<double>(k);
    all += sets;
    if (all > static_cast<double>(most)) return std::max<std::int64_t>(k - 1, 1);
  }
  return depth;
}

// Tests x and y given the subsets of one pool; subsets that also lie in the other pool were tested before.
class SubsetTests {
 public:
  SubsetTests(Judged& judged, Interrupt& interrupt, std::int64_t x, std::int64_t y,
              std::span<const std::int64_t> middles, std::span<TripleEvidence> out)
      : judged_(judged), interrupt_(interrupt), x_(std::min(x, y)), y_(std::max(x, y)), middles_(middles), out_(out) {}

  void walk(const std::vector<std::int64_t>& pool, const std::vector<std::int64_t>& tested, std::int64_t depth) {
    go(pool, tested, depth, 0, true);
  }

  void test() {
    if (!set_.empty() && !judged_.tester->has_rows(judged_.tester->cells(x_, y_), judged_.judge.rows_per_df())) return;
    interrupt_.check();
    const Outcome outcome = judged_.tester->test(x_, y_);
    if (!set_.empty() && !judged_.judge.has_rows(outcome)) return;
    const Verdict verdict = judged_.judge.verdict(outcome, !set_.empty());
    const bool separates = judged_.judge.separates(verdict);
    if (verdict == Verdict::determined) return;
    is_in_.clear();
    bool may_change = verdict != Verdict::dependent;
    for (std::size_t k = 0; k < middles_.size(); ++k) {
      // A set that determines z conditions on it as well (Geiger, Verma and Pearl 1990).
      const bool is_in = std::ranges::find(set_, middles_[k]) != set_.end();
      is_in_.push_back(is_in || (separates && judged_.tester->determines(middles_[k])) ? 1 : 0);
      may_change |= best(k) <= judged_.judge.alpha();
    }
    if (!may_change) return;  // p is at most alpha, and changes nothing
    const double p = p_of(outcome);
    for (std::size_t k = 0; k < middles_.size(); ++k) {
      best(k) = std::max(best(k), p);
      (is_in_[k] != 0 ? out_[k].with : out_[k].without) += separates ? 1 : 0;
    }
  }

 private:
  double& best(std::size_t k) { return is_in_[k] != 0 ? out_[k].p_with : out_[k].p_without; }

  void go(const std::vector<std::int64_t>& pool, const std::vector<std::int64_t>& tested, std::int64_t depth,
          std::size_t from, bool all_tested) {
    for (std::size_t i = from; static_cast<std::int64_t>(set_.size()) < depth && i < pool.size(); ++i) {
      const bool is_tested = all_tested && std::ranges::binary_search(tested, pool[i]);
      set_.push_back(pool[i]);
      judged_.tester->push(pool[i]);
      if (judged_.tester->has_rows(1.0, judged_.judge.rows_per_df())) {
        if (!is_tested) test();
        go(pool, tested, depth, i + 1, is_tested);
      }
      judged_.tester->pop();
      set_.pop_back();
    }
  }

  Judged& judged_;
  Interrupt& interrupt_;
  std::int64_t x_;
  std::int64_t y_;
  std::span<const std::int64_t> middles_;
  std::span<TripleEvidence> out_;
  std::vector<std::int64_t> set_;
  std::vector<char> is_in_;  // of each middle, whether the set has it or determines it
};

}  // namespace

std::vector<Outcome> test_each(const Source& source, const TestList& list, Interrupt& interrupt) {
  std::vector<Outcome> out(list.x.size());
  Workers<Judged> workers = judged_testers(source, {0.5, 0.0, false});
  interrupt.run(static_cast<std::int64_t>(out.size()), [&](std::int64_t i) {
    interrupt.check();
    const auto k = static_cast<std::size_t>(i);
    const auto judged = workers.take();
    const std::span<const std::int64_t> given = list.given[k];
    for (const std::int64_t column : given) judged->tester->push(column);
    out[k] = judged->tester->test(std::min(list.x[k], list.y[k]), std::max(list.x[k], list.y[k]));
    for (std::size_t n = 0; n < given.size(); ++n) judged->tester->pop();
    out[k].p = p_of(out[k]);
  });
  return out;
}

std::vector<std::uint8_t> determined_each(const Source& source, std::span<const std::int64_t> columns,
                                          const RaggedList<std::int64_t>& given, Interrupt& interrupt) {
  std::vector<std::uint8_t> out(columns.size());
  Workers<Judged> workers = judged_testers(source, {0.5, 0.0, false});
  interrupt.run(static_cast<std::int64_t>(out.size()), [&](std::int64_t i) {
    interrupt.check();
    const auto k = static_cast<std::size_t>(i);
    const auto judged = workers.take();
    for (const std::int64_t column : given[k]) judged->tester->push(column);
    out[k] = judged->tester->determines(columns[k]) ? 1 : 0;
    for (std::size_t n = 0; n < given[k].size(); ++n) judged->tester->pop();
  });
  return out;
}

std::vector<TripleEvidence> weigh_triples(const Source& source, const TestRules& rules, const Triples& triples,
                                          const Marks& pool, std::int64_t depth, std::int64_t most,
                                          Interrupt& interrupt) {
  std::vector<TripleEvidence> out(triples.middles.values.size());
  Workers<Judged> workers = judged_testers(source, rules);
  interrupt.run(static_cast<std::int64_t>(triples.x.size()), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t x = triples.x[k];
    const std::int64_t y = triples.y[k];
    const auto judged = workers.take();
    SubsetTests tests(*judged.operator->(), interrupt, x, y, triples.middles[k],
                      std::span(out).subspan(triples.middles.begin_of(k), triples.middles.length(k)));
    const std::vector<std::int64_t> of_x = pool_of(pool, x, y);
    const std::vector<std::int64_t> of_y = pool_of(pool, y, x);
    tests.test();
    tests.walk(of_x, {}, affordable(of_x.size(), depth, most));
    tests.walk(of_y, of_x, affordable(of_y.size(), depth, most));
  });
  return out;
}

}  // namespace deciban
