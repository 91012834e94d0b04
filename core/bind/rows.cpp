// Rows that are learned and scored one at a time.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "bind/parts.hpp"
#include "bind/row_columns.hpp"

namespace deciban::bind {
namespace {

// All counts of a model whose columns are independent within each class.
class LiveRow {
 public:
  // `check_names` raises an error for a row with a name that is no column's; it is called where there may be one.
  LiveRow(const nb::list& names, const nb::list& columns, const Doubles& class_counts, nb::callable check_names)
      : class_counts_(class_counts.data(), class_counts.data() + class_counts.size()),
        weights_(nb::len(columns), 1.0),
        check_names_(std::move(check_names)) {
    require(nb::len(names) == nb::len(columns), "there must be a name for each column");
    for (std::size_t i = 0; i < nb::len(columns); ++i) {
      auto& column = nb::cast<RowColumn&>(columns[i]);
      require(column.classes() == 0 || column.classes() == classes(), "the columns must have the same classes");
      names_.push_back(nb::borrow(names[i]));
      owners_.push_back(nb::borrow(columns[i]));
      columns_.push_back(&column);
    }
  }

  nb::object class_counts() const { return to_numpy(std::vector(class_counts_), {classes()}); }

  // The numbers by which log-likelihoods are multiplied; 0 for a column that is checked and not scored.
  void set_weights(const Doubles& weights) {
    require(weights.size() == columns_.size(), "there must be a weight for each column");
    weights_.assign(weights.data(), weights.data() + weights.size());
  }

  // Counts a row in class j: as a whole, or not at all where reading it fails. True where a column has no more room.
  bool learn(const nb::dict& row, std::size_t j) {
    require(j < classes(), "a class is outside the classes");
    std::vector<Cell> cells = cells_of(row, &RowColumn::read);
    bool is_full = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) is_full |= columns_[i]->add(cells[i], j);
    class_counts_[j] += 1.0;
    return is_full;
  }

  // start + Σ weight·log P(value | class); log P(class) from the counts where `start` is None.
  std::vector<double> joint(const nb::dict& row, const std::optional<std::vector<double>>& start) {
    std::vector<double> sums = start ? *start : prior();
    require(sums.size() == classes(), "there must be a start for each class");
    const std::vector<Cell> cells = cells_of(row, &RowColumn::look_up);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (weights_[i] != 0.0) columns_[i]->add_logs(cells[i], weights_[i], sums);
    }
    return sums;
  }

  // P(class | row); the prior where the row is impossible in every class.
  std::vector<double> posterior(const nb::dict& row, const std::optional<std::vector<double>>& prior) {
    std::vector<double> sums = possible(row, prior);
    const double largest = std::ranges::max(sums);
    double whole = 0.0;
    for (double& sum : sums) whole += sum = std::exp(sum - largest);
    for (double& sum : sums) sum /= whole;
    return sums;
  }

  // The first of the most probable classes.
  std::size_t best(const nb::dict& row, const std::optional<std::vector<double>>& prior) {
    const std::vector<double> sums = possible(row, prior);
    return static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
  }

 private:
  std::size_t classes() const { return class_counts_.size(); }

  std::vector<double> prior() const {
    double total = 0.0;
    for (const double n : class_counts_) total += n;
    std::vector<double> logs(classes());
    for (std::size_t j = 0; j < classes(); ++j) logs[j] = std::log(class_counts_[j]) - std::log(total);
    return logs;
  }

  std::vector<double> possible(const nb::dict& row, const std::optional<std::vector<double>>& given) {
    std::vector<double> sums = joint(row, given);
    const bool is_possible = std::ranges::max(sums) > -std::numeric_limits<double>::infinity();
    if (!is_possible) sums = given ? *given : prior();
    return sums;
  }

  // Reads the values of all columns; a column that the row does not name is missing.
  std::vector<Cell> cells_of(const nb::dict& row, void (RowColumn::*read)(nb::handle, Cell&)) {
    std::vector<Cell> cells(columns_.size());
    std::size_t found = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      PyObject* value = PyDict_GetItemWithError(row.ptr(), names_[i].ptr());
      if (value == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
      found += static_cast<std::size_t>(value != nullptr);
      const nb::object held = nb::borrow(value == nullptr ? Py_None : value);
      (columns_[i]->*read)(held, cells[i]);
    }
    if (found != nb::len(row)) check_names_(row);
    return cells;
  }

