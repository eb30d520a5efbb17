// SPDX-License-Identifier: BSD-3-Clause
// Constants derived from the constants of a problem.

enum { SEEN_COLUMNS = (index)COLUMNS - DEPTHS };  // numbers of a point that errors depend on

// Number of matches that any model fits exactly: the sample, or DOF / RESIDUALS if that is more.
enum {
  FITTED_MATCHES = ((index)DOF + (index)RESIDUALS - 1) / (index)RESIDUALS,
  FREE_MATCHES =
      (index)SAMPLE_SIZE > (index)FITTED_MATCHES ? (index)SAMPLE_SIZE : (index)FITTED_MATCHES
};
