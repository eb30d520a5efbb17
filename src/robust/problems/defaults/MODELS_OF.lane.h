// SPDX-License-Identifier: BSD-3-Clause
// Number of the problem whose models and errors these are. A problem that reads depths names the
// one without them: its models are refined by `refine()` and have covariances as those.
enum { MODELS_OF = PROBLEM };
