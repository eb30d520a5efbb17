// SPDX-License-Identifier: BSD-3-Clause
// Binds batched linear algebra and minimal solvers, for arrays on the host or a CUDA device.
#include <nanobind/stl/optional.h>

#include "devices.hpp"
#include "frames.hpp"
#include "options.hpp"

namespace bifocal::python {
namespace {

// Matrices [B, rows, cols], or one matrix [rows, cols]; float32 stays float32.
struct Matrices {
  Numbers given;
  bool single = false;  // one matrix without a batch
  int count = 0, rows = 0, cols = 0;

  template <class T>
  [[nodiscard]] MatrixBatch<T> batch() const {
    return {memory_of<T>(given.array), rows, cols, count, MatrixLayout::strided, 0};
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
  m.given = any_numbers(std::move(a), object, name);
  if (m.given.is_dense()) return m;
  const nb::object dense = nb::module_::import_("numpy").attr("ascontiguousarray")(object);
  m.given = host_numbers(array_of(dense, name), dense, name);
  return m;
}

// Allocates a result of shape [B, rows, cols], [B, rows] if cols is 0, and without B for one
// matrix without a batch.
template <class T>
ResultArray<T> room(nb::handle frame, const Matrices& m, std::size_t rows, std::size_t cols = 0) {
  const auto count = std::size_t(m.count);
  if (m.single && cols == 0) return {frame, {rows}};
  if (m.single) return {frame, {rows, cols}};
  if (cols == 0) return {frame, {count, rows}};
  return {frame, {count, rows, cols}};
}
// Holds one number for each matrix.
class Counts {
 public:
  Counts(nb::handle frame, const Matrices& m)
      : single_(m.single), room_(frame, {std::size_t(m.count)}) {}
  [[nodiscard]] const Memory<int>& memory() const { return room_.memory(); }
  [[nodiscard]] nb::object take() {
    const nb::object all = room_.take();
    return single_ ? nb::object(nb::int_(nb::object(all.attr("__getitem__")(0)))) : all;
  }

