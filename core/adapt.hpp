// Each row's own tree, where that pays. Without the observed nodes the graph falls apart, and a tree found anew for the
// rest of it is often much cheaper than the compiled one with the observed states cut out.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "propagate.hpp"

namespace deciban {

class Adapter {
 public:
  Adapter(const CliqueTree& tree, std::span<const std::vector<Node>> scopes);
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  // What to ask for a row; rows with the same nodes observed, one after the other, share a tree.
  Propagator& suited_to(const Row& row, Answer answer);
  // Gives back the memory of tables, where it is much.
  void let_go();

 private:
  void mark_barren(const Row& row, std::vector<char>& is_left_out) const;
  double cells_left(std::span<const char> taken) const;
  void find_small(double whole);

  const CliqueTree& tree_;
  std::span<const std::vector<Node>> scopes_;
  std::vector<double> cards_;
  RawPages<double> arena_;
  Propagator whole_;
  std::vector<char> taken_, left_out_;
  std::optional<CliqueTree> small_tree_;
  std::optional<Propagator> small_;
};

}  // namespace deciban
