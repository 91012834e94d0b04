// Tables of Bayes nets from data.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_learning(nanobind::module_& m);

}  // namespace deciban::bind
