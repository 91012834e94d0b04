#include <algorithm>

#include "chains/levels.hpp"
#include "run/pool.hpp"
#include "score/averaged.hpp"

namespace deciban {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// Writes the entries of one chain. The sum of the first levels is kept from one to the next:
//
//   sum_l = sum_(l−1) + f_l·log P_l,   entry of level l = sum_l + (Σ_(m>l) f_m)·log P_l,
//
// since without the parents of the further levels each of these is level l.
class Writer {
 public:
  explicit Writer(std::int64_t classes) : classes_(at(classes)), width_(at(averaged_width(classes))) {}

  void write(const ChainLevels& levels, std::span<const double> factors, std::span<double> to) {
    double rest = 0.0;
    for (const double f : factors) rest += f;
    sums_.clear();
    std::size_t end = to.size() - width_;  // behind the entries of all levels lie the zeros
    for (std::size_t l = 0; l < factors.size(); ++l) {
      const bool is_last = l + 1 == factors.size();
      rest = is_last ? 0.0 : rest - factors[l];
      logs_ = levels.whole(l);
      take_logs(logs_);
      add(levels, l, factors[l]);
      const std::size_t entries = logs_.size() / classes_;
      double* out = to.data() + end - entries * width_;
      for (std::size_t e = 0; e < entries; ++e) {
        for (std::size_t c = 0; c < classes_; ++c) {
          const std::size_t i = e * classes_ + c;
          out[e * width_ + c] = sums_[i] + rest * logs_[i];
        }
      }
      end -= entries * width_;
    }
  }

 private:
  void add(const ChainLevels& levels, std::size_t level, double factor) {
    const std::size_t row = at(levels.sizes().back()) * classes_,
                      states = level > 0 ? at(levels.sizes()[level - 1]) : 1;
    next_.resize(logs_.size());
    for (std::size_t p = 0; row > 0 && p < logs_.size() / row; ++p) {
      double* to = next_.data() + p * row;
      const double* log = logs_.data() + p * row;
      if (level == 0) {
        for (std::size_t i = 0; i < row; ++i) to[i] = factor * log[i];
        continue;
      }
      const double* below = sums_.data() + p / states * row;
      for (std::size_t i = 0; i < row; ++i) to[i] = below[i] + factor * log[i];
    }
    sums_.swap(next_);
  }

  std::size_t classes_, width_;
  std::vector<double> logs_, sums_, next_;
};

}  // namespace

std::size_t Chains::cells(std::size_t chain, std::size_t levels) const {
  if (levels == 0) return 0;
  const auto list = columns[chain];
  std::size_t cells = at(sizes[at(list.back())]);
  for (const std::int32_t c : list.first(levels - 1)) cells *= at(sizes[at(c)]);
  return cells;
}

std::size_t Chains::entries(std::size_t chain, std::size_t levels) const {
  std::size_t entries = levels > 0 ? 1 : 0;
  for (std::size_t l = 1; l <= levels; ++l) entries += cells(chain, l);
  return entries;
}

CombinedChains combine_chains(const Chains& chains, const ChainCounts& counts, const LevelFactors& of_levels) {
  const std::size_t count = chains.size(), width = at(averaged_width(chains.classes));
  std::vector<std::size_t> cells{0}, entries{0};
  for (std::size_t i = 0; i < count; ++i) {
    cells.push_back(cells.back() + chains.cells(i, chains.columns.length(i)) * at(chains.classes));
    entries.push_back(entries.back() + chains.entries(i, at(of_levels.used[i])) * width);
  }
  CombinedChains out{std::vector<double>(entries.back()), std::vector<double>(chains.columns.values.size())};
  const bool is_given = !of_levels.strengths.empty();
  const std::int64_t tasks = std::min<std::int64_t>(static_cast<std::int64_t>(count), 8L * thread_count());
  parallel_for(tasks, [&](std::int64_t task) {
    ChainLevels levels(chains.classes, of_levels.unit);
    Writer writer(chains.classes);
    for (std::size_t i = count * at(task) / at(tasks); i < count * at(task + 1) / at(tasks); ++i) {
      const std::size_t first = chains.columns.begin_of(i), depth = chains.columns.length(i);
      const std::size_t used = at(of_levels.used[i]);
      const auto given = is_given ? of_levels.strengths.subspan(first, depth) : std::span<const double>{};
      if (cells[i + 1] == cells[i]) continue;
      // Without strengths all are found, as they are those of the counts, whatever is used.
      if (used == 0 && is_given) continue;
      levels.smooth(chains, i, counts, cells[i], is_given ? used : depth, given);
      const auto strengths = is_given ? given : levels.strengths();
      std::ranges::copy(strengths, out.strengths.begin() + static_cast<std::ptrdiff_t>(first));
      if (used == 0) continue;
      writer.write(levels, of_levels.factors.subspan(first, used),
                   std::span(out.table).subspan(entries[i], entries[i + 1] - entries[i]));
    }
  });
  if (is_given) out.strengths.assign(of_levels.strengths.begin(), of_levels.strengths.end());
  return out;
}

}  // namespace deciban
