// Single tests, and the tests that weigh the triples x — z — y: does z belong in what separates x from y?
#include <algorithm>

#include "independence/skeleton.hpp"
#include "run/workers.hpp"

namespace deciban {
namespace {

struct Hand {
  std::unique_ptr<Walker> walker;
  Judge judge;
};

Workers<Hand> hands(const Source& source, const TestRules& rules) {
  return Workers<Hand>([&source, rules] { return std::make_unique<Hand>(source.walker(), Judge(rules)); });
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

// Walks through the subsets of one pool; those that lie within the other pool were met before.
class Weighing {
 public:
  Weighing(Hand& hand, Interrupt& interrupt, std::int64_t x, std::int64_t y, std::span<const std::int64_t> middles,
           std::span<TripleEvidence> out)
      : hand_(hand), interrupt_(interrupt), x_(std::min(x, y)), y_(std::max(x, y)), middles_(middles), out_(out) {}

  void walk(const std::vector<std::int64_t>& pool, const std::vector<std::int64_t>& met, std::int64_t depth) {
    go(pool, met, depth, 0, true);
  }

  void test() {
    if (!set_.empty() && !hand_.walker->has_rows(hand_.walker->cells(x_, y_), hand_.judge.rows_per_df())) return;
    interrupt_.check();
    const Outcome outcome = hand_.walker->test(x_, y_);
    const Verdict verdict = hand_.judge.verdict(outcome, !set_.empty());
    const bool separates = hand_.judge.separates(verdict);
    is_in_.clear();
    bool is_open = verdict != Verdict::dependent;
    for (std::size_t k = 0; k < middles_.size(); ++k) {
      is_in_.push_back(std::ranges::find(set_, middles_[k]) != set_.end() ? 1 : 0);
      is_open |= best(k) <= hand_.judge.alpha();
    }
    if (!is_open) return;  // p is at most alpha, and changes nothing
    const double p = p_of(outcome);
    for (std::size_t k = 0; k < middles_.size(); ++k) {
      best(k) = std::max(best(k), p);
      (is_in_[k] != 0 ? out_[k].with : out_[k].without) += separates ? 1 : 0;
    }
  }

 private:
  double& best(std::size_t k) { return is_in_[k] != 0 ? out_[k].p_with : out_[k].p_without; }

  void go(const std::vector<std::int64_t>& pool, const std::vector<std::int64_t>& met, std::int64_t depth,
          std::size_t from, bool all_met) {
    for (std::size_t i = from; static_cast<std::int64_t>(set_.size()) < depth && i < pool.size(); ++i) {
      const bool is_met = all_met && std::ranges::binary_search(met, pool[i]);
      set_.push_back(pool[i]);
      hand_.walker->push(pool[i]);
      if (hand_.walker->has_rows(1.0, hand_.judge.rows_per_df())) {
        if (!is_met) test();
        go(pool, met, depth, i + 1, is_met);
      }
      hand_.walker->pop();
      set_.pop_back();
    }
  }

  Hand& hand_;
  Interrupt& interrupt_;
  std::int64_t x_;
  std::int64_t y_;
  std::span<const std::int64_t> middles_;
  std::span<TripleEvidence> out_;
  std::vector<std::int64_t> set_;
  std::vector<char> is_in_;  // of each middle, whether the set has it
};

}  // namespace

std::vector<Outcome> test_each(const Source& source, const TestList& list, Interrupt& interrupt) {
  std::vector<Outcome> out(list.x.size());
  Workers<Hand> workers = hands(source, {0.5, 0.0, false});
  interrupt.run(static_cast<std::int64_t>(out.size()), [&](std::int64_t i) {
    interrupt.check();
    const auto k = static_cast<std::size_t>(i);
    const auto hand = workers.take();
    const std::int64_t begin = list.starts[k];
    const std::int64_t end = list.starts[k + 1];
    for (std::int64_t s = begin; s < end; ++s) hand->walker->push(list.sets[static_cast<std::size_t>(s)]);
    out[k] = hand->walker->test(std::min(list.x[k], list.y[k]), std::max(list.x[k], list.y[k]));
    for (std::int64_t s = begin; s < end; ++s) hand->walker->pop();
    out[k].p = p_of(out[k]);
  });
  return out;
}

std::vector<TripleEvidence> weigh_triples(const Source& source, const TestRules& rules, const Triples& triples,
                                          const Marks& pool, std::int64_t depth, std::int64_t most,
                                          Interrupt& interrupt) {
  std::vector<TripleEvidence> out(triples.middles.size());
  Workers<Hand> workers = hands(source, rules);
  interrupt.run(static_cast<std::int64_t>(triples.x.size()), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t x = triples.x[k];
    const std::int64_t y = triples.y[k];
    const auto first = static_cast<std::size_t>(triples.starts[k]);
    const std::size_t count = static_cast<std::size_t>(triples.starts[k + 1]) - first;
    const auto hand = workers.take();
    Weighing weighing(*hand.operator->(), interrupt, x, y, triples.middles.subspan(first, count),
                      std::span(out).subspan(first, count));
    const std::vector<std::int64_t> of_x = pool_of(pool, x, y);
    const std::vector<std::int64_t> of_y = pool_of(pool, y, x);
    weighing.test();
    weighing.walk(of_x, {}, affordable(of_x.size(), depth, most));
    weighing.walk(of_y, of_x, affordable(of_y.size(), depth, most));
  });
  return out;
}

}  // namespace deciban
