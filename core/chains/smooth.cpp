#include <algorithm>
#include <cmath>
#include <numeric>

#include "chains/chains.hpp"
#include "run/pool.hpp"
#include "run/ties.hpp"
#include "score/averaged.hpp"

namespace deciban {
namespace {

constexpr int weakest = -2, strongest = 10, first_tried = 2;  // exponents of 2

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The probabilities of one level, and those without one row: parents' states × states of x × classes.
struct Level {
  std::vector<double> counts, whole, full, left;
};

class Chain {
 public:
  Chain(std::span<const std::int64_t> sizes, std::int64_t classes, std::span<const double> counts, double unit)
      : sizes_(sizes), classes_(at(classes)), states_(at(sizes.back())), unit_(unit), levels_(sizes.size()) {
    levels_.back().counts.assign(counts.begin(), counts.end());
    for (std::size_t l = levels_.size() - 1; l-- > 0;) sum_out(levels_[l + 1].counts, at(sizes_[l]), levels_[l].counts);
    start();
    for (std::size_t l = 0; l < levels_.size(); ++l) settle(l);
  }

  const std::vector<double>& strengths() const { return strengths_; }

  // Writes the entries of level L, for all states of its parents and of x, the unknown ones last.
  void write(std::size_t level, std::int64_t width, double* logs, double* left) const {
    write({level, width, left - logs}, 0, 0, 0, logs);
  }

 private:
  std::size_t row() const { return states_ * classes_; }

  // Sums the counts over the last parent, which has `states` states.
  void sum_out(const std::vector<double>& from, std::size_t states, std::vector<double>& to) const {
    const std::size_t parents = from.size() / (states * row());
    to.assign(parents * row(), 0.0);
    for (std::size_t p = 0; p < parents; ++p) {
      for (std::size_t v = 0; v < states; ++v) {
        const double* source = from.data() + (p * states + v) * row();
        for (std::size_t i = 0; i < row(); ++i) to[p * row() + i] += source[i];
      }
    }
  }

  // P_(−1): the same for all classes.
  void start() {
    base_.resize(row());
    base_left_.resize(row());
    double total = 0.0;
    for (const double n : levels_[0].counts) total += n;
    const double states = static_cast<double>(states_);
    for (std::size_t x = 0; x < states_; ++x) {
      double n = 0.0;
      for (std::size_t c = 0; c < classes_; ++c) n += levels_[0].counts[x * classes_ + c];
      const double full = (n + 1.0) / (total + states);
      const double left = (std::max(n - unit_, 0.0) + 1.0) / (std::max(total - unit_, 0.0) + states);
      std::fill_n(base_.begin() + static_cast<std::ptrdiff_t>(x * classes_), classes_, full);
      std::fill_n(base_left_.begin() + static_cast<std::ptrdiff_t>(x * classes_), classes_, left);
    }
  }

  // The level below, for the parents with index p of level l.
  const double* below(std::size_t l, std::size_t p, bool is_left) const {
    if (l == 0) return is_left ? base_left_.data() : base_.data();
    const Level& lower = levels_[l - 1];
    return (is_left ? lower.left : lower.full).data() + p / at(sizes_[l - 1]) * row();
  }

  void settle(std::size_t l) {
    Level& level = levels_[l];
    const std::size_t parents = level.counts.size() / row();
    level.whole.assign(parents * classes_, 0.0);
    for (std::size_t i = 0; i < level.counts.size(); ++i)
      level.whole[i / row() * classes_ + i % classes_] += level.counts[i];
    const double s = best_strength(l);
    strengths_.push_back(s);
    level.full.resize(level.counts.size());
    level.left.resize(level.counts.size());
    for (std::size_t p = 0; p < parents; ++p) {
      const double *full = below(l, p, false), *left = below(l, p, true), *whole = &level.whole[p * classes_];
      for (std::size_t i = 0; i < row(); ++i) {
        const double n = level.counts[p * row() + i], sum = whole[i % classes_];
        const double all = (n + s * full[i]) / (sum + s);
        level.full[p * row() + i] = all;
        level.left[p * row() + i] =
            n > 0.0 ? (std::max(n - unit_, 0.0) + s * left[i]) / (std::max(sum - unit_, 0.0) + s) : all;
      }
    }
  }

  // The power of 2 that maximizes the leave-one-out likelihood, found by climbing.
  double best_strength(std::size_t l) const {
    const std::vector<double>& whole = levels_[l].whole;
    const double rows = std::max(std::accumulate(whole.begin(), whole.end(), 0.0), 1.0);
    int best = first_tried;
    double top = likelihood(l, std::ldexp(1.0, best));
    for (const int step : {1, -1}) {
      bool is_better = false;
      for (int e = best + step; e >= weakest && e <= strongest; e += step) {
        const double found = likelihood(l, std::ldexp(1.0, e));
        if (!exceeds(found, top, rows)) break;
        top = found;
        best = e;
        is_better = true;
      }
      if (is_better) break;
    }
    return std::ldexp(1.0, best);
  }

