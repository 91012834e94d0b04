// A level of PC by Fisher's z, one column x at a time with all its neighbours.
//
// The columns around x are a small matrix of correlations. All of a set but its last column are swept out of it, once
// for all pairs and all last columns; the last column z is a formula, for eight neighbours y at a time:
//
//     r² = (s_xy·s_zz − s_xz·s_yz)² / ((s_xx·s_zz − s_xz²)·(s_yy·s_zz − s_yz²))
//
// It needs no division and no root to say that |r| is above a bound, so that x and y are dependent given the set, or
// less independent than given another one. Only the few pairs that are not are tested as a single test would be, with
// the same roundings, so the results are the same.
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <numeric>

#include "independence/gaussian.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/workers.hpp"

namespace deciban {
namespace {

// A bound is raised by this much. Candidates with p equal to nine digits differ by less, and so do the formula and the
// single test, where no column is nearly a function of others.
constexpr double margin = 1e-8;
// With less variance left of a column, its pairs are tested one by one.
constexpr double safe_variance = 1e-5;
// Of y the formula notes it itself: |s_xy.z|² is at most s_xx.z·s_yy.z, so below 1e-10 of s_yy the bound with this term
// is never exceeded.
constexpr double slack = 1e-9;
constexpr double any_r = 2.0;  // a bound above every r

// The largest |r| with p > alpha.
double critical_r(double alpha, double freedom) {
  double low = 0.0, high = 40.0;  // of z: p is 0 from 39
  for (int i = 0; i < 64; ++i) {
    const double z = (low + high) / 2;
    (std::erfc(z / std::numbers::sqrt2) > alpha ? low : high) = z;
  }
  return std::tanh(high / std::sqrt(freedom));
}

struct GaussianLevel {
  const Correlations& data;
  const TestRules& rules;
  const Marks& open;
  const Marks& pool;
  std::size_t size;
  bool all;
  double freedom;
  bool is_plain;  // whether p alone decides, for columns that vary
  double bound;   // the largest |r| of a candidate

  GaussianLevel(const Correlations& correlations, const TestRules& how, const Marks& edges, const Marks& around,
                std::int64_t set_size, bool is_all)
      : data(correlations),
        rules(how),
        open(edges),
        pool(around),
        size(static_cast<std::size_t>(set_size)),
        all(is_all),
        freedom(data.rows - static_cast<double>(set_size) - 3.0),
        is_plain(freedom > 0.0 && data.rows >= rules.power),
        bound(all || !is_plain ? any_r : critical_r(rules.alpha, freedom) + margin) {}
};

std::vector<std::int32_t> marked(const Marks& marks, std::int64_t x) {
  std::vector<std::int32_t> found;
  const std::span<const std::uint8_t> row = marks.row(x);
  for (std::int64_t y = 0; y < marks.n; ++y) {
    if (y != x && row[static_cast<std::size_t>(y)] != 0) found.push_back(static_cast<std::int32_t>(y));
  }
  return found;
}

// A column x: the ends of its edges, the columns that its sets are made of, and the best test of each edge so far.
struct Around {
  std::vector<std::int32_t> ends;
  std::vector<std::int32_t> pool;
  std::vector<double> values;  // statistic, df, rows, p of each edge
  std::vector<std::int32_t> sets;
  std::int64_t tests = 0;

  bool has_test(std::size_t edge) const { return values[edge * 4 + 3] >= 0.0; }
  double p(std::size_t edge) const { return values[edge * 4 + 3]; }
};

struct Task {
  std::int64_t x;
  std::int64_t first;  // the number in the pool of x of the first column of the sets, or −1 for all
};

// What a test says, and whether it is a candidate for its pair.
class Examiner {
 public:
  explicit Examiner(const GaussianLevel& level) : level_(level), judge_(level.rules) {}

  bool counts(const Outcome& outcome) {
    const Verdict verdict = judge_.verdict(outcome, level_.size > 0);
    return judge_.separates(verdict) || (level_.all && verdict != Verdict::determined);
  }
  std::int64_t unsure() const { return judge_.unsure(); }

 private:
  const GaussianLevel& level_;
  Judge judge_;
};

// One thread's matrices.
class Neighbourhood {
 public:
  explicit Neighbourhood(const GaussianLevel& level, Interrupt& interrupt)
      : level_(level), interrupt_(interrupt), examiner_(level) {}

  void run(const Task& task, const Around& around) {
    gather(task.x, around.ends, around.pool);
    if (task.first < 0) return leaves(0, 0);
    step(0, task.first);
  }

