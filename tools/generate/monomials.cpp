// SPDX-License-Identifier: BSD-3-Clause
#include "generate/monomials.hpp"

namespace bifocal::generate {
namespace {

int binomial(int n, int k) {
  int value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return n < k ? 0 : value;
}

void add_tails(Monomial& m, std::size_t k, std::vector<Monomial>& all) {
  if (k == m.size()) {
    all.push_back(m);
    return;
  }
  for (m[k] = 0; m[k] <= m[k - 1]; ++m[k]) add_tails(m, k + 1, all);
}

}  // namespace

int monomial_count(int n, int degree) { return binomial(n + degree, n); }

int monomial_index(const Monomial& m) {
  const int n = static_cast<int>(m.size());
  int index = 0;
  for (int k = 0; k < n; ++k) index += binomial(m[static_cast<std::size_t>(k)] + n - k - 1, n - k);
  return index;
}

std::vector<Monomial> monomials_up_to(int n, int degree) {
  std::vector<Monomial> all;
  Monomial m(static_cast<std::size_t>(n));
  for (m[0] = 0; m[0] <= degree; ++m[0]) add_tails(m, 1, all);
  return all;
}

Monomial monomial_product(const Monomial& a, const Monomial& b) {
  Monomial product = a;
  for (std::size_t k = 0; k < a.size(); ++k) product[k] += b[k];
  return product;
}

bool monomial_quotient(const Monomial& a, const Monomial& b, Monomial& quotient) {
  quotient = a;
  int below = 0;  // the tails of a quotient must not increase either
  for (std::size_t k = a.size(); k-- > 0;) {
    quotient[k] -= b[k];
    if (quotient[k] < below) return false;
    below = quotient[k];
  }
  return true;
}

int weighted_degree(const Monomial& m, const std::vector<int>& weights) {
  int sum = 0;
  for (std::size_t k = 0; k < m.size(); ++k)
    sum += weights[k] * (m[k] - (k + 1 < m.size() ? m[k + 1] : 0));
  return sum;
}

Monomial unknown_monomial(int n, int k) {
  Monomial m(static_cast<std::size_t>(n));
  for (int i = 0; i <= k; ++i) m[static_cast<std::size_t>(i)] = 1;
  return m;
}

}  // namespace bifocal::generate
