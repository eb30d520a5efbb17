// SPDX-License-Identifier: BSD-3-Clause
// Index of the problem with the same models and errors. A problem that reads depths names the
// problem without depths, which `refine()` and the covariances then use for its models.
enum { MODELS_OF = PROBLEM };