  // Those of the tests that are better than the known ones.
  void merge_into(Around& known) const {
    const std::size_t count = level_.size;
    for (std::size_t edge = 0; edge < known.ends.size(); ++edge) {
      const double* row = values_.data() + edge * 4;
      const std::int32_t* set = sets_.data() + edge * count;
      std::int32_t* const kept = known.sets.data() + edge * count;
      if (row[3] < 0.0 || !is_better(row[3], {set, count}, known.p(edge), {kept, count})) continue;
      std::copy(row, row + 4, known.values.begin() + static_cast<std::ptrdiff_t>(edge * 4));
      std::copy(set, set + count, kept);
    }
  }

  std::int64_t unsure() const { return examiner_.unsure(); }

 private:
  // The columns: first the ends of the edges, then x, then the rest of the pool.
  void gather(std::int64_t x, std::span<const std::int32_t> ends, std::span<const std::int32_t> pool) {
    x_ = x;
    edges_ = static_cast<std::int64_t>(ends.size());
    columns_.assign(ends.begin(), ends.end());
    columns_.push_back(static_cast<std::int32_t>(x));
    pool_.clear();
    for (const std::int32_t z : pool) {
      const auto at = std::ranges::lower_bound(ends, z);
      if (at != ends.end() && *at == z) {
        pool_.push_back(at - ends.begin());
      } else {
        pool_.push_back(static_cast<std::int64_t>(columns_.size()));
        columns_.push_back(z);
      }
    }
    n_ = static_cast<std::int64_t>(columns_.size());
    stride_ = padded(n_);
    stack_.resize(level_.size);
    for (auto& matrix : stack_) matrix.resize(static_cast<std::size_t>(n_ * stride_));
    for (std::int64_t i = 0; i < n_; ++i) {
      const double* row = level_.data.row(columns_[static_cast<std::size_t>(i)]);
      double* out = stack_[0].data() + i * stride_;
      for (std::int64_t j = 0; j < n_; ++j) out[j] = row[columns_[static_cast<std::size_t>(j)]];
      std::fill(out + n_, out + stride_, 0.0);
    }
    const auto lanes_of_edges = static_cast<std::size_t>(padded(edges_));
    bounds_.assign(lanes_of_edges, 0.0);
    slacks_.assign(lanes_of_edges, 0.0);  // with both 0, a lane is never a candidate
    std::fill_n(bounds_.begin(), edges_, level_.bound * level_.bound);
    std::fill_n(slacks_.begin(), edges_, slack);
    diagonal_.assign(lanes_of_edges, 0.0);
    above_.resize(lanes_of_edges);
    values_.assign(ends.size() * 4, -1.0);
    sets_.assign(ends.size() * level_.size, 0);
    set_.clear();
    is_safe_ = level_.is_plain;
  }

  // Sweeps column `number` of the pool out of the matrix at this depth, and goes on with the later ones.
  void step(std::size_t depth, std::int64_t number) {
    const std::int64_t z = pool_[static_cast<std::size_t>(number)];
    const bool was_safe = is_safe_;
    sweep(stack_[depth].data(), stack_[depth + 1].data(), z);
    const Masked out(*this, z);
    set_.push_back(columns_[static_cast<std::size_t>(z)]);
    if (set_.size() + 1 == level_.size) {
      leaves(depth + 1, number + 1);
    } else {
      const auto last = static_cast<std::int64_t>(pool_.size() - (level_.size - set_.size()));
      for (std::int64_t next = number + 1; next <= last; ++next) step(depth + 1, next);
    }
    set_.pop_back();
    is_safe_ = was_safe;
  }

  void sweep(const double* from, double* to, std::int64_t z) {
    const std::int64_t n = n_, stride = stride_;
    const double* own = from + z * stride;
    const double variance = own[z];
    is_safe_ = is_safe_ && variance >= safe_variance;
    const bool is_known = variance < least_variance;
    on_instruction_set([=](auto set) DECIBAN_INLINE_LAMBDA {
      using Set = decltype(set);
      for (std::int64_t i = 0; i < n; ++i) {
        const double share = is_known ? 0.0 : own[i] / variance;
        for (std::int64_t j = 0; j < stride; j += lanes) {
          put_vector(to + i * stride + j, lanes_at<Set>(from + i * stride + j) - lanes_at<Set>(own + j) * share);
        }
      }
    });
  }

