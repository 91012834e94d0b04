#include "bind/row_columns.hpp"

#include <algorithm>

namespace deciban::bind {
namespace {

constexpr std::size_t most_pending = 8192;

bool is_nan(nb::handle value) {
  return PyFloat_CheckExact(value.ptr()) && std::isnan(PyFloat_AsDouble(value.ptr()));
}

// The number of a float or an int that is finite as a double; NaN for all other values.
double finite_number(nb::handle value) {
  double x = missing;
  if (PyFloat_CheckExact(value.ptr())) {
    x = PyFloat_AsDouble(value.ptr());
  } else if (PyLong_CheckExact(value.ptr())) {
    x = PyLong_AsDouble(value.ptr());
    if (x == -1.0 && PyErr_Occurred() != nullptr) {  // larger than any double
      PyErr_Clear();
      x = missing;
    }
  }
  return std::isfinite(x) ? x : missing;
}

std::vector<RunningMoments> moments_of(const Table& table) {
  require(table.shape(0) == 3, "the moments must be three × classes");
  std::vector<RunningMoments> moments(table.shape(1));
  for (std::size_t j = 0; j < moments.size(); ++j) moments[j] = {table(0, j), table(1, j), table(2, j)};
  return moments;
}

PseudoCounts pseudocounts_of(const nb::callable& function) {
  return [function](std::size_t states) {
    const auto counts = nb::cast<std::vector<double>>(function(states));
    require(counts.size() == states, "there must be a pseudo-count of each bin");
    return counts;
  };
}

}  // namespace

void CountedColumn::count_missing(const Table& counts, const Doubles& pseudo) {
  require(counts.shape(0) == classes() && counts.shape(1) == 2 && pseudo.size() == 2, "presence: classes × 2");
  presence_.emplace(span_of(counts), span_of(pseudo));
}

nb::object CountedColumn::presence() const {
  if (!presence_) return nb::none();
  return to_numpy(std::vector(presence_->counts()), {classes(), 2});
}

bool CountedColumn::add(Cell& cell, std::size_t j) {
  const bool is_missing = std::isnan(cell.number);
  if (presence_) presence_->add(is_missing, j);
  return !is_missing && add_known(cell, j);
}

void CountedColumn::add_logs(const Cell& cell, double weight, std::span<double> out) {
  const bool is_missing = std::isnan(cell.number);
  if (presence_) presence_->add_logs(is_missing, weight, out);
  if (!is_missing) add_known_logs(cell, weight, out);
}

StateColumn::StateColumn(const Table& counts, std::size_t size, nb::callable pseudocounts)
    : pseudocounts_(std::move(pseudocounts)),
      counts_(span_of(counts), counts.shape(1), pseudocounts_of(pseudocounts_)(counts.shape(0)), size) {
  require(counts.shape(1) > 0 && size >= counts.shape(0), "the counts must be states × classes");
}

nb::object StateColumn::counts() const {
  return to_numpy(std::vector(counts_.counts()), {states(), classes()});
}

void StateColumn::grow() {
  counts_.grow(pseudocounts_of(pseudocounts_)(states() + 1));
}

bool StateColumn::add_known(Cell& cell, std::size_t j) {
  counts_.add(static_cast<std::size_t>(cell.number), j);
  return false;
}

void StateColumn::add_known_logs(const Cell& cell, double weight, std::span<double> out) {
  counts_.add_logs(static_cast<std::size_t>(cell.number), weight, out);
}

LabelColumn::LabelColumn(const Table& counts, std::size_t size, nb::dict codes, nb::list labels,
                         nb::callable pseudocounts, nb::callable read_other, nb::callable look_up_other)
    : StateColumn(counts, size, std::move(pseudocounts)),
      codes_(std::move(codes)),
      labels_(std::move(labels)),
      read_other_(std::move(read_other)),
      look_up_other_(std::move(look_up_other)) {}

double LabelColumn::code_of(nb::handle found) const {
  if (found.is_none()) return missing;
  const auto code = nb::cast<std::size_t>(found);
  require(code <= states(), "a code is outside the labels");
  return static_cast<double>(code);
}

void LabelColumn::find(nb::handle value, Cell& cell, const nb::callable& other) const {
  PyObject* key = is_nan(value) ? Py_None : value.ptr();
  PyObject* found = PyDict_GetItemWithError(codes_.ptr(), key);
  if (found != nullptr) {
    cell.number = code_of(found);
    return;
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  nb::object given = other(value);
  if (PyTuple_CheckExact(given.ptr())) {
    cell.held = nb::borrow(given[0]);
    cell.number = static_cast<double>(states());
  } else {
    cell.number = code_of(given);
  }
}

bool LabelColumn::add_known(Cell& cell, std::size_t j) {
  if (static_cast<std::size_t>(cell.number) == states()) {
    const std::size_t code = states();
    labels_.append(cell.held);
    codes_[cell.held] = code;
    grow();
  }
  return StateColumn::add_known(cell, j);
}

PresenceColumn::PresenceColumn(const Table& counts, std::pair<std::size_t, std::size_t> codes, double threshold,
                               bool has_markers, nb::callable pseudocounts, nb::callable read_other,
                               nb::callable look_up_other)
    : StateColumn(counts, counts.shape(0), std::move(pseudocounts)),
      absent_(static_cast<double>(codes.first)),
      present_(static_cast<double>(codes.second)),
      threshold_(threshold),
      has_markers_(has_markers),
      read_other_(std::move(read_other)),
      look_up_other_(std::move(look_up_other)) {
  require(std::max(codes.first, codes.second) < counts.shape(0), "a code is outside the states");
}

void PresenceColumn::find(nb::handle value, Cell& cell, const nb::callable& other) const {
  const double x = has_markers_ ? missing : finite_number(value);
  if (!std::isnan(x)) {
    cell.number = x > threshold_ ? present_ : absent_;
    return;
  }
  const bool is_bool = !has_markers_ && PyBool_Check(value.ptr());
  const nb::object found = is_bool ? nb::borrow(value) : nb::object(other(value));
  if (!found.is_none()) cell.number = found.is(nb::handle(Py_True)) ? present_ : absent_;
}

NumberReader::NumberReader(nb::callable read_other, const Doubles& markers, nb::object refuse_missing)
    : read_other(std::move(read_other)),
      markers(markers.data(), markers.data() + markers.size()),
      refuse_missing(std::move(refuse_missing)) {}

double NumberReader::number(nb::handle value) const {
  const double x = finite_number(value);
  if (!std::isnan(x)) return std::ranges::find(markers, x) == markers.end() ? x : missing;
  if (value.is_none() || is_nan(value)) return missing;
  const nb::object given = read_other(value);
  return given.is_none() ? missing : nb::cast<double>(given);
}

double NumberReader::number_to_add(nb::handle value) const {
  const double x = number(value);
  if (std::isnan(x) && !refuse_missing.is_none()) refuse_missing();
  return x;
}

NormalColumn::NormalColumn(const Table& moments, bool is_tied, double strength, NumberReader reader)
    : NumberColumn(std::move(reader)), normal_(moments_of(moments), is_tied, strength) {}

void NormalColumn::reset(const Table& moments) {
  require(moments.shape(1) == classes(), "the moments must be three × classes");
  normal_.reset(moments_of(moments));
}

nb::tuple NormalColumn::pending() const {
  const std::size_t rows = normal_.pending().size();
  return nb::make_tuple(to_numpy(std::vector(normal_.pending()), {rows}),
                        to_numpy(std::vector(normal_.pending_classes()), {rows}));
}

bool NormalColumn::add_known(Cell& cell, std::size_t j) {
  normal_.add(cell.number, j);
  return normal_.pending().size() >= most_pending;
}

LiveHistogram histogram_of(const Doubles& values, const Table& counts, const std::optional<Sizes>& dropped) {
  require(counts.shape(0) == values.size() && counts.shape(1) > 0, "the counts must be values × classes");
  require(!dropped || dropped->size() == values.size(), "there must be dropped bits of each value");
  require(std::ranges::is_sorted(span_of(values)), "the values must ascend");
  const auto bits = dropped ? span_of(*dropped) : std::span<const std::int64_t>{};
  require(std::ranges::all_of(bits, [](std::int64_t d) { return d >= 0 && d <= 52; }), "52 bits can be dropped");
  return {span_of(values), span_of(counts), counts.shape(1), bits};
}

BinColumn::BinColumn(LiveHistogram histogram, BinRule rule, std::size_t number, std::vector<double> given,
                     bool is_whole, const nb::callable& pseudocounts, NumberReader reader)
    : NumberColumn(std::move(reader)),
      bins_(std::move(histogram), rule, number, std::move(given), is_whole, pseudocounts_of(pseudocounts)) {}

nb::tuple BinColumn::histogram() const {
  const LiveHistogram& held = bins_.histogram();
  std::vector<double> x;
  std::vector<std::int32_t> y;
  for (const auto& [number, j] : bins_.pending()) {
    x.push_back(number);
    y.push_back(static_cast<std::int32_t>(j));
  }
  const std::size_t values = held.size(), pending = x.size();
  const nb::object dropped = held.is_exact() ? nb::none() : to_numpy(held.dropped(), {values});
  return nb::make_tuple(to_numpy(std::vector(held.values()), {values}),
                        to_numpy(std::vector(held.counts()), {values, classes()}), dropped,
                        to_numpy(std::move(x), {pending}), to_numpy(std::move(y), {pending}));
}

bool BinColumn::add_known(Cell& cell, std::size_t j) {
  bins_.add(cell.number, j);
  return !bins_.pending().empty();
}

void OtherColumn::read(nb::handle value, Cell& cell) {
  if (!read_.is_none()) cell.held = read_(value);
}

void OtherColumn::look_up(nb::handle value, Cell& cell) {
  if (!score_.is_none()) cell.held = score_(value);
}

bool OtherColumn::add(Cell& cell, std::size_t j) {
  if (cell.held.is_valid() && !cell.held.is_none()) add_(cell.held, j);
  return false;
}

void OtherColumn::add_logs(const Cell& cell, double weight, std::span<double> out) {
  if (!cell.held.is_valid()) return;
  const auto logs = nb::cast<std::vector<double>>(cell.held);
  require(logs.size() == out.size(), "a column must score each class");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += weight * logs[j];
}

}  // namespace deciban::bind
