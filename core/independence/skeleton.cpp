#include "independence/skeleton.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>

#include "independence/gaussian.hpp"
#include "run/ties.hpp"
#include "run/workers.hpp"

namespace deciban {
namespace {

using Set = std::vector<std::uint64_t>;  // of columns, as bits

void put(Set& set, std::int64_t i) {
  set[static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64);
}
bool has(const Set& set, std::int64_t i) {
  return (set[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1) != 0;
}
bool is_empty(const Set& set) {
  return std::ranges::all_of(set, [](std::uint64_t word) { return word == 0; });
}
void intersect(const Set& a, const Set& b, Set& out) {
  out.resize(a.size());
  for (std::size_t w = 0; w < a.size(); ++w) out[w] = a[w] & b[w];
}
template <class F>
void each(const Set& set, F&& f) {
  for (std::size_t w = 0; w < set.size(); ++w) {
    for (std::uint64_t word = set[w]; word != 0; word &= word - 1) {
      f(static_cast<std::int64_t>(w * 64) + std::countr_zero(word));
    }
  }
}

// The best test of each pair so far, and its conditioning set.
struct Best {
  std::vector<double> values;  // statistic, df, rows, p
  std::vector<std::int32_t> sets;

  void resize(std::size_t pairs, std::size_t size) {
    values.assign(pairs * 4, -1.0);
    sets.assign(pairs * size, 0);
  }
  void offer(const double* row, const std::int32_t* set, std::size_t pair, std::size_t size) {
    if (!is_better(row[3], {set, size}, values[pair * 4 + 3], {sets.data() + pair * size, size})) return;
    std::copy(row, row + 4, values.begin() + static_cast<std::ptrdiff_t>(pair * 4));
    std::copy(set, set + size, sets.begin() + static_cast<std::ptrdiff_t>(pair * size));
  }
};

struct Level {
  std::int64_t n;
  std::size_t size;
  bool all;
  std::vector<Set> open;             // of each x, the y of its edges
  std::vector<Set> pool_of;          // of each z, the x whose pool has z
  std::vector<std::int32_t> number;  // of the pair, n × n
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;

  Level(const Marks& marks, const Marks& pool, std::int64_t size_, bool all_)
      : n(marks.n), size(static_cast<std::size_t>(size_)), all(all_), number(marks.values.size(), -1) {
    const auto words = static_cast<std::size_t>((n + 63) / 64);
    open.assign(static_cast<std::size_t>(n), Set(words));
    pool_of = open;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        if (marks(i, j)) put(open[static_cast<std::size_t>(i)], j);
        if (pool(i, j)) put(pool_of[static_cast<std::size_t>(j)], i);
        if (i < j && marks(i, j)) {
          number[static_cast<std::size_t>(i * n + j)] = static_cast<std::int32_t>(pairs.size());
          pairs.emplace_back(i, j);
        }
      }
    }
  }
  const Set& neighbors(std::int64_t x) const { return open[static_cast<std::size_t>(x)]; }
  const Set& pooling(std::int64_t z) const { return pool_of[static_cast<std::size_t>(z)]; }
};

// One thread's share of a level.
class Worker {
 public:
  Worker(const Level& level, const Source& source, const TestRules& rules, Interrupt& interrupt)
      : level_(level), interrupt_(interrupt), tester_(source.tester()), judge_(rules), ends_(level.size + 1) {
    best_.resize(level.pairs.size(), level.size);
  }

  // All pairs with x as the first, given the empty set.
  void first_level(std::int64_t x) {
    each(level_.neighbors(x), [&](std::int64_t y) {
      if (x < y) test(x, y);
    });
  }

  // All sets that begin with these.
  void sets_from(std::int64_t a, std::int64_t b) {
    ends_[0] = level_.pooling(a);
    step(a, [&] {
      if (b < 0) return test_set();
      intersect(ends_[0], level_.pooling(b), ends_[1]);
      if (!is_empty(ends_[1])) step(b, [&] { deepen(); });
    });
  }

