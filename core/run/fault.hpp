// A fault is the first value of the input that a kernel cannot use: its kind, row and column.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace deciban {

enum class Trouble : std::uint8_t { none, missing, infinite, negative, fractional, wide, unseen, outside };

struct Fault {
  Trouble what = Trouble::none;
  std::int64_t row = std::numeric_limits<std::int64_t>::max();
  std::int64_t col = 0;

  explicit operator bool() const { return what != Trouble::none; }

  // Keeps the earlier of the two in row order.
  void note(Trouble trouble, std::int64_t at_row, std::int64_t at_col) {
    if (at_row < row || (at_row == row && at_col < col)) {
      what = trouble;
      row = at_row;
      col = at_col;
    }
  }
};

// The earliest of the faults of all stripes, in row order.
Fault earliest(std::span<const Fault> faults);

}  // namespace deciban
