// Files of Bayes nets, and rows drawn from a net.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_net_files(nanobind::module_& m);

}  // namespace deciban::bind