  const Best& best() const { return best_; }
  std::int64_t tests() const { return tests_; }
  std::int64_t skipped() const { return skipped_; }
  std::int64_t unsure() const { return judge_.unsure(); }

 private:
  template <class F>
  void step(std::int64_t z, F&& inside) {
    set_.push_back(static_cast<std::int32_t>(z));
    tester_->push(z);
    if (tester_->has_rows(1.0, judge_.rows_per_df())) {
      inside();
    } else {
      ++skipped_;
    }
    tester_->pop();
    set_.pop_back();
  }

  void deepen() {
    const std::size_t depth = set_.size();
    if (depth == level_.size) return test_set();
    for (std::int64_t z = set_.back() + 1; z < level_.n; ++z) {
      intersect(ends_[depth - 1], level_.pooling(z), ends_[depth]);
      if (!is_empty(ends_[depth])) step(z, [&] { deepen(); });
    }
  }

  void test_set() {
    const Set& ends = ends_[set_.size() - 1];
    pairs_.clear();
    each(ends, [&](std::int64_t x) {
      each(level_.neighbors(x), [&](std::int64_t y) {
        const bool is_done = y < x && has(ends, y);
        if (!is_done && std::ranges::find(set_, y) == set_.end()) pairs_.emplace_back(std::min(x, y), std::max(x, y));
      });
    });
    std::ranges::sort(pairs_);
    for (const auto& [x, y] : pairs_) test(x, y);
  }

  void test(std::int64_t x, std::int64_t y) {
    const auto pair = static_cast<std::size_t>(level_.number[static_cast<std::size_t>(x * level_.n + y)]);
    if (to_nine_digits(best_.values[pair * 4 + 3]) >= 1.0)
      return;  // no p is larger, and a thread sees the sets in order
    if (!set_.empty() && !tester_->has_rows(tester_->cells(x, y), judge_.rows_per_df())) {
      ++skipped_;
      return;
    }
    interrupt_.check();
    const Outcome outcome = tester_->test(x, y);
    if (!set_.empty() && !judge_.has_rows(outcome)) {
      ++skipped_;
      return;
    }
    ++tests_;
    const Verdict verdict = judge_.verdict(outcome, !set_.empty());
    const bool counts = judge_.separates(verdict) || (level_.all && verdict != Verdict::determined);
    if (!counts) return;
    const double row[4] = {outcome.statistic, outcome.df, outcome.rows, p_of(outcome)};
    best_.offer(row, set_.data(), pair, level_.size);
  }

