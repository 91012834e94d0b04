// The cuts of a column by description length while its counts grow, one row at a time.
//
// A row changes the costs of all splits of the ranges that hold its value. Most of these splits are so far from the
// best one that some rows cannot make them best. So a range is searched as a whole only now and then: until then only
// the splits are compared that may become best (`DescriptionSplitter::watch`). The result is that of a search of all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "count/description.hpp"

namespace deciban {

class DescriptionTree {
 public:
  DescriptionTree(std::size_t classes, double tie) : splitter_(classes, tie) {}

  // Notes that a row with this value was added.
  void touch(std::size_t value);
  // Forgets all ranges: there are new values.
  void clear() { ranges_.clear(); }
  // Keeps a table of logarithms for whole counts up to `largest`.
  void expect_whole(double largest) { splitter_.expect_whole(largest); }
  // The last value of each bin but the last, ascending. `below`: as for `DescriptionSplitter`.
  std::vector<std::size_t> ends(std::span<const double> below, std::size_t values);

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Range {
    std::size_t first, last;
    std::size_t best;                       // the last value of the left half; `last` where there is no split
    std::size_t left = none, right = none;  // the ranges of the halves
    std::vector<std::size_t> watched = {};  // the splits that may be best until `rows_left` rows were added
    std::size_t rows_left = 0;
    bool is_watched = false;  // false where almost all splits would be watched
    bool is_stale = false;
  };
  struct Pending {
    std::size_t first, last, known, parent;  // `known`: the same range in the former tree
    bool is_left;
  };

  Range settled(const Pending& pending, std::span<const double> below);

  DescriptionSplitter splitter_;
  std::vector<Range> ranges_;
};

}  // namespace deciban
