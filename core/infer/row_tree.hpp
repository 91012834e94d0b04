// Each row's own tree, where that pays. Without the observed nodes the graph falls apart, and a tree found anew for the
// rest of it is often much cheaper than the compiled one with the observed states cut out.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "infer/propagate.hpp"

namespace deciban {

class Adapter {
 public:
  Adapter(const CliqueTree& tree, std::span<const std::vector<Node>> scopes);
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  // What to ask for a row; rows with the same nodes observed share a tree, as long as it is remembered.
  Propagator& suited_to(const Row& row, Answer answer);
  // Gives back the memory of tables, where it is much.
  void let_go();

 private:
  void mark_barren(const Row& row, std::vector<char>& is_left_out) const;
  double cells_left(std::span<const char> taken) const;
  // A tree for rows in which the same nodes are observed; none where the compiled one is as good.
  struct Small {
    std::vector<char> taken, left_out;
    std::optional<CliqueTree> tree;
    std::optional<Propagator> propagator;
  };
  std::unique_ptr<Small> find_small(std::vector<char> taken, std::vector<char> left_out, double whole);

  const CliqueTree& tree_;
  std::span<const std::vector<Node>> scopes_;
  std::vector<double> cards_;
  RawPages<double> arena_;
  Propagator whole_;
  std::vector<std::unique_ptr<Small>> known_;
  std::size_t oldest_ = 0;
};

}  // namespace deciban