  const Level& level_;
  Interrupt& interrupt_;
  std::unique_ptr<Tester> tester_;
  Judge judge_;
  std::vector<std::int32_t> set_;
  std::vector<Set> ends_;  // at each depth, the columns whose pool has the whole set
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
  Best best_;
  std::int64_t tests_ = 0;
  std::int64_t skipped_ = 0;
};

std::vector<std::pair<std::int64_t, std::int64_t>> tasks_of(const Level& level) {
  std::vector<std::pair<std::int64_t, std::int64_t>> tasks;
  Set both;
  for (std::int64_t a = 0; a < level.n; ++a) {
    if (level.size == 0) tasks.emplace_back(a, -1);
    if (level.size == 1 && !is_empty(level.pooling(a))) tasks.emplace_back(a, -1);
    for (std::int64_t b = a + 1; level.size > 1 && b < level.n; ++b) {
      intersect(level.pooling(a), level.pooling(b), both);
      if (!is_empty(both)) tasks.emplace_back(a, b);
    }
  }
  return tasks;
}

LevelResult merged(const Level& level, const std::vector<std::unique_ptr<Worker>>& workers) {
  Best best;
  best.resize(level.pairs.size(), level.size);
  LevelResult out;
  for (const auto& worker : workers) {
    out.tests += worker->tests();
    out.unsure += worker->unsure();
    out.skipped += worker->skipped();
    const Best& own = worker->best();
    for (std::size_t pair = 0; pair < level.pairs.size(); ++pair) {
      const double* row = own.values.data() + pair * 4;
      const std::int32_t* set = own.sets.data() + pair * level.size;
      if (row[3] >= 0.0) best.offer(row, set, pair, level.size);
    }
  }
  for (std::size_t pair = 0; pair < level.pairs.size(); ++pair) {
    const double* row = best.values.data() + pair * 4;
    if (row[3] < 0.0) continue;
    out.x.push_back(static_cast<std::int32_t>(level.pairs[pair].first));
    out.y.push_back(static_cast<std::int32_t>(level.pairs[pair].second));
    out.values.insert(out.values.end(), row, row + 4);
    const std::int32_t* set = best.sets.data() + pair * level.size;
    out.sets.insert(out.sets.end(), set, set + level.size);
  }
  return out;
}

// The same from a source that gives the separating sets: no test is made.
LevelResult known_level(const Source& source, const Level& level, const Marks& pool, Interrupt& interrupt) {
  std::vector<std::optional<Source::Set>> found(level.pairs.size());
  interrupt.run(static_cast<std::int64_t>(found.size()), [&](std::int64_t i) {
    interrupt.check();
    const auto [x, y] = level.pairs[static_cast<std::size_t>(i)];
    for (const auto& [a, b] : {std::pair(x, y), std::pair(y, x)}) {
      const auto set = source.separator(a, b, pool.row(a), static_cast<std::int64_t>(level.size));
      auto& kept = found[static_cast<std::size_t>(i)];
      if (set && (!kept || *set < *kept)) kept = set;
    }
  });
  LevelResult out;
  for (std::size_t pair = 0; pair < found.size(); ++pair) {
    const std::optional<Source::Set>& set = found[pair];
    if (!set) continue;
    out.x.push_back(static_cast<std::int32_t>(level.pairs[pair].first));
    out.y.push_back(static_cast<std::int32_t>(level.pairs[pair].second));
    out.values.insert(out.values.end(), {0.0, 1.0, 0.0, 1.0});
    for (const std::int64_t z : *set) out.sets.push_back(static_cast<std::int32_t>(z));
  }
  out.tests = static_cast<std::int64_t>(found.size());
  return out;
}

}  // namespace

double p_of(const Outcome& outcome) {
  return std::isnan(outcome.p) ? chi_square_tail(outcome.statistic, outcome.df) : outcome.p;
}

bool is_better(double p, ColumnSet set, double than, ColumnSet than_set) {
  const double now = to_nine_digits(p), kept = to_nine_digits(than);
  return now != kept ? now > kept : std::ranges::lexicographical_compare(set, than_set);
}

Verdict Judge::verdict(const Outcome& outcome, bool is_given) {
  if (outcome.is_determined) return Verdict::determined;
  if (outcome.rows < rules_.power * outcome.df || (outcome.df <= 0.0 && is_given)) return Verdict::none;
  const bool above =
      std::isnan(outcome.p) ? critical_.is_above(outcome.statistic, outcome.df) : outcome.p > rules_.alpha;
  return above ? Verdict::independent : Verdict::dependent;
}

bool Judge::separates(Verdict found) {
  if (found == Verdict::independent || found == Verdict::dependent) return found == Verdict::independent;
  ++unsure_;
  return found == Verdict::none && rules_.unsure_is_independent;
}

LevelResult test_level(const Source& source, const TestRules& rules, const Marks& open, const Marks& pool,
                       std::int64_t size, bool all, Interrupt& interrupt) {
  if (const Correlations* const data = source.correlations()) {
    return gaussian_level(*data, rules, open, pool, size, all, interrupt);
  }
  const Level level(open, pool, size, all);
  if (source.is_exact() && size > 0) return known_level(source, level, pool, interrupt);
  const auto tasks = tasks_of(level);
  Workers<Worker> workers([&] { return std::make_unique<Worker>(level, source, rules, interrupt); });
  interrupt.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i) {
    const auto [a, b] = tasks[static_cast<std::size_t>(i)];
    const auto worker = workers.take();
    if (size == 0) return worker->first_level(a);
    worker->sets_from(a, b);
  });
  return merged(level, workers.all());
}

}  // namespace deciban