  // All sets that the columns from `number` of the pool complete.
  void leaves(std::size_t depth, std::int64_t number) {
    interrupt_.check();
    const double* const left = stack_[depth].data();
    for (std::int64_t i = 0; i < edges_; ++i) diagonal_[static_cast<std::size_t>(i)] = left[i * stride_ + i];
    for (auto at = static_cast<std::size_t>(number); at < pool_.size(); ++at) {
      const std::int64_t z = pool_[at];
      const Masked out(*this, z);
      set_.push_back(columns_[static_cast<std::size_t>(z)]);
      test_leaf(left, z);
      set_.pop_back();
    }
  }

  void test_leaf(const double* left, std::int64_t z) {
    const double* const of_x = left + edges_ * stride_;
    const double* const of_z = left + z * stride_;
    const double zz = of_z[z], xz = of_x[z], xx = of_x[edges_] * zz - xz * xz;
    if (!is_safe_ || zz < safe_variance || xx < safe_variance * zz) {
      for (std::int64_t y = 0; y < edges_; ++y) {
        if (slacks_[static_cast<std::size_t>(y)] > 0.0) test(left, z, y);
      }
      return;
    }
    const bool has_candidates =
        on_instruction_set([=, edges = edges_, diagonal = diagonal_.data(), bounds = bounds_.data(),
                            slacks = slacks_.data(), above = above_.data()](auto set) DECIBAN_INLINE_LAMBDA {
          using Set = decltype(set);
          Lanes<Set> largest = all_lanes<Set>(-1.0);
          for (std::int64_t y = 0; y < edges; y += lanes) {
            const Lanes<Set> yz = lanes_at<Set>(of_z + y);
            const Lanes<Set> xy = lanes_at<Set>(of_x + y) * zz - yz * xz;
            const Lanes<Set> yy = lanes_at<Set>(diagonal + y) * zz - yz * yz;
            const Lanes<Set> most = lanes_at<Set>(bounds + y) * yy + lanes_at<Set>(slacks + y) * zz;
            const Lanes<Set> room = most * xx - xy * xy;
            put_vector(above + y, room);
            largest = larger(largest, room);
          }
          return largest_lane(largest) > 0.0;
        });
    if (!has_candidates) return;
    for (std::int64_t y = 0; y < edges_; ++y) {
      if (above_[static_cast<std::size_t>(y)] > 0.0) test(left, z, y);
    }
  }

  // The one test, as GaussianTester computes it.
  void test(const double* left, std::int64_t z, std::int64_t y) {
    const auto column = columns_[static_cast<std::size_t>(y)];
    // Where all of the set is around y, too, the test is also one of y's: there is one, of the smaller of the two.
    if (column < x_ && std::ranges::all_of(set_, [&](std::int32_t c) { return level_.pool(column, c); })) return;
    const auto [a, b] = x_ < column ? std::pair(edges_, y) : std::pair(y, edges_);
    const double* const own = left + z * stride_;
    const bool is_known = own[z] < least_variance;
    const double share_a = is_known ? 0.0 : own[a] / own[z], share_b = is_known ? 0.0 : own[b] / own[z];
    const Residuals residuals{left[a * stride_ + b] - share_a * own[b], left[a * stride_ + a] - share_a * own[a],
                              left[b * stride_ + b] - share_b * own[b], level_.data.varies(columns_[index(a)]),
                              level_.data.varies(columns_[index(b)])};
    const Outcome outcome = fisher_z(residuals, level_.data.rows, static_cast<std::int64_t>(level_.size));
    if (!examiner_.counts(outcome)) return;
    double* const row = values_.data() + y * 4;
    std::int32_t* const kept = sets_.data() + index(y) * level_.size;
    const double p = p_of(outcome);
    if (!is_better(p, set_, row[3], {kept, level_.size})) return;
    row[0] = outcome.statistic, row[1] = outcome.df, row[2] = outcome.rows, row[3] = p;
    std::ranges::copy(set_, kept);
    // Without digits p does not order the candidates any more, only their sets do.
    if (!level_.is_plain || p < 1e-290) return;
    const double r = std::tanh(std::sqrt(outcome.statistic / level_.freedom)) + margin;
    bounds_[index(y)] = r * r;
  }

  // While a column is in the set, it is no end of an edge that is tested.
  class Masked {
   public:
    Masked(Neighbourhood& owner, std::int64_t z) : owner_(owner), z_(z), is_end_(z < owner.edges_) {
      if (!is_end_) return;
      bound_ = std::exchange(owner_.bounds_[index(z_)], 0.0);
      owner_.slacks_[index(z_)] = 0.0;
    }
    Masked(const Masked&) = delete;
    Masked& operator=(const Masked&) = delete;
    ~Masked() {
      if (!is_end_) return;
      owner_.bounds_[index(z_)] = bound_;
      owner_.slacks_[index(z_)] = slack;
    }