  // Σ n·log P_l without one row, over all cells that have rows.
  double likelihood(std::size_t l, double s) const {
    const Level& level = levels_[l];
    double sum = 0.0;
    for (std::size_t p = 0; p < level.counts.size() / row(); ++p) {
      const double *left = below(l, p, true), *whole = &level.whole[p * classes_];
      for (std::size_t i = 0; i < row(); ++i) {
        const double n = level.counts[p * row() + i];
        if (n > 0.0) {
          sum +=
              n * std::log((std::max(n - unit_, 0.0) + s * left[i]) / (std::max(whole[i % classes_] - unit_, 0.0) + s));
        }
      }
    }
    return sum;
  }

  struct Target {
    std::size_t level;
    std::int64_t width;
    std::ptrdiff_t left;  // how far the table without a row lies behind the other
  };

  // The entries below some states of the parents before the `next`-th. The first `known` of these parents are known,
  // with the index `parents`; an entry is that of level `known`.
  void write(const Target& target, std::size_t next, std::size_t known, std::size_t parents, double* to) const {
    if (next == target.level) {
      const Level& level = levels_[known];
      write_row(level.full, parents, target.width, to);
      write_row(level.left, parents, target.width, to + target.left);
      return;
    }
    std::size_t step = at(target.width) * (states_ + 1);
    for (std::size_t i = next + 1; i < target.level; ++i) step *= at(sizes_[i]) + 1;
    const std::size_t states = at(sizes_[next]);
    for (std::size_t v = 0; v <= states; ++v) {
      const bool is_known = known == next && v < states;
      write(target, next + 1, known + is_known, is_known ? parents * states + v : parents, to + v * step);
    }
  }

  void write_row(const std::vector<double>& from, std::size_t parents, std::int64_t width, double* to) const {
    const double* source = from.data() + parents * row();
    for (std::size_t x = 0; x < states_; ++x) {
      for (std::size_t c = 0; c < classes_; ++c) to[x * at(width) + c] = std::log(source[x * classes_ + c]);
    }
  }

  std::span<const std::int64_t> sizes_;
  std::size_t classes_, states_;
  double unit_;
  std::vector<Level> levels_;
  std::vector<double> base_, base_left_, strengths_;
};

std::vector<std::int64_t> sizes_of(const Chains& chains, std::size_t chain) {
  std::vector<std::int64_t> sizes;
  for (const std::int32_t c : chains.columns[chain]) sizes.push_back(chains.sizes[at(c)]);
  return sizes;
}

}  // namespace

std::size_t Chains::known_cells(std::size_t chain) const {
  std::size_t cells = 1;
  for (const std::int32_t c : columns[chain]) cells *= at(sizes[at(c)]);
  return cells;
}

std::size_t Chains::padded_cells(std::size_t chain) const {
  std::size_t cells = 1;
  for (const std::int32_t c : columns[chain]) cells *= at(sizes[at(c)]) + 1;
  return cells;
}

ChainLogs smooth_chains(const Chains& chains, std::span<const double> counts, double unit) {
  const std::size_t count = chains.size(), classes = at(chains.classes), width = at(averaged_width(chains.classes));
  std::vector<std::size_t> cells{0}, entries{0}, levels{0};
  for (std::size_t i = 0; i < count; ++i) {
    cells.push_back(cells.back() + chains.known_cells(i) * classes);
    const std::vector<std::int64_t> sizes = sizes_of(chains, i);
    std::size_t own = 0, entry = at(sizes.back()) + 1;
    for (const std::int64_t states : sizes) {
      own += entry;
      entry *= at(states) + 1;
    }
    entries.push_back(entries.back() + own * width);
    levels.push_back(levels.back() + sizes.size());
  }
  ChainLogs out;
  out.logs.assign(entries.back(), 0.0);
  out.left.assign(entries.back(), 0.0);
  out.strengths.assign(levels.back(), 0.0);
  parallel_for(static_cast<std::int64_t>(count), [&](std::int64_t task) {
    const std::size_t i = at(task);
    const std::vector<std::int64_t> sizes = sizes_of(chains, i);
    if (chains.known_cells(i) == 0) return;
    const Chain chain(sizes, chains.classes, counts.subspan(cells[i], cells[i + 1] - cells[i]), unit);
    std::size_t start = entries[i], entry = (at(sizes.back()) + 1) * width;
    for (std::size_t l = 0; l < sizes.size(); ++l) {
      chain.write(l, static_cast<std::int64_t>(width), out.logs.data() + start, out.left.data() + start);
      start += entry;
      entry *= at(sizes[l]) + 1;
    }
    std::ranges::copy(chain.strengths(), out.strengths.begin() + static_cast<std::ptrdiff_t>(levels[i]));
  });
  return out;
}

}  // namespace deciban
