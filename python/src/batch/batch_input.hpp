// SPDX-License-Identifier: BSD-3-Clause
// The input of a batch of pairs, from the arguments of Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../estimate.hpp"

namespace bifocal::python {

// Arrays and cameras of a batch as given in Python; an absent argument is None.
struct GivenBatch {
  nb::handle points, offsets, cameras1, cameras2, weights, qualities;
};

// Arguments of a batch in the form of the library, with undistorted points.
struct BatchArguments {
  ModelKind kind;
  ProblemInfo problem;
  Column points, weights, qualities;
  std::vector<std::int64_t> offsets;
  std::vector<Intrinsics> cameras1, cameras2;
  RobustOptions options;
  std::string device;
};

// known_offsets: offsets of an earlier call; null: taken from `given`. Raises TypeError and
// ValueError for arguments that do not fit.
[[nodiscard]] BatchArguments batch_arguments(
    ModelKind kind, const GivenBatch& given, nb::handle options,
    const std::optional<std::string>& device,
    const std::vector<std::int64_t>* known_offsets = nullptr);

// Returns the input for the pairs [first, last).
[[nodiscard]] BatchInput input_of(const BatchArguments& g, std::size_t first, std::size_t last);

}  // namespace bifocal::python
