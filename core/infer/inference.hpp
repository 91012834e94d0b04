// Exact answers from a Bayes net for many rows of evidence, on all threads; a row's answer does not depend on the
// thread that computes it, nor on the other rows.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "infer/propagate.hpp"
#include "infer/tree/clique_tree.hpp"

namespace deciban {

// Rows × nodes of codes, −1 where not observed, and for some nodes rows × states of likelihoods.
struct Evidence {
  struct Soft {
    Node node;
    const double* values;
  };
  std::span<const std::int32_t> codes;
  std::int64_t rows;
  std::vector<Soft> soft;
};

struct Beliefs {
  std::vector<double> logs;    // log P(e) of each row
  std::vector<double> values;  // rows × the states of all nodes
};

struct Completions {
  std::vector<std::int32_t> codes;  // rows × nodes
  std::vector<double> logs;         // log P(x, e)
};

struct Expected {
  std::vector<double> counts;  // the tables of all nodes, one after the other
  double log_likelihood;
};

class Inference {
 public:
  // A scope holds the axes of a node's table, the node itself last; tables lie one after the other, in C order.
  Inference(std::span<const std::int32_t> cards, std::vector<std::vector<Node>> scopes, std::span<const double> tables,
            const Effort& effort);
  // The same net with other tables: the clique tree is used again.
  Inference(const Inference& net, std::span<const double> tables);
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  ~Inference();

  std::size_t table_cells() const { return tables_.size(); }
  const CliqueTree& tree() const { return tree_; }
  // The largest number of rows that are worked on at a time, each with its own tables.
  void set_most_workers(std::int64_t count) { most_workers_ = count; }

  Beliefs beliefs(const Evidence& evidence) const;
  std::vector<double> log_probability(const Evidence& evidence) const;
  Completions best(const Evidence& evidence) const;
  // `count` completions of each row from P(x | e), one after the other; `logs` has log P(e) of each row. A row's draws
  // depend on the seed, its index and its evidence alone; an impossible row stays as it is.
  Completions draws(const Evidence& evidence, std::int64_t count, std::uint64_t seed) const;
  Expected expected(const Evidence& evidence, std::span<const double> weights) const;

 private:
  Inference(std::span<const std::int32_t> cards, std::vector<std::vector<Node>> scopes, std::span<const double> tables,
            const Effort& effort, const Forest* known);
  struct Worker;
  struct Borrowed;
  template <class F>
  void for_each_row(const Evidence& evidence, Answer answer, F&& use) const;

  std::vector<std::vector<Node>> scopes_;
  std::vector<double> tables_;
  std::vector<std::int64_t> state_starts_, table_starts_;
  Forest forest_;
  CliqueTree tree_;
  std::int64_t row_work_ = 0, most_workers_ = 0;
  mutable std::mutex idle_lock_;
  mutable std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace deciban
