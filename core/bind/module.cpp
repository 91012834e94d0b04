// deciban._core._native: arrays in, arrays out. Each function checks its sizes, releases the GIL and calls one kernel.
// Single rows are dicts, and the GIL is kept.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "bind/parts.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"

namespace {

using deciban::InstructionSet;
constexpr std::array<std::pair<const char*, InstructionSet>, 3> instruction_sets{
    {{"baseline", InstructionSet::baseline}, {"v3", InstructionSet::v3}, {"v4", InstructionSet::v4}}};

// Those of this processor, the oldest first.
nanobind::list available_sets() {
  nanobind::list names;
  for (const auto& [name, set] : instruction_sets) {
    if (deciban::has_instruction_set(set)) names.append(name);
  }
  return names;
}

const char* current_set() {
  return instruction_sets[static_cast<std::size_t>(deciban::instruction_set())].first;
}

void choose_set(const std::string& wanted) {
  for (const auto& [name, set] : instruction_sets) {
    if (wanted == name && deciban::has_instruction_set(set)) return deciban::set_instruction_set(set);
  }
  throw std::invalid_argument("no such instruction set: " + wanted);
}

}  // namespace

NB_MODULE(_native, m) {
  namespace nb = nanobind;
  using namespace deciban::bind;
  using nb::arg;
  nb::set_leak_warnings(false);  // a process may end before Python has freed its modules
  m.doc() =
      "The counting and scoring kernels. Import them from deciban._core; tests/reference says what each computes.";
  m.attr("LANES") = deciban::lanes;
  m.attr("_nanobind_version") = nb::make_tuple(NB_VERSION_MAJOR, NB_VERSION_MINOR, NB_VERSION_PATCH);  // compiled in
  m.def("instruction_sets", &available_sets);
  m.def("instruction_set", &current_set);
  m.def("set_instruction_set", &choose_set, arg("name"));
  m.def("thread_count", &deciban::thread_count);
  m.def("set_thread_count", &deciban::set_thread_count, arg("count"));
  bind_read(m);
  bind_count(m);
  bind_moments(m);
  bind_families(m);
  bind_score(m);
  bind_chains(m);
  bind_forest(m);
  bind_rows(m);
  bind_weigh(m);
  bind_text(m);
  bind_independence(m);
  bind_infer(m);
  bind_sample(m);
  bind_search(m);
}
