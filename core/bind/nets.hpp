// Tests of conditional independence, and the searches for a graph that are made of them.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_nets(nanobind::module_& m);

}  // namespace deciban::bind
