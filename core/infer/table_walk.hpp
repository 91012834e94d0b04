// A large table beside a smaller one over some of its axes: multiply the small one in, or sum the large one down to it.
// Both lie flat, the last axis contiguous, axes in one common order; neighbouring axes with matching steps are
// merged.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

using Cells = std::int64_t;

// An axis of a table: which node it stands for, and its number of states.
struct Axis {
  std::int32_t node;
  std::int32_t size;
};

Cells cells_of(std::span<const Axis> axes);

// Axes of the large table, outermost first, and the small one's step along each (0: not an axis of it).
struct Walk {
  static constexpr int most = 64;  // a table with more axes, of two states or more each, fits into no memory
  int depth = 0;
  Cells size[most + 2];
  Cells step[most + 2];
};

// The small table's axes are some of the large one's, in the same order.
Walk walk_of(std::span<const Axis> large, std::span<const Axis> small);

void copy_in(const Walk& walk, const double* small, double* large);   // large = small
void times_in(const Walk& walk, const double* small, double* large);  // large *= small
void plus_in(const Walk& walk, const double* small, double* large);   // large += small
void sum_down(const Walk& walk, const double* large, double* small);  // small = Σ large
void most_down(const Walk& walk, const double* large,
               double* small);  // small = max large, of numbers that are not negative

double largest_of(const double* values, Cells count);
void scale(double* values, Cells count, double factor);

}  // namespace deciban
