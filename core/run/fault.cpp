#include "run/fault.hpp"

namespace deciban {

Fault earliest(std::span<const Fault> faults) {
  Fault first;
  for (const Fault& fault : faults) {
    if (fault) first.note(fault.what, fault.row, fault.col);
  }
  return first;
}

}  // namespace deciban
