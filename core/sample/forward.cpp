#include <algorithm>
#include <array>

#include "run/at.hpp"
#include "run/instruction_set.hpp"
#include "run/pool.hpp"
#include "sample/sample.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block_rows = 2048;

// For each row of the block, the index in the node's table at which its row of probabilities begins.
template <class T>
DECIBAN_INLINE void find_cells(const ForwardDraw<T>& draw, std::int64_t node, std::int64_t begin, std::int64_t size,
                               std::int32_t* cells) {
  std::fill(cells, cells + size, 0);
  for (const std::int64_t parent : draw.net.parents[at(node)]) {
    const auto card = static_cast<std::int32_t>(draw.net.cards[at(parent)]);
    const T* codes = draw.codes + parent * draw.rows + begin;
    for (std::int64_t r = 0; r < size; ++r) cells[r] = cells[r] * card + codes[r];
  }
  const auto card = static_cast<std::int32_t>(draw.net.cards[at(node)]);
  for (std::int64_t r = 0; r < size; ++r) cells[r] *= card;
}

// The number of the first Card - 1 ends that are not above u; without a branch, as the number of states is known.
template <std::int64_t Card, class T>
DECIBAN_INLINE void count_ends(const double* ends, const std::int32_t* cells, const double* units, std::int64_t size,
                               T* out) {
  for (std::int64_t r = 0; r < size; ++r) {
    std::int64_t state = 0;
    for (std::int64_t s = 0; s + 1 < Card; ++s) state += ends[cells[r] + s] <= units[r] ? 1 : 0;
    out[r] = static_cast<T>(state);
  }
}

template <class T>
DECIBAN_INLINE void search_ends(const double* ends, std::int64_t card, const std::int32_t* cells, const double* units,
                                std::int64_t size, T* out) {
  for (std::int64_t r = 0; r < size; ++r) {
    const double* row = ends + cells[r];
    out[r] = static_cast<T>(std::upper_bound(row, row + card - 1, units[r]) - row);
  }
}

template <class T>
DECIBAN_INLINE void draw_node(const ForwardDraw<T>& draw, std::int64_t node, std::int64_t begin, std::int64_t size,
                              const std::int32_t* cells, double* units) {
  const std::uint64_t key = random_word(draw.seed, static_cast<std::uint64_t>(node));
  const double* ends = draw.ends.data() + draw.net.offsets[at(node)];
  T* out = draw.codes + node * draw.rows + begin;
  for (std::int64_t r = 0; r < size; ++r) units[r] = random_unit(key, static_cast<std::uint64_t>(begin + r));
  switch (draw.net.cards[at(node)]) {
    case 2: return count_ends<2>(ends, cells, units, size, out);
    case 3: return count_ends<3>(ends, cells, units, size, out);
    case 4: return count_ends<4>(ends, cells, units, size, out);
    default: return search_ends(ends, draw.net.cards[at(node)], cells, units, size, out);
  }
}

template <class T>
DECIBAN_INLINE void draw_block(const ForwardDraw<T>& draw, std::int64_t begin, std::int64_t size) {
  std::array<std::int32_t, block_rows> cells;
  std::array<double, block_rows> units;
  if (draw.log_weights != nullptr) std::fill(draw.log_weights + begin, draw.log_weights + begin + size, 0.0);
  for (const std::int64_t node : draw.order) {
    const std::int32_t fixed = draw.fixed[at(node)];
    T* out = draw.codes + node * draw.rows + begin;
    if (fixed >= 0) std::fill(out, out + size, static_cast<T>(fixed));
    if (fixed >= 0 && draw.log_weights == nullptr) continue;
    find_cells(draw, node, begin, size, cells.data());
    if (fixed < 0) {
      draw_node(draw, node, begin, size, cells.data(), units.data());
      continue;
    }
    const double* logs = draw.logs.data() + draw.net.offsets[at(node)] + fixed;
    for (std::int64_t r = 0; r < size; ++r) draw.log_weights[begin + r] += logs[cells[at(r)]];
  }
}

}  // namespace

template <class T>
void draw_forward(const ForwardDraw<T>& draw) {
  const std::int64_t blocks = (draw.rows + block_rows - 1) / block_rows;
  parallel_for(blocks, [&](std::int64_t block) {
    const std::int64_t begin = block * block_rows, size = std::min(block_rows, draw.rows - begin);
    on_instruction_set([&draw, begin, size](auto) DECIBAN_INLINE_LAMBDA { draw_block(draw, begin, size); });
  });
}

template void draw_forward(const ForwardDraw<std::int8_t>&);
template void draw_forward(const ForwardDraw<std::int16_t>&);
template void draw_forward(const ForwardDraw<std::int32_t>&);

}  // namespace deciban
