// SPDX-License-Identifier: BSD-3-Clause
// The largest error in a batch, in units of the last place of the tested precision (LAPACK's test
// ratios), computed in long double: from below 1 to a few for backward stable code of any size.
#pragma once

#include "linalg_batches.hpp"

namespace bifocal::bench {

// Results in the interleaved layout, `total` matrices; matrix b is matrices[b % count].
template <class T>
struct Results {
  int total = 0;
  std::vector<T> S, V, U;
  std::vector<int> counts, status;
};

struct Worst {
  double ratio = 0;          // |A - U S V'| / (n |A| ulp), or the form that the outputs allow
  double orthogonality = 0;  // |I - V'V| / (n ulp), also for U
  int failed = 0;            // matrices with a status other than 0
  int checked = 0;
};

// |A V - U S| / (n |A| ulp); without U |V'A'A V - S^2| / (n |A|^2 ulp).
template <class T>
[[nodiscard]] Worst svd_errors(const Matrices<T>& matrices, const Results<T>& results);
// |A V - V S| / (n |A| ulp)
template <class T>
[[nodiscard]] Worst symmetric_errors(const Matrices<T>& matrices, const Results<T>& results);
// (|A x| - s_min) / (n |A| ulp); truth: s_min of every different matrix.
template <class T>
[[nodiscard]] Worst smallest_errors(const Matrices<T>& matrices, const Results<T>& results,
                                    const std::vector<double>& truth);

struct WorstPairs : Worst {
  double mean_real_pairs = 0;
  int wrong_counts = 0;  // of the checked matrices: those with a wrong number of real eigenvalues
};
// |A v - l v| / (n |A| ulp); real_counts: the true numbers, empty if unknown.
template <class T>
[[nodiscard]] WorstPairs eigen_errors(const Matrices<T>& matrices, const Results<T>& results,
                                      const std::vector<int>& real_counts);

}  // namespace bifocal::bench
