#include "search/code_scores.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "independence/contingency/bitmaps.hpp"
#include "run/at.hpp"
#include "run/workers.hpp"

namespace deciban {
namespace {

constexpr std::size_t most_bitmaps = std::size_t{1} << 29;  // bytes, of all columns
constexpr std::int64_t most_parts = std::int64_t{1} << 24;  // bytes, of a thread

class CodeScores final : public LocalScores {
 public:
  CodeScores(const CodeColumns& codes, const Criterion& criterion)
      : codes_(codes),
        workers_([codes, criterion] { return std::make_unique<Worker>(Worker{family_scorer(codes, criterion)}); }) {}

  std::int64_t variables() const override { return codes_.cols; }

  double score(std::int64_t child, std::span<const std::int64_t> parents) const override {
    const auto worker = workers_.take();
    const std::vector<std::int32_t> family = family_of(child, parents);
    const auto rest = std::span(family).first(parents.size());
    const bool is_small = !parents.empty() && is_worth_bits(family);
    if (!is_small) return worker->scorer->score(family);
    split_rows(rest, *worker);
    return worker->scorer->score_of(family, table(rest, family.back(), *worker));
  }

  void score_growth(const Growth& growth, std::span<double> out) const override {
    if (growth.added.empty()) {
      out[0] = score(growth.child, growth.parents);
      return;
    }
    const auto worker = workers_.take();
    const std::vector<std::int32_t> family = family_of(growth.child, growth.parents);
    const bool is_small = is_worth_bits(family);
    if (is_small) split_rows(family, *worker);
    out[0] = is_small ? worker->scorer->score_of(family, table_of_parts(*worker)) : worker->scorer->score(family);
    for (std::size_t i = 0; i < growth.added.size(); ++i) {
      const auto added = static_cast<std::int32_t>(growth.added[i]);
      std::vector<std::int32_t> grown = family;
      const auto place = grown.insert(std::lower_bound(grown.begin() + 1, grown.end(), added), added);
      const auto before = std::span(family).first(static_cast<std::size_t>(place - grown.begin()));
      out[i + 1] = is_small && is_worth_bits(grown) ? worker->scorer->score_of(grown, table(before, added, *worker))
                                                    : worker->scorer->score(grown);
    }
  }

 private:
  // One a thread. The rows of a family are split by its states: each part is a cell of the family's table.
  struct Worker {
    std::unique_ptr<FamilyScorer> scorer;
    Parts parts{}, other{};
    std::vector<std::int64_t> cell_of{}, cell_of_other{};  // each part
    std::int64_t cells = 1;                                // of the table
    std::vector<std::uint32_t> counts{}, table{};
  };

  static std::vector<std::int32_t> family_of(std::int64_t child, std::span<const std::int64_t> parents) {
    std::vector<std::int32_t> family{static_cast<std::int32_t>(child)};
    family.reserve(parents.size() + 2);
    for (const std::int64_t parent : parents) family.push_back(static_cast<std::int32_t>(parent));
    return family;
  }
  std::int64_t size(std::int32_t column) const { return codes_.sizes[at(column)]; }

  // Whether the table of a family is small enough, and its columns have few enough states, for bitmaps to be faster.
  bool is_worth_bits(std::span<const std::int32_t> family) const {
    if (!codes_.weights.empty()) return false;
    std::call_once(has_bitmaps_, [this] { bitmaps_ = Bitmaps(codes_, most_bitmaps); });
    const std::int64_t most = std::min(cells_worth_bitmaps(), most_parts / (8 * bitmaps_.words()));
    std::int64_t cells = 1;
    for (const std::int32_t column : family) {
      cells *= size(column);
      if (!bitmaps_.has(column) || cells > most) return false;
    }
    return true;
  }

  void split_rows(std::span<const std::int32_t> family, Worker& worker) const {
    whole(bitmaps_, worker.parts);
    worker.cell_of.assign(1, 0);
    worker.cells = 1;
    for (const std::int32_t column : family) {
      split(bitmaps_, worker.parts, column, size(column), worker.other);
      worker.cell_of_other.clear();
      for (std::size_t part = 0; part < worker.other.rows.size(); ++part) {
        worker.cell_of_other.push_back(worker.cell_of[at(worker.other.owner[part])] +
                                       worker.cells * worker.other.state[part]);
        // The owner of a part is now the part itself, a row of the table that is counted.
        worker.other.owner[part] = static_cast<std::int32_t>(part);
        worker.other.state[part] = 0;
      }
      std::swap(worker.parts, worker.other);
      std::swap(worker.cell_of, worker.cell_of_other);
      worker.cells *= size(column);
    }
  }

  static std::span<const std::uint32_t> table_of_parts(Worker& worker) {
    worker.table.assign(at(worker.cells), 0);
    for (std::size_t part = 0; part < worker.cell_of.size(); ++part) {
      worker.table[at(worker.cell_of[part])] = worker.parts.rows[part];
    }
    return worker.table;
  }

  // The table of the family with one parent more, which comes after the columns `before`.
  std::span<const std::uint32_t> table(std::span<const std::int32_t> before, std::int32_t added, Worker& worker) const {
    const std::int64_t states = size(added);
    std::int64_t low = 1;
    for (const std::int32_t column : before) low *= size(column);
    worker.counts.resize(worker.parts.rows.size() * at(states));
    count(bitmaps_, worker.parts, 1, added, states, true, worker.counts.data());
    worker.table.assign(at(worker.cells * states), 0);
    auto rows = worker.counts.begin();
    for (const std::int64_t cell : worker.cell_of) {
      const std::int64_t first = cell % low + low * states * (cell / low);
      for (std::int64_t state = 0; state < states; ++state) worker.table[at(first + low * state)] = *rows++;
    }
    return worker.table;
  }

  CodeColumns codes_;
  mutable std::once_flag has_bitmaps_;
  mutable Bitmaps bitmaps_;
  mutable Workers<Worker> workers_;
};

}  // namespace

std::unique_ptr<LocalScores> code_scores(const CodeColumns& codes, const Criterion& criterion) {
  return std::make_unique<CodeScores>(codes, criterion);
}

}  // namespace deciban
