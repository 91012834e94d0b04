// A clique tree for the nodes that a row leaves unobserved, where that is cheaper. Without the observed nodes the graph
// is often sparse or disconnected, and a new tree for it much smaller than slices of the compiled one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "infer/propagate.hpp"

namespace deciban {

class RowTrees {
 public:
  RowTrees(const CliqueTree& tree, std::span<const std::vector<Node>> scopes);
  RowTrees(const RowTrees&) = delete;
  RowTrees& operator=(const RowTrees&) = delete;

  // The propagator to use for a row; rows with the same nodes observed share a tree, as long as it is cached.
  Propagator& propagator_for(const Row& row, Answer answer);
  // Frees the memory of the tables, where it is large.
  void free_memory();

 private:
  void mark_barren(const Row& row, std::vector<char>& is_left_out) const;
  double unobserved_cells(std::span<const char> taken) const;
  // A tree for rows with the same nodes observed; without one where the compiled tree is as good.
  struct SmallTree {
    std::vector<char> taken, left_out;
    std::optional<CliqueTree> tree;
    std::optional<Propagator> propagator;
  };
  std::unique_ptr<SmallTree> find_small(std::vector<char> taken, std::vector<char> left_out, double whole);

  const CliqueTree& tree_;
  std::span<const std::vector<Node>> scopes_;
  std::vector<double> cards_;
  RawPages<double> arena_;
  Propagator whole_;
  std::vector<std::unique_ptr<SmallTree>> known_;
  std::size_t oldest_ = 0;
};

}  // namespace deciban
