// Elimination orders of an undirected graph. Eliminating a node joins its neighbours to one another, and the table over
// the node and its neighbours is the cost of inference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

using Node = std::int32_t;
using Adjacency = std::vector<std::vector<Node>>;  // the neighbours of each node, rising

// The graph that joins all members of each scope; nodes marked in `taken` are left out.
Adjacency join_scopes(std::size_t nodes, std::span<const std::vector<Node>> scopes, std::span<const char> taken);

// What is minimised at each step; simplicial nodes, whose neighbours are joined already, go first.
enum class Rule { fill, weight, size, weighted_fill, rest };

// Greedy elimination of a graph that is kept as rows of bits. `noise` perturbs the scores, so that runs differ by seed.
class Greedy {
 public:
  explicit Greedy(const Adjacency& graph, std::span<const double> cards);

  struct Run {
    Rule rule;
    double noise;
    std::uint64_t seed;
    double most_cells;  // gives up at a table larger than this
  };
  // The order, or nothing when it gave up.
  std::vector<Node> run(const Run& how);
  // Steps taken so far: a measure of work that is the same on every machine.
  std::int64_t work() const { return work_; }

 private:
  using Word = std::uint64_t;
  const Word* row(Node v) const { return &bits_[static_cast<std::size_t>(v) * words_]; }
  Word* row(Node v) { return &bits_[static_cast<std::size_t>(v) * words_]; }
  void reset(Rule rule);
  void join(Node a, Node b);
  void take(Node v);
  std::size_t choose(const Run& how, std::uint64_t& state) const;

  std::size_t nodes_, words_;
  std::vector<double> cards_, logs_;
  std::vector<Word> start_bits_, bits_;
  // Of each node: pairs of neighbours that are not joined, the same weighted, neighbours, log2 of its table's entries.
  struct Counts {
    std::vector<double> fill, weighted, degree, weight;
  } start_, now_;
  bool is_weighted_ = false;
  std::vector<Node> left_, near_;
  std::int64_t work_ = 0;
};

}  // namespace deciban
