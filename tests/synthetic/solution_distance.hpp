// SPDX-License-Identifier: BSD-3-Clause
// How far a solution of a minimal solver is from the true one.
#pragma once

#include <bifocal/solvers.hpp>

namespace bifocal::synthetic {

// Frobenius norm of the difference of two matrices [9], both brought to norm 1, up to sign.
[[nodiscard]] double matrix_distance(const double* a, const double* b);

// The largest of the differences in what a solution [solution_rows] consists of: of its matrix as
// above; of an element of a rotation or a translation (baselines are about 1); of a focal length,
// relative; of a distortion, at a radius of one focal length; of the scale and the shift of depths.
using SolutionDistance = double (*)(const double* solution, const double* truth);
[[nodiscard]] SolutionDistance solution_distance(MinimalSolver solver);

}  // namespace bifocal::synthetic
