// deciban._core._native: arrays in, arrays out. Each function checks its sizes, releases the GIL and calls one kernel.
// Single rows are dicts, and the GIL is kept.
#include <nanobind/nanobind.h>

#include "bind/parts.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"

NB_MODULE(_native, m) {
  namespace nb = nanobind;
  using namespace deciban::bind;
  using nb::arg;
  nb::set_leak_warnings(false);  // a process may end before Python has freed its modules
  m.doc() = "The counting and scoring kernels. Import them from deciban._core; deciban/twins says what each computes.";
  m.attr("LANES") = deciban::lanes;
  m.attr("_nanobind_version") = nb::make_tuple(NB_VERSION_MAJOR, NB_VERSION_MINOR, NB_VERSION_PATCH);  // compiled in
  m.def("thread_count", &deciban::thread_count);
  m.def("set_thread_count", &deciban::set_thread_count, arg("count"));
  bind_read(m);
  bind_count(m);
  bind_moments(m);
  bind_families(m);
  bind_score(m);
  bind_chains(m);
  bind_rows(m);
  bind_weigh(m);
  bind_text(m);
  bind_independence(m);
  bind_infer(m);
  bind_sample(m);
}
