#include "infer/table_walk.hpp"

#include <algorithm>

#include "run/instruction_set.hpp"
#include "run/lanes.hpp"

namespace deciban {
namespace {

// Each operation says what happens to one pair, to a run of a large table with one entry of the small one, and to two
// runs of equal length.
struct Copy {
  static constexpr bool is_down = false;
  static DECIBAN_INLINE void pair(double& large, double& small) { large = small; }
};
struct Times {
  static constexpr bool is_down = false;
  static DECIBAN_INLINE void pair(double& large, double& small) { large *= small; }
};
struct Plus {
  static constexpr bool is_down = false;
  static DECIBAN_INLINE void pair(double& large, double& small) { large += small; }
};
struct Sum {
  static constexpr bool is_down = true;
  static DECIBAN_INLINE void pair(double& large, double& small) { small += large; }
  template <class V>
  static DECIBAN_INLINE V join(const V& a, const V& b) {
    return a + b;
  }
  template <class V>
  static DECIBAN_INLINE double fold(const V& v) {
    return sum_lanes(v);
  }
};
struct Most {
  static constexpr bool is_down = true;
  static DECIBAN_INLINE void pair(double& large, double& small) { small = large > small ? large : small; }
  template <class V>
  static DECIBAN_INLINE V join(const V& a, const V& b) {
    return larger(a, b);
  }
  template <class V>
  static DECIBAN_INLINE double fold(const V& v) {
    return largest_lane(v);
  }
};

// One entry of the small table against a run of the large one.
template <class Op, class Set>
DECIBAN_INLINE void run_against_one(double* __restrict large, Cells count, double& small) {
  double one = small;
  if constexpr (Op::is_down) {
    Cells i = 0;
    if (count >= lanes) {
      Lanes<Set> sums = lanes_at<Set>(large);
      for (i = lanes; i + lanes <= count; i += lanes) sums = Op::join(sums, lanes_at<Set>(large + i));
      double folded = Op::fold(sums);
      Op::pair(folded, one);
    }
    for (; i < count; ++i) Op::pair(large[i], one);
    small = one;
  } else {
    for (Cells i = 0; i < count; ++i) Op::pair(large[i], one);
  }
}

template <class Op, Cells N>
DECIBAN_INLINE void against_one_each(double* __restrict large, double* __restrict small, Cells count, Cells step) {
  for (Cells a = 0; a < count; ++a) {
    double one = small[a * step];
    for (Cells b = 0; b < N; ++b) Op::pair(large[a * N + b], one);
    if constexpr (Op::is_down) small[a * step] = one;
  }
}

template <class Op, Cells N>
DECIBAN_INLINE void side_by_side(double* __restrict large, double* __restrict small, Cells count, Cells step) {
  if (step == 0) {
    double held[N];
    for (Cells b = 0; b < N; ++b) held[b] = small[b];
    for (Cells a = 0; a < count; ++a) {
      for (Cells b = 0; b < N; ++b) Op::pair(large[a * N + b], held[b]);
    }
    if constexpr (Op::is_down) {
      for (Cells b = 0; b < N; ++b) small[b] = held[b];
    }
    return;
  }
  for (Cells a = 0; a < count; ++a) {
    for (Cells b = 0; b < N; ++b) Op::pair(large[a * N + b], small[a * step + b]);
  }
}

// The two innermost axes; short ones are unrolled.
template <class Op, class Set>
DECIBAN_INLINE void plane(double* __restrict large, double* __restrict small, const Cells* size, const Cells* step) {
  const Cells rows = size[0];
  const Cells cols = size[1];
  if (step[1] == 0) {
    if (cols == 2) return against_one_each<Op, 2>(large, small, rows, step[0]);
    if (cols == 3) return against_one_each<Op, 3>(large, small, rows, step[0]);
    if (cols == 4) return against_one_each<Op, 4>(large, small, rows, step[0]);
    for (Cells a = 0; a < rows; ++a) run_against_one<Op, Set>(large + a * cols, cols, small[a * step[0]]);
    return;
  }
  if (cols == 2) return side_by_side<Op, 2>(large, small, rows, step[0]);
  if (cols == 3) return side_by_side<Op, 3>(large, small, rows, step[0]);
  if (cols == 4) return side_by_side<Op, 4>(large, small, rows, step[0]);
  for (Cells a = 0; a < rows; ++a) {
    double* __restrict big = large + a * cols;
    double* __restrict few = small + a * step[0];
    for (Cells b = 0; b < cols; ++b) Op::pair(big[b], few[b]);
  }
}

template <class Op, class Set>
DECIBAN_INLINE void walk_along(const Walk& walk, double* large, double* small) {
  const int outer = std::clamp(walk.depth - 2, 0, Walk::most);
  const Cells block = walk.size[outer] * walk.size[outer + 1];
  Cells at[Walk::most] = {};
  for (;;) {
    plane<Op, Set>(large, small, walk.size + outer, walk.step + outer);
    large += block;
    int axis = outer - 1;
    for (; axis >= 0; --axis) {
      small += walk.step[axis];
      if (++at[axis] < walk.size[axis]) break;
      small -= walk.step[axis] * walk.size[axis];
      at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

// Kernels that read one of the tables only take it as const; the walk is one for both directions.
double* open(const double* table) {
  return const_cast<double*>(table);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

template <class Op>
void walk_with(const Walk& walk, double* large, double* small) {
  on_instruction_set([&walk, large, small](auto set)
                         DECIBAN_INLINE_LAMBDA { walk_along<Op, decltype(set)>(walk, large, small); });
}

Cells small_cells(const Walk& walk) {
  Cells cells = 1;
  for (int axis = 0; axis < walk.depth; ++axis) {
    if (walk.step[axis] != 0) cells *= walk.size[axis];
  }
  return cells;
}

}  // namespace

Cells cells_of(std::span<const Axis> axes) {
  Cells cells = 1;
  for (const Axis& axis : axes) cells *= axis.size;
  return cells;
}

Walk walk_of(std::span<const Axis> large, std::span<const Axis> small) {
  Walk back;  // innermost first
  Cells step = 1;
  std::size_t next = small.size();
  for (std::size_t i = large.size(); i-- > 0;) {
    const bool is_shared = next > 0 && small[next - 1].node == large[i].node;
    const bool was_shared = back.depth > 0 && back.step[back.depth - 1] != 0;
    if (back.depth > 0 && is_shared == was_shared) {
      back.size[back.depth - 1] *= large[i].size;
    } else {
      back.size[back.depth] = large[i].size;
      back.step[back.depth++] = is_shared ? step : 0;
    }
    if (is_shared) {
      step *= large[i].size;
      --next;
    }
  }
  for (; back.depth < 2; ++back.depth) {
    back.size[back.depth] = 1;
    back.step[back.depth] = 0;
  }
  std::reverse(back.size, back.size + back.depth);
  std::reverse(back.step, back.step + back.depth);
  return back;
}

void copy_in(const Walk& walk, const double* small, double* large) {
  walk_with<Copy>(walk, large, open(small));
}
void times_in(const Walk& walk, const double* small, double* large) {
  walk_with<Times>(walk, large, open(small));
}
void plus_in(const Walk& walk, const double* small, double* large) {
  walk_with<Plus>(walk, large, open(small));
}
void sum_down(const Walk& walk, const double* large, double* small) {
  std::fill_n(small, small_cells(walk), 0.0);
  walk_with<Sum>(walk, open(large), small);
}
void most_down(const Walk& walk, const double* large, double* small) {
  std::fill_n(small, small_cells(walk), 0.0);
  walk_with<Most>(walk, open(large), small);
}

double largest_of(const double* values, Cells count) {
  return on_instruction_set([=](auto set) DECIBAN_INLINE_LAMBDA {
    using Set = decltype(set);
    Lanes<Set> most{};
    Cells i = 0;
    for (; i + lanes <= count; i += lanes) most = Most::join(most, lanes_at<Set>(values + i));
    double largest = 0.0;
    for (; i < count; ++i) largest = larger(largest, values[i]);
    return larger(largest, Most::fold(most));
  });
}

void scale(double* values, Cells count, double factor) {
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    for (Cells i = 0; i < count; ++i) values[i] *= factor;
  });
}

}  // namespace deciban
