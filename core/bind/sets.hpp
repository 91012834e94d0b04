// Counts of sets of columns, and the estimates that average over them.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_sets(nanobind::module_& m);

}  // namespace deciban::bind
