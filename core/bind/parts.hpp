// The parts of the module: one for each folder of the core, and for the two folders in `count`.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void bind_read(nanobind::module_& m);
void bind_count(nanobind::module_& m);
void bind_moments(nanobind::module_& m);
void bind_families(nanobind::module_& m);
void bind_score(nanobind::module_& m);
void bind_chains(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_weigh(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_independence(nanobind::module_& m);
void bind_infer(nanobind::module_& m);
void bind_sample(nanobind::module_& m);
void bind_search(nanobind::module_& m);

}  // namespace deciban::bind
