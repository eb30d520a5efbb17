// SPDX-License-Identifier: BSD-3-Clause
// Distance of a minimal solver's solution from the true solution.
#pragma once

#include <bifocal/solvers.hpp>

namespace bifocal::synthetic {

// Frobenius norm of the difference of two matrices [9], both scaled to norm 1, up to sign.
[[nodiscard]] double matrix_distance(const double* a, const double* b);

// Returns the largest difference between the parts of a solution [solution_rows]: its matrix as
// above; an element of a rotation or a translation (baselines are about 1); a focal length,
// relative; a distortion, at a radius of one focal length; the scale and the shift of depths.
using SolutionDistance = double (*)(const double* solution, const double* truth);
[[nodiscard]] SolutionDistance solution_distance(MinimalSolver solver);

}  // namespace bifocal::synthetic
