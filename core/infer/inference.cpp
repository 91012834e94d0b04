#include "infer/inference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "infer/row_tree.hpp"
#include "infer/tree/reroot.hpp"
#include "run/at.hpp"
#include "run/pool.hpp"
#include "run/workers.hpp"
#include "sample/sample.hpp"

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t smallest_task = 1 << 16;  // entries: with less to do, waking a thread costs more

Forest forest_for(std::span<const std::int32_t> cards, std::span<const std::vector<Node>> scopes,
                  const Effort& effort) {
  std::vector<char> taken;
  taken.reserve(cards.size());
  for (const std::int32_t card : cards) taken.push_back(card == 1 ? 1 : 0);  // its state is known
  const std::vector<double> sizes(cards.begin(), cards.end());
  return reroot(triangulate(join_scopes(cards.size(), scopes, taken), taken, sizes, effort), sizes);
}

std::vector<std::int64_t> starts(std::span<const std::int32_t> sizes) {
  std::vector<std::int64_t> out{0};
  out.reserve(sizes.size() + 1);
  for (const std::int32_t size : sizes) out.push_back(out.back() + size);
  return out;
}

std::vector<std::int32_t> table_sizes(std::span<const std::int32_t> cards, std::span<const std::vector<Node>> scopes) {
  std::vector<std::int32_t> out;
  out.reserve(scopes.size());
  for (const std::vector<Node>& scope : scopes) {
    out.push_back(1);
    for (const Node v : scope) out.back() *= cards[at(v)];
  }
  return out;
}

std::vector<Family> families_of(std::span<const std::vector<Node>> scopes, std::span<const std::int64_t> firsts,
                                std::span<const double> tables) {
  std::vector<Family> out;
  out.reserve(scopes.size());
  for (std::size_t v = 0; v < scopes.size(); ++v) out.push_back({scopes[v], tables.data() + firsts[v]});
  return out;
}

// The uniform numbers of a row's draws: for each clique one in each of `count` equal parts of [0, 1), in random order
// (Latin hypercube; McKay, Beckman and Conover 1979), so that few draws have nearly the probabilities' own shares.
class Units {
 public:
  explicit Units(std::int64_t count) : count_(count) {}

  void start(std::uint64_t key, std::size_t cliques) {
    values_.resize(cliques * at(count_));
    for (std::size_t k = 0; k < cliques; ++k) {
      const std::uint64_t own = random_word(key, k);
      double* const values = values_.data() + k * at(count_);
      for (std::int64_t i = 0; i < count_; ++i) {
        const auto position = static_cast<std::uint64_t>(i);
        values[i] = (static_cast<double>(i) + random_unit(own, 2 * position)) / static_cast<double>(count_);
        std::swap(values[i], values[random_word(own, 2 * position + 1) % (position + 1)]);
      }
    }
  }
  double operator()(std::size_t clique, std::int64_t draw) const { return values_[clique * at(count_) + at(draw)]; }

 private:
  std::int64_t count_;
  std::vector<double> values_;
};

}  // namespace

// The workspace for one row at a time.
struct Inference::Worker {
  RowTrees trees;
  std::vector<std::int32_t> codes;
  std::vector<Likelihood> likelihoods;

  Worker(const CliqueTree& tree, std::span<const std::vector<Node>> scopes) : trees(tree, scopes) {}

  Row row(const Evidence& evidence, std::span<const std::int32_t> cards, std::int64_t r) {
    const auto first = evidence.codes.begin() + r * static_cast<std::int64_t>(cards.size());
    codes.assign(first, first + static_cast<std::int64_t>(cards.size()));
    for (std::size_t v = 0; v < cards.size(); ++v) {
      if (cards[v] == 1) codes[v] = 0;
    }
    likelihoods.clear();
    for (const Evidence::Soft& soft : evidence.soft) {
      likelihoods.push_back({soft.node, soft.values + r * cards[at(soft.node)]});
    }
    return {codes, likelihoods};
  }
};

// A worker for the length of a call. It keeps its memory for the next call, unless that is large.
struct Inference::Borrowed {
  explicit Borrowed(const Inference& net) : owner(net) {
    const std::scoped_lock hold(owner.idle_lock_);
    if (owner.idle_.empty()) {
      held = std::make_unique<Worker>(owner.tree_, owner.scopes_);
      return;
    }
    held = std::move(owner.idle_.back());
    owner.idle_.pop_back();
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    held->trees.free_memory();
    const std::scoped_lock hold(owner.idle_lock_);
    owner.idle_.push_back(std::move(held));
  }

  const Inference& owner;
  std::unique_ptr<Worker> held;
};

Inference::Inference(std::span<const std::int32_t> cards, std::vector<std::vector<Node>> scopes,
                     std::span<const double> tables, const Effort& effort)
    : Inference(cards, std::move(scopes), tables, effort, nullptr) {}

Inference::Inference(const Inference& net, std::span<const double> tables)
    : Inference(net.tree_.cards(), net.scopes_, tables, {}, &net.forest_) {}

Inference::Inference(std::span<const std::int32_t> cards, std::vector<std::vector<Node>> scopes,
                     std::span<const double> tables, const Effort& effort, const Forest* known)
    : scopes_(std::move(scopes)),
      tables_(tables.begin(), tables.end()),
      state_starts_(starts(cards)),
      table_starts_(starts(table_sizes(cards, scopes_))),
      forest_(known == nullptr ? forest_for(cards, scopes_, effort) : *known),
      tree_(cards, forest_, families_of(scopes_, table_starts_, tables_)) {
  constexpr double a_clique = 100.0;  // entries that could be computed while a clique is set up
  double work = 0.0;
  for (const Clique& clique : tree_.cliques()) work += clique.cells + a_clique;
  row_work_ = static_cast<std::int64_t>(std::min(work, 1e9));
}