  std::vector<double> class_counts_, weights_;
  std::vector<nb::object> names_, owners_;
  std::vector<RowColumn*> columns_;
  nb::callable check_names_;
};

BinRule rule_of(const std::string& how) {
  if (how == "width") return BinRule::width;
  if (how == "frequency") return BinRule::frequency;
  if (how == "mdl") return BinRule::description;
  require(how == "given", "bins are by width, frequency, mdl, or given");
  return BinRule::given;
}

}  // namespace

void bind_rows(nb::module_& m) {
  using nb::arg;
  nb::class_<RowColumn>(m, "RowColumn").def("classes", &RowColumn::classes);
  nb::class_<CountedColumn, RowColumn>(m, "CountedColumn")
      .def("count_missing", &CountedColumn::count_missing, arg("counts"), arg("pseudo"))
      .def("presence", &CountedColumn::presence);
  nb::class_<NumberReader>(m, "NumberReader")
      .def(nb::init<nb::callable, const Doubles&, nb::object>(), arg("read_other"), arg("markers"),
           arg("refuse_missing").none());
  nb::class_<StateColumn, CountedColumn>(m, "StateColumn").def("counts", &StateColumn::counts);
  nb::class_<LabelColumn, StateColumn>(m, "LabelColumn")
      .def(nb::init<const Table&, std::size_t, nb::dict, nb::list, nb::callable, nb::callable, nb::callable>(),
           arg("counts"), arg("size"), arg("codes"), arg("labels"), arg("pseudocounts"), arg("read_other"),
           arg("look_up_other"));
  nb::class_<PresenceColumn, StateColumn>(m, "PresenceColumn")
      .def(nb::init<const Table&, std::pair<std::size_t, std::size_t>, double, bool, nb::callable, nb::callable,
                    nb::callable>(),
           arg("counts"), arg("codes"), arg("threshold"), arg("has_markers"), arg("pseudocounts"), arg("read_other"),
           arg("look_up_other"));
  nb::class_<NormalColumn, CountedColumn>(m, "NormalColumn")
      .def(nb::init<const Table&, bool, double, NumberReader>(), arg("moments"), arg("is_tied"), arg("strength"),
           arg("reader"))
      .def("reset", &NormalColumn::reset, arg("moments"))
      .def("pending", &NormalColumn::pending);
  nb::class_<BinColumn, CountedColumn>(m, "BinColumn")
      .def(
          "__init__",
          [](BinColumn* self, const Doubles& values, const Table& counts, const std::optional<Sizes>& dropped,
             const std::string& how, std::size_t number, const Doubles& given, bool is_whole,
             const nb::callable& pseudocounts, const NumberReader& reader) {
            std::vector<double> cuts(given.data(), given.data() + given.size());
            new (self) BinColumn(histogram_of(values, counts, dropped), rule_of(how), number, std::move(cuts), is_whole,
                                 pseudocounts, reader);
          },
          arg("values"), arg("counts"), arg("dropped").none(), arg("how"), arg("number"), arg("given"), arg("is_whole"),
          arg("pseudocounts"), arg("reader"))
      .def(
          "reset",
          [](BinColumn& self, const Doubles& values, const Table& counts, const std::optional<Sizes>& dropped) {
            self.reset(histogram_of(values, counts, dropped));
          },
          arg("values"), arg("counts"), arg("dropped").none())
      .def("histogram", &BinColumn::histogram);
  nb::class_<OtherColumn, RowColumn>(m, "OtherColumn")
      .def(nb::init<nb::object, nb::object, nb::object>(), arg("read").none(), arg("add").none(), arg("score").none());
  nb::class_<LiveRow>(m, "LiveRow")
      .def(nb::init<const nb::list&, const nb::list&, const Doubles&, nb::callable>(), arg("names"), arg("columns"),
           arg("class_counts"), arg("check_names"))
      .def("set_weights", &LiveRow::set_weights, arg("weights"))
      .def("class_counts", &LiveRow::class_counts)
      .def("learn", &LiveRow::learn, arg("row"), arg("j"))
      .def("joint", &LiveRow::joint, arg("row"), arg("start").none())
      .def("posterior", &LiveRow::posterior, arg("row"), arg("prior").none())
      .def("best", &LiveRow::best, arg("row"), arg("prior").none());
}

}  // namespace deciban::bind