 private:
  bool single_;
  ResultArray<int> room_;
};

struct Call {
  std::string device;
  nb::object frame;
};

// Runs work(queue) to its end without the interpreter's lock, after the pending work of the
// caller's stream.
template <class Work>
void run(const Call& call, const Work& work) {
  await_frame(call.frame);
  const Unlocked unlocked;
  QueueLease lease(call.device);
  work(lease.queue());
  lease.queue().wait();
}

template <class T>
nb::tuple svd_of(const Matrices& m, const Call& call) {
  const auto r = std::size_t(m.rows), c = std::size_t(m.cols);
  ResultArray<T> U = room<T>(call.frame, m, r, std::min(r, c)), S = room<T>(call.frame, m, c),
                 V = room<T>(call.frame, m, c, c);
  Counts status(call.frame, m);
  run(call, [&](Queue& queue) {
    svd<T>(queue, m.batch<T>(),
           {.S = S.memory(), .V = V.memory(), .U = U.memory(), .status = status.memory()});
  });
  return nb::make_tuple(U.take(), S.take(), V.take(), status.take());
}

template <class T>
nb::tuple eigen_of(const Matrices& m, const Call& call) {
  const auto n = std::size_t(m.rows);
  ResultArray<T> values = room<T>(call.frame, m, n), vectors = room<T>(call.frame, m, n, n);
  Counts counts(call.frame, m), status(call.frame, m);
  run(call, [&](Queue& queue) {
    real_eigenpairs<T>(queue, m.batch<T>(),
                       {.values = values.memory(),
                        .vectors = vectors.memory(),
                        .counts = counts.memory(),
                        .status = status.memory()});
  });
  return nb::make_tuple(values.take(), vectors.take(), counts.take(), status.take());
}

template <class T>
nb::tuple symmetric_of(const Matrices& m, const Call& call) {
  const auto n = std::size_t(m.rows);
  ResultArray<T> values = room<T>(call.frame, m, n), vectors = room<T>(call.frame, m, n, n);
  Counts status(call.frame, m);
  run(call, [&](Queue& queue) {
    symmetric_eigen<T>(
        queue, m.batch<T>(),
        {.values = values.memory(), .vectors = vectors.memory(), .status = status.memory()});
  });
  return nb::make_tuple(values.take(), vectors.take(), status.take());
}

template <class T>
nb::tuple solve(MinimalSolver solver, const Numbers& samples, const Call& call) {
  const SolverShape shape = solver_shape(solver);
  const std::size_t count = samples.array.shape(1);
  const auto slots = std::size_t(shape.max_solutions), rows = std::size_t(shape.solution_rows);
  std::vector<T> copy;
  Memory<const T> given = memory_of<T>(samples.array);
  if (!samples.is_dense()) {
    for (std::size_t r = 0; r < samples.rows(); ++r)
      for (std::size_t i = 0; i < count; ++i) copy.push_back(static_cast<T>(samples.at(r, i)));
    given = copy.data();
  }
  ResultArray<T> solutions(call.frame, {slots, rows, count});
  ResultArray<int> counts(call.frame, {count});
  if (count > 0)
    run(call, [&](Queue& queue) {
      solve_minimal(queue, solver, int(count), given, solutions.memory(), counts.memory());
    });
  return nb::make_tuple(solutions.take(), counts.take());
}

// Reads the arguments of the three decompositions and calls one of them.
template <class OfDouble, class OfFloat>
nb::tuple decompose(nb::handle A, const std::optional<std::string>& device, nb::handle frame,
                    bool square, const OfDouble& of_double, const OfFloat& of_float) {
  const Matrices a = matrices_of(A, "A", square);
  const Call call{device_for(device, &a.given.array, "A"), nb::borrow(frame)};
  return a.given.is_double ? of_double(a, call) : of_float(a, call);
}

}  // namespace

void bind_linalg(nb::module_& m) {
  using Name = std::optional<std::string>;
#define DECOMPOSITION(name)                                                      \
  nb::arg("A").none(), nb::arg("device").none(),                                 \
      nb::arg("frame").none() = nb::none(),                                      \
      nb::sig("def " name                                                        \
              "(A: object, device: str | None, frame: object | None = None) -> " \
              "tuple[typing.Any, ...]")
  m.def(
      "svd",
      [](nb::handle A, const Name& device, nb::handle frame) {
        return decompose(A, device, frame, false, &svd_of<double>, &svd_of<float>);
      },
      DECOMPOSITION("svd"));
  m.def(
      "real_eigenpairs",
      [](nb::handle A, const Name& device, nb::handle frame) {
        return decompose(A, device, frame, true, &eigen_of<double>, &eigen_of<float>);
      },
      DECOMPOSITION("real_eigenpairs"));
  m.def(
      "symmetric_eigen",
      [](nb::handle A, const Name& device, nb::handle frame) {
        return decompose(A, device, frame, true, &symmetric_of<double>, &symmetric_of<float>);
      },
      DECOMPOSITION("symmetric_eigen"));
#undef DECOMPOSITION
  m.def(
      "solve_minimal",
      [](const std::string& name, nb::handle samples, const Name& device, nb::handle frame) {
        const MinimalSolver solver = solver_of(name);
        AnyArray array = array_of(samples, "samples");
        need_shape(array, "samples", {solver_shape(solver).sample_rows, -1});
        const Numbers s = any_numbers(std::move(array), samples, "samples");
        if (s.array.shape(1) >= (1u << 30))
          value_error(fmt::format("samples: {} of them are too many", s.array.shape(1)));
        const Call call{device_for(device, &s.array, "samples"), nb::borrow(frame)};
        return s.is_double ? solve<double>(solver, s, call) : solve<float>(solver, s, call);
      },
      nb::arg("solver"), nb::arg("samples").none(), nb::arg("device").none(),
      nb::arg("frame").none() = nb::none(),
      nb::sig("def solve_minimal(solver: str, samples: object, device: str | None, "
              "frame: object | None = None) -> tuple[typing.Any, typing.Any]"));
  m.def(
      "solver_shape",
      [](const std::string& name) {
        const SolverShape s = solver_shape(solver_of(name));
        return nb::make_tuple(s.sample_rows, s.max_solutions, s.solution_rows);
      },
      nb::arg("solver"), nb::sig("def solver_shape(solver: str) -> tuple[int, int, int]"));
}

}  // namespace bifocal::python
