// SPDX-License-Identifier: BSD-3-Clause
// Batched small linear algebra and minimal solvers, of arrays of the host.
#include <nanobind/stl/optional.h>

#include "devices.hpp"
#include "options.hpp"

namespace bifocal::python {
namespace {

// [B, rows, cols] or [rows, cols]; float32 stays float32.
struct Matrices {
  Numbers given;
  bool single = false;  // one matrix without a batch
  int count = 0, rows = 0, cols = 0;

  template <class T>
  [[nodiscard]] MatrixBatch<T> batch() const {
    return {static_cast<const T*>(given.array.data()), rows, cols, count, MatrixLayout::strided, 0};
  }
};

Matrices matrices_of(nb::handle object, const char* name, bool square) {
  AnyArray a = array_of(object, name);
  const std::size_t d = a.ndim();
  if ((d != 2 && d != 3) || (square && a.shape(d - 1) != a.shape(d - 2)))
    value_error(fmt::format("{}: shape {}, must be {}", name, shape_text(a),
                            square ? "(B, n, n) or (n, n)" : "(B, rows, cols) or (rows, cols)"));
  Matrices m;
  m.single = d == 2;
  for (std::size_t i = 0; i < d; ++i)
    if (a.shape(i) >= (1u << 30))
      value_error(fmt::format("{}: shape {} is too large", name, shape_text(a)));
  m.count = m.single ? 1 : int(a.shape(0));
  m.rows = int(a.shape(d - 2)), m.cols = int(a.shape(d - 1));
  m.given = host_numbers(std::move(a), object, name);
  if (m.given.is_dense()) return m;
  const nb::object dense = nb::module_::import_("numpy").attr("ascontiguousarray")(object);
  m.given = host_numbers(array_of(dense, name), dense, name);
  return m;
}

// Results of `single` lose the batch.
template <class T>
nb::object out(std::vector<T> values, const Matrices& m, std::size_t rows, std::size_t cols) {
  const auto count = std::size_t(m.count);
  if (m.single && cols == 0) return array_from(std::move(values), {rows});
  if (m.single) return array_from(std::move(values), {rows, cols});
  if (cols == 0) return array_from(std::move(values), {count, rows});
  return array_from(std::move(values), {count, rows, cols});
}
nb::object numbers(std::vector<int> values, const Matrices& m) {
  if (m.single) return nb::int_(values[0]);
  const std::size_t count = values.size();
  return array_from(std::move(values), {count});
}

template <class T>
nb::tuple svd_of(const Matrices& m, const std::string& device) {
  const auto r = std::size_t(m.rows), c = std::size_t(m.cols), n = std::size_t(m.count),
             k = std::min(r, c);
  std::vector<T> U(n * r * k), S(n * c), V(n * c * c);
  std::vector<int> status(n);
  {
    nb::gil_scoped_release unlocked;
    QueueLease lease(device);
    svd<T>(lease.queue(), m.batch<T>(),
           {.S = S.data(), .V = V.data(), .U = U.data(), .status = status.data()});
    lease.queue().wait();
  }
  return nb::make_tuple(out(std::move(U), m, r, k), out(std::move(S), m, c, 0),
                        out(std::move(V), m, c, c), numbers(std::move(status), m));
}

template <class T>
nb::tuple eigen_of(const Matrices& m, const std::string& device) {
  const auto s = std::size_t(m.rows), n = std::size_t(m.count);
  std::vector<T> values(n * s), vectors(n * s * s);
  std::vector<int> counts(n), status(n);
  {
    nb::gil_scoped_release unlocked;
    QueueLease lease(device);
    real_eigenpairs<T>(lease.queue(), m.batch<T>(),
                       {.values = values.data(),
                        .vectors = vectors.data(),
                        .counts = counts.data(),
                        .status = status.data()});
    lease.queue().wait();
  }
  return nb::make_tuple(out(std::move(values), m, s, 0), out(std::move(vectors), m, s, s),
                        numbers(std::move(counts), m), numbers(std::move(status), m));
}

template <class T>
nb::tuple symmetric_of(const Matrices& m, const std::string& device) {
  const auto s = std::size_t(m.rows), n = std::size_t(m.count);
  std::vector<T> values(n * s), vectors(n * s * s);
  std::vector<int> status(n);
  {
    nb::gil_scoped_release unlocked;
    QueueLease lease(device);
    symmetric_eigen<T>(
        lease.queue(), m.batch<T>(),
        {.values = values.data(), .vectors = vectors.data(), .status = status.data()});
    lease.queue().wait();
  }
  return nb::make_tuple(out(std::move(values), m, s, 0), out(std::move(vectors), m, s, s),
                        numbers(std::move(status), m));
}

template <class T>
nb::tuple solve(MinimalSolver solver, const Numbers& samples, const std::string& device) {
  const SolverShape shape = solver_shape(solver);
  const std::size_t count = samples.array.shape(1);
  const auto slots = std::size_t(shape.max_solutions), rows = std::size_t(shape.solution_rows);
  std::vector<T> copy;
  const T* given = static_cast<const T*>(samples.array.data());
  if (!samples.is_dense()) {
    for (std::size_t r = 0; r < samples.rows(); ++r)
      for (std::size_t i = 0; i < count; ++i) copy.push_back(static_cast<T>(samples.at(r, i)));
    given = copy.data();
  }
  std::vector<T> solutions(slots * rows * count);
  std::vector<int> counts(count);
  if (count > 0) {
    nb::gil_scoped_release unlocked;
    QueueLease lease(device);
    solve_minimal(lease.queue(), solver, int(count), Memory<const T>(given),
                  Memory<T>(solutions.data()), Memory<int>(counts.data()));
    lease.queue().wait();
  }
  return nb::make_tuple(array_from(std::move(solutions), {slots, rows, count}),
                        array_from(std::move(counts), {count}));
}

}  // namespace

void bind_linalg(nb::module_& m) {
  using Name = std::optional<std::string>;
  m.def(
      "svd",
      [](nb::handle A, const Name& device) {
        const Matrices a = matrices_of(A, "A", false);
        const std::string where = device.value_or("cpu");
        return a.given.is_double ? svd_of<double>(a, where) : svd_of<float>(a, where);
      },
      nb::arg("A").none(), nb::arg("device").none(),
      nb::sig("def svd(A: object, device: str | None) -> tuple[typing.Any, ...]"));
  m.def(
      "real_eigenpairs",
      [](nb::handle A, const Name& device) {
        const Matrices a = matrices_of(A, "A", true);
        const std::string where = device.value_or("cpu");
        return a.given.is_double ? eigen_of<double>(a, where) : eigen_of<float>(a, where);
      },
      nb::arg("A").none(), nb::arg("device").none(),
      nb::sig("def real_eigenpairs(A: object, device: str | None) -> tuple[typing.Any, ...]"));
  m.def(
      "symmetric_eigen",
      [](nb::handle A, const Name& device) {
        const Matrices a = matrices_of(A, "A", true);
        const std::string where = device.value_or("cpu");
        return a.given.is_double ? symmetric_of<double>(a, where) : symmetric_of<float>(a, where);
      },
      nb::arg("A").none(), nb::arg("device").none(),
      nb::sig("def symmetric_eigen(A: object, device: str | None) -> tuple[typing.Any, ...]"));
  m.def(
      "solve_minimal",
      [](const std::string& name, nb::handle samples, const Name& device) {
        const MinimalSolver solver = solver_of(name);
        const Numbers s = numbers_of(samples, "samples", {solver_shape(solver).sample_rows, -1});
        if (s.array.shape(1) >= (1u << 30))
          value_error(fmt::format("samples: {} of them are too many", s.array.shape(1)));
        const std::string where = device.value_or("cpu");
        return s.is_double ? solve<double>(solver, s, where) : solve<float>(solver, s, where);
      },
      nb::arg("solver"), nb::arg("samples").none(), nb::arg("device").none(),
      nb::sig("def solve_minimal(solver: str, samples: object, device: str | None) -> "
              "tuple[typing.Any, typing.Any]"));
  m.def(
      "solver_shape",
      [](const std::string& name) {
        const SolverShape s = solver_shape(solver_of(name));
        return nb::make_tuple(s.sample_rows, s.max_solutions, s.solution_rows);
      },
      nb::arg("solver"), nb::sig("def solver_shape(solver: str) -> tuple[int, int, int]"));
}

}  // namespace bifocal::python