   private:
    Neighbourhood& owner_;
    std::int64_t z_;
    bool is_end_;
    double bound_ = 0.0;
  };

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  const GaussianLevel& level_;
  Interrupt& interrupt_;
  Examiner examiner_;
  std::int64_t x_ = 0, edges_ = 0, n_ = 0, stride_ = 0;
  std::vector<std::int32_t> columns_;
  std::vector<std::int64_t> pool_;          // by their numbers in columns_
  std::vector<std::vector<double>> stack_;  // the matrix with the first 0, 1, … columns of the set swept out
  bool is_safe_ = true;                     // whether none of these was nearly a function of those before it
  std::vector<std::int32_t> set_;
  std::vector<double> diagonal_, bounds_, slacks_, above_;  // of the ends of the edges: variance, largest r² and so on
  std::vector<double> values_;
  std::vector<std::int32_t> sets_;
};

// How many sets of a size there are.
double subsets(std::size_t members, std::size_t size) {
  double sets = members < size ? 0.0 : 1.0;
  for (std::size_t k = 0; k < size; ++k) sets = sets * static_cast<double>(members - k) / static_cast<double>(k + 1);
  return sets;
}

// How many tests the edges of x to later columns have: a set around both ends is one test.
double count_tests(const GaussianLevel& level, std::int64_t x, const std::vector<Around>& around) {
  const Around& own = around[static_cast<std::size_t>(x)];
  double tests = 0.0;
  for (const std::int32_t y : own.ends) {
    if (y < x) continue;
    const auto of_y = level.pool.row(y);
    const auto common = std::ranges::count_if(
        own.pool, [&](std::int32_t z) { return z != y && of_y[static_cast<std::size_t>(z)] != 0; });
    tests += subsets(own.pool.size() - (level.pool(x, y) ? 1 : 0), level.size);
    tests += subsets(around[static_cast<std::size_t>(y)].pool.size() - (level.pool(y, x) ? 1 : 0), level.size);
    tests -= subsets(static_cast<std::size_t>(common), level.size);
  }
  return tests;
}

// For each edge, the better of the tests that its ends have.
void merge(const GaussianLevel& level, const std::vector<Around>& around, LevelResult& out) {
  const auto set_of = [&](const Around& one, std::size_t edge) {
    return ColumnSet(one.sets.data() + edge * level.size, level.size);
  };
  for (std::size_t x = 0; x < around.size(); ++x) {
    for (std::size_t edge = 0; edge < around[x].ends.size(); ++edge) {
      const auto y = static_cast<std::size_t>(around[x].ends[edge]);
      if (y < x) continue;
      const Around* best = &around[x];
      std::size_t at = edge;
      const auto twin = static_cast<std::size_t>(
          std::ranges::lower_bound(around[y].ends, static_cast<std::int32_t>(x)) - around[y].ends.begin());
      if (around[y].has_test(twin) &&
          is_better(around[y].p(twin), set_of(around[y], twin), best->p(at), set_of(*best, at))) {
        best = &around[y];
        at = twin;
      }
      if (!best->has_test(at)) continue;
      out.x.push_back(static_cast<std::int32_t>(x));
      out.y.push_back(static_cast<std::int32_t>(y));
      for (std::size_t k = 0; k < 4; ++k) out.values.push_back(best->values[at * 4 + k]);
      const ColumnSet set = set_of(*best, at);
      out.sets.insert(out.sets.end(), set.begin(), set.end());
    }
  }
}

LevelResult with_sets(const GaussianLevel& level, Interrupt& interrupt) {
  std::vector<Around> around(static_cast<std::size_t>(level.open.n));
  interrupt.run(level.open.n, [&](std::int64_t x) {
    Around& own = around[static_cast<std::size_t>(x)];
    own.ends = marked(level.open, x);
    own.pool = marked(level.pool, x);
    own.values.assign(own.ends.size() * 4, -1.0);
    own.sets.assign(own.ends.size() * level.size, 0);
  });
  std::vector<Task> tasks;
  LevelResult out;
  for (std::int64_t x = 0; x < level.open.n; ++x) {
    const Around& own = around[static_cast<std::size_t>(x)];
    if (own.ends.empty()) continue;
    out.tests += std::llround(count_tests(level, x, around));
    if (own.pool.size() < level.size) continue;
    if (level.size == 1) tasks.push_back({x, -1});
    const auto last = static_cast<std::int64_t>(own.pool.size() - level.size);
    for (std::int64_t first = 0; level.size > 1 && first <= last; ++first) tasks.push_back({x, first});
  }
  std::mutex lock;
  Workers<Neighbourhood> workers([&] { return std::make_unique<Neighbourhood>(level, interrupt); });
  interrupt.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i) {
    const Task& task = tasks[static_cast<std::size_t>(i)];
    Around& own = around[static_cast<std::size_t>(task.x)];
    const auto worker = workers.take();
    worker->run(task, own);
    const std::scoped_lock hold(lock);
    worker->merge_into(own);
  });
  for (const auto& worker : workers.all()) out.unsure += worker->unsure();
  merge(level, around, out);
  return out;
}