Inference::~Inference() = default;

// At most `most_workers_` tasks, so that no more tables are held at a time than the memory limit allows.
template <class F>
void Inference::for_each_row(const Evidence& evidence, Answer answer, F&& use) const {
  Workers<Borrowed> workers([&] { return std::make_unique<Borrowed>(*this); });
  const std::int64_t most = most_workers_ > 0 ? std::min(most_workers_, evidence.rows) : evidence.rows;
  const std::int64_t tasks =
      std::clamp<std::int64_t>(evidence.rows * row_work_ / smallest_task, 1, std::max<std::int64_t>(most, 1));
  parallel_for(tasks, [&](std::int64_t task) {
    const auto worker = workers.take();
    const std::int64_t end = evidence.rows * (task + 1) / tasks;
    for (std::int64_t r = evidence.rows * task / tasks; r < end; ++r) {
      const Row row = worker->held->row(evidence, tree_.cards(), r);
      use(r, row, worker->held->trees.propagator_for(row, answer));
    }
  });
}

Beliefs Inference::beliefs(const Evidence& evidence) const {
  const std::int64_t states = state_starts_.back();
  Beliefs out{std::vector<double>(at(evidence.rows)), std::vector<double>(at(evidence.rows * states))};
  for_each_row(evidence, Answer::beliefs, [&](std::int64_t r, const Row& row, Propagator& propagator) {
    out.logs[at(r)] = propagator.collect(row, Answer::beliefs);
    if (out.logs[at(r)] == -infinity) return;
    const NodeTables tables{state_starts_, out.values.data() + r * states};
    propagator.distribute(&tables);
  });
  return out;
}

std::vector<double> Inference::log_probability(const Evidence& evidence) const {
  std::vector<double> out(at(evidence.rows));
  for_each_row(evidence, Answer::probability, [&](std::int64_t r, const Row& row, Propagator& propagator) {
    out[at(r)] = propagator.collect(row, Answer::probability);
  });
  return out;
}

Completions Inference::best(const Evidence& evidence) const {
  const std::size_t nodes = tree_.nodes();
  Completions out{std::vector<std::int32_t>(at(evidence.rows) * nodes), std::vector<double>(at(evidence.rows))};
  for_each_row(evidence, Answer::best, [&](std::int64_t r, const Row& row, Propagator& propagator) {
    const std::span codes(out.codes.data() + at(r) * nodes, nodes);
    if (propagator.collect(row, Answer::best) == -infinity) {
      std::ranges::copy(row.codes, codes.begin());
      out.logs[at(r)] = -infinity;
      return;
    }
    propagator.read_best(codes.data());
    out.logs[at(r)] = propagator.log_joint(codes);
  });
  return out;
}

Completions Inference::draws(const Evidence& evidence, std::int64_t count, std::uint64_t seed) const {
  const std::size_t nodes = tree_.nodes();
  Completions out{std::vector<std::int32_t>(at(evidence.rows * count) * nodes), std::vector<double>(at(evidence.rows))};
  for_each_row(evidence, Answer::draws, [&](std::int64_t r, const Row& row, Propagator& propagator) {
    out.logs[at(r)] = propagator.collect(row, Answer::draws);
    Units units(count);
    units.start(random_word(seed, static_cast<std::uint64_t>(r)), propagator.cliques());
    for (std::int64_t draw = 0; draw < count; ++draw) {
      std::int32_t* const codes = out.codes.data() + at(r * count + draw) * nodes;
      if (out.logs[at(r)] == -infinity) {
        std::ranges::copy(row.codes, codes);
      } else {
        propagator.read_draw([&](std::size_t clique) { return units(clique, draw); }, codes);
      }
    }
  });
  return out;
}

// Each stripe of rows adds up tables of its own; merged in order, they do not depend on the threads.
Expected Inference::expected(const Evidence& evidence, std::span<const double> weights) const {
  const auto cells = static_cast<std::size_t>(table_starts_.back());
  Stripes cut = stripes(evidence.rows, row_work_, static_cast<std::int64_t>(cells * sizeof(double)));
  if (most_workers_ > 0) cut.count = std::min(cut.count, most_workers_);
  std::vector<std::vector<double>> parts(at(cut.count));
  std::vector<double> logs(at(evidence.rows));
  Workers<Borrowed> workers([&] { return std::make_unique<Borrowed>(*this); });
  parallel_for(cut.count, [&](std::int64_t stripe) {
    const auto worker = workers.take();
    std::vector<double>& counts = parts[at(stripe)];
    counts.resize(cells);
    for (std::int64_t r = cut.begin(stripe); r < cut.end(stripe); ++r) {
      const double weight = weights.empty() ? 1.0 : weights[at(r)];
      if (weight == 0) continue;
      const Row row = worker->held->row(evidence, tree_.cards(), r);
      Propagator& propagator = worker->held->trees.propagator_for(row, Answer::beliefs);
      const double log = propagator.collect(row, Answer::beliefs);
      logs[at(r)] = weight * log;
      if (log == -infinity) continue;
      propagator.distribute(nullptr);
      propagator.add_families(weight, {table_starts_, counts.data()});
    }
  });
  Expected out{std::vector<double>(cells), 0.0};
  for (const std::vector<double>& part : parts) {
    std::transform(part.begin(), part.end(), out.counts.begin(), out.counts.begin(), std::plus<>{});
  }
  for (const double log : logs) out.log_likelihood += log;
  return out;
}

}  // namespace deciban
