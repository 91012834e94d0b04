#include <algorithm>
#include <array>

#include "chains/levels.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 512;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// Adds the evidence of the chains of one column.
class ColumnEvidence {
 public:
  ColumnEvidence(const Chains& chains, const CountedRows& rows)
      : chains_(chains), rows_(rows), classes_(at(chains.classes)), levels_(chains.classes, rows.unit) {
    logs_.resize(at(block) * classes_);
    below_.resize(at(block) * classes_);
  }

  // `out`: the entry of the first row, whose levels are contiguous; rows lie `apart` doubles apart.
  void add(std::size_t chain, const ChainCounts& counts, std::size_t start, double share, double* out,
           std::size_t apart) {
    const std::size_t depth = chains_.columns.length(chain);
    levels_.smooth(chains_, chain, counts, start, depth, {});
    // All logarithms of a level where rows share them, or else those of the rows.
    if (tables_.size() < depth) tables_.resize(depth);
    for (std::size_t l = 0; l < depth; ++l) {
      tables_[l].clear();
      if (levels_.whole(l).size() > at(rows_.codes.rows) * classes_) continue;
      tables_[l] = levels_.whole(l);
      take_logs(tables_[l]);
    }
    for (std::int64_t begin = 0; begin < rows_.codes.rows; begin += block) {
      add_block(chain, begin, std::min(block, rows_.codes.rows - begin), share, out + at(begin) * apart, apart);
    }
  }

  std::span<const double> strengths() const { return levels_.strengths(); }

 private:
  void add_block(std::size_t chain, std::int64_t begin, std::int64_t count, double share, double* out,
                 std::size_t apart) {
    const auto columns = chains_.columns[chain];
    const auto states = static_cast<std::size_t>(levels_.sizes().back());
    is_known_.fill(true);
    parents_.fill(0);
    x_.fill(0);
    append(columns.back(), begin, count, x_);
    std::ranges::fill(below_, 0.0);
    for (std::size_t l = 0; l < columns.size(); ++l) {
      if (l > 0) append(columns[l - 1], begin, count, parents_);
      look_up(l, begin, count, states);
      for (std::size_t r = 0; r < at(count); ++r) {
        // Without a parent, this level and the further ones add nothing.
        if (!is_known_[r]) continue;
        double* to = out + r * apart + l * classes_;
        const std::size_t first = r * classes_;
        for (std::size_t c = 0; c < classes_; ++c) to[c] += share * (logs_[first + c] - below_[first + c]);
      }
      logs_.swap(below_);
    }
  }

  // index = index · states + code; a row whose code is not known keeps an index that exists.
  void append(std::int32_t column, std::int64_t begin, std::int64_t count, std::array<std::size_t, block>& index) {
    const std::size_t states = at(chains_.sizes[at(column)]);
    rows_.codes.with_column(column, [&](const auto* codes) {
      for (std::size_t r = 0; r < at(count); ++r) {
        const std::size_t code = codes[at(begin) + r];
        is_known_[r] = is_known_[r] && code < states;
        index[r] = index[r] * states + (code < states ? code : 0);
      }
    });
  }

  // log P_l of each row, in its own class without the row.
  void look_up(std::size_t level, std::int64_t begin, std::int64_t count, std::size_t states) {
    const bool is_table = !tables_[level].empty();
    const double* from = is_table ? tables_[level].data() : levels_.whole(level).data();
    for (std::size_t r = 0; r < at(count); ++r) {
      const std::size_t entry = (parents_[r] * states + x_[r]) * classes_, y = at(rows_.y[at(begin) + r]);
      std::copy_n(from + entry, classes_, logs_.data() + r * classes_);
      own_[r] = levels_.left(level)[entry + y];
    }
    if (!is_table) take_logs(std::span(logs_).first(at(count) * classes_));
    take_logs(std::span(own_).first(at(count)));
    for (std::size_t r = 0; r < at(count); ++r) logs_[r * classes_ + at(rows_.y[at(begin) + r])] = own_[r];
  }

  const Chains& chains_;
  const CountedRows& rows_;
  std::size_t classes_;
  ChainLevels levels_;
  std::vector<std::vector<double>> tables_;
  std::vector<double> logs_, below_;
  std::array<std::size_t, block> parents_{}, x_{};
  std::array<double, block> own_{};
  std::array<bool, block> is_known_{};
};

}  // namespace

ChainEvidence chain_evidence(const Chains& chains, const ChainCounts& counts, const CountedRows& rows,
                             std::span<const double> shares, std::span<const std::int32_t> of_column,
                             std::int64_t columns, std::int64_t depth) {
  const std::size_t apart = at(columns * depth * chains.classes);
  std::vector<std::size_t> cells{0};
  std::vector<std::vector<std::size_t>> of(at(columns));
  for (std::size_t i = 0; i < chains.size(); ++i) {
    cells.push_back(cells.back() + chains.cells(i, chains.columns.length(i)) * at(chains.classes));
    of[at(of_column[i])].push_back(i);
  }
  ChainEvidence out{std::vector<double>(at(rows.codes.rows) * apart),
                    std::vector<double>(chains.columns.values.size())};
  parallel_for(columns, [&](std::int64_t column) {
    ColumnEvidence evidence(chains, rows);
    for (const std::size_t i : of[at(column)]) {
      if (cells[i + 1] == cells[i]) continue;
      evidence.add(i, counts, cells[i], shares[i], out.evidence.data() + at(column * depth * chains.classes), apart);
      std::ranges::copy(evidence.strengths(),
                        out.strengths.begin() + static_cast<std::ptrdiff_t>(chains.columns.begin_of(i)));
    }
  });
  return out;
}

}  // namespace deciban