// Level 0. A thousand columns have half a million pairs, most of them separated: they are counted first, so that the
// results are written where they stay.
LevelResult without_sets(const GaussianLevel& level, Interrupt& interrupt) {
  const Correlations& data = level.data;
  const std::int64_t n = level.open.n;
  std::vector<double> variances(static_cast<std::size_t>(n));
  for (std::int64_t x = 0; x < n; ++x) variances[static_cast<std::size_t>(x)] = data.at(x, x);
  const auto test = [&](std::int64_t x, std::int64_t y) {
    const double xx = variances[static_cast<std::size_t>(x)], yy = variances[static_cast<std::size_t>(y)];
    return fisher_z({data.at(x, y), xx, yy, xx > 0.0, yy > 0.0}, data.rows, 0);
  };
  const auto each_pair = [&](std::int64_t x, auto&& visit) {
    interrupt.check();
    const std::span<const std::uint8_t> open = level.open.row(x);
    for (std::int64_t y = x + 1; y < n; ++y) {
      if (open[static_cast<std::size_t>(y)] != 0) visit(y);
    }
  };
  // Of columns with the variance 1, far enough from the bound to need no test.
  const double surely = level.is_plain && !level.all ? level.bound - 3 * margin : -1.0;
  const auto is_clear = [&](std::int64_t x, std::int64_t y) {
    return variances[static_cast<std::size_t>(x)] == 1.0 && variances[static_cast<std::size_t>(y)] == 1.0 &&
           std::abs(data.at(x, y)) < surely;
  };

  std::vector<std::int64_t> starts(static_cast<std::size_t>(n) + 1), tests(static_cast<std::size_t>(n));
  interrupt.run(n, [&](std::int64_t x) {
    Examiner examiner(level);
    std::int64_t kept = 0, made = 0;
    each_pair(x, [&](std::int64_t y) {
      ++made;
      kept += is_clear(x, y) || (std::abs(data.at(x, y)) <= level.bound && examiner.counts(test(x, y))) ? 1 : 0;
    });
    starts[static_cast<std::size_t>(x) + 1] = kept;
    tests[static_cast<std::size_t>(x)] = made;
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());

  LevelResult out;
  const auto found = static_cast<std::size_t>(starts.back());
  out.x.resize(found);
  out.y.resize(found);
  out.values.resize(found * 4);
  std::vector<std::int64_t> unsure(static_cast<std::size_t>(n));
  interrupt.run(n, [&](std::int64_t x) {
    Examiner examiner(level);
    auto at = static_cast<std::size_t>(starts[static_cast<std::size_t>(x)]);
    each_pair(x, [&](std::int64_t y) {
      if (std::abs(data.at(x, y)) > level.bound) return;
      const Outcome outcome = test(x, y);
      if (!examiner.counts(outcome)) return;
      out.x[at] = static_cast<std::int32_t>(x);
      out.y[at] = static_cast<std::int32_t>(y);
      const double row[4] = {outcome.statistic, outcome.df, outcome.rows, p_of(outcome)};
      std::ranges::copy(row, out.values.begin() + static_cast<std::ptrdiff_t>(at * 4));
      ++at;
    });
    unsure[static_cast<std::size_t>(x)] = examiner.unsure();
  });
  out.tests = std::accumulate(tests.begin(), tests.end(), std::int64_t{0});
  out.unsure = std::accumulate(unsure.begin(), unsure.end(), std::int64_t{0});
  return out;
}

}  // namespace

LevelResult gaussian_level(const Correlations& data, const TestRules& rules, const Marks& open, const Marks& pool,
                           std::int64_t size, bool all, Interrupt& interrupt) {
  const GaussianLevel level(data, rules, open, pool, size, all);
  return size == 0 ? without_sets(level, interrupt) : with_sets(level, interrupt);
}

}  // namespace deciban
