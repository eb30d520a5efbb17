// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "generate/emit.hpp"
#include "generate/generate.hpp"

namespace bifocal::generate {
namespace {

// Where a monomial of these tails is, as a sum of binomials, and the number of all up to a degree.
std::string emit_places(int n) {
  std::string parameters, place, size;
  for (int k = 1; k <= n; ++k) {
    parameters += fmt::format("{}index t{}", k > 1 ? ", " : "", k);
    std::string term;
    int divisor = 1;
    for (int i = 0; i <= n - k; ++i) {
      term += i == 0 ? fmt::format("t{}", k) : fmt::format(" * (t{} + {})", k, i);
      divisor *= i + 1;
    }
    place += fmt::format("{}{}{}", k > 1 ? " + " : "", term,
                         divisor > 1 ? fmt::format(" / {}", divisor) : "");
  }
  int divisor = 1;
  for (int i = 1; i <= n; ++i) {
    size += fmt::format("{}(degree + {})", i > 1 ? " * " : "", i);
    divisor *= i;
  }
  return fmt::format(
      "lane_fn index POLY_place({}) {{\n  return {};\n}}\n\n"
      "// The number of coefficients.\n"
      "lane_fn index POLY_size(index degree) {{\n  return {} / {};\n}}\n\n",
      parameters, place, size, divisor);
}

std::string emit_products(int n) {
  std::string sums;
  for (int k = 1; k <= n; ++k) sums += fmt::format("{0}s{1} + t{1}", k > 1 ? ", " : "", k);
  return fmt::format(R"(lane_fn void POLY_clear(real* v, index count) {{
  for (index i = 0; i < count; ++i) v[i] = lane(0);
}}

// out += factor a: count polynomials of a degree, in out of another one.
lane_fn void POLY_add(const real* a, index degree, index count, real factor, real* out, index out_degree) {{
  const index n = POLY_size(degree), pitch = POLY_size(out_degree);
  for (index i = 0; i < count; ++i) {{
    for (index k = 0; k < n; ++k) out[pitch * i + k] += factor * a[n * i + k];
  }}
}}

// out += factor a b.
lane_fn void POLY_product_add(const real* a, index a_degree, const real* b, index b_degree, real factor, real* out) {{
  index i = 0;
  {} {{
    real f = factor * a[i++];
    index j = 0;
    {} {{
      out[POLY_place({})] += f * b[j++];
    }}
  }}
}}

)",
                     monomial_loops(n, "s", "a_degree", "  "),
                     monomial_loops(n, "t", "b_degree", "    "), sums);
}

const char* const kMatrices =
    R"(// out += factor A B, matrices of polynomials.
lane_fn void POLY_matrix_product_add(const real* A, index a_degree, const real* B, index b_degree, index rows, index inner, index columns, real factor, real* out) {
  const index a = POLY_size(a_degree), b = POLY_size(b_degree), c = POLY_size(a_degree + b_degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j) {
      for (index k = 0; k < inner; ++k)
        POLY_product_add(A + a * (inner * i + k), a_degree, B + b * (columns * k + j), b_degree, factor, out + c * (columns * i + j));
    }
  }
}

// out += A', A [rows][columns].
lane_fn void POLY_transpose_add(const real* A, index degree, index rows, index columns, real* out) {
  const index n = POLY_size(degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j)
      POLY_add(A + n * (columns * i + j), degree, 1, lane(1), out + n * (rows * j + i), degree);
  }
}

// out += the matrix [3][3] of the cross product with v.
lane_fn void POLY_skew_add(const real* v, index degree, real* out) {
  const index n = POLY_size(degree);
  for (index i = 0; i < 3; ++i) {
    const index j = (i + 1) % 3, k = (i + 2) % 3;
    POLY_add(v + n * i, degree, 1, lane(1), out + n * (3 * k + j), degree);
    POLY_add(v + n * i, degree, 1, lane(-1), out + n * (3 * j + k), degree);
  }
}

// out += det A, A [3][3], along the first row. minor: room for a polynomial of twice the degree.
lane_fn void POLY_determinant_add(const real* A, index degree, real* minor, real* out) {
  const index n = POLY_size(degree), m = POLY_size(2 * degree);
  for (index j = 0; j < 3; ++j) {
    const real* p = A + n * (3 + (j + 1) % 3);
    const real* q = A + n * (3 + (j + 2) % 3);
    POLY_clear(minor, m);
    POLY_product_add(p, degree, q + 3 * n, degree, lane(1), minor);
    POLY_product_add(q, degree, p + 3 * n, degree, lane(-1), minor);
    POLY_product_add(minor, 2 * degree, A + n * j, degree, lane(1), out);
  }
}

)";

// Monomials and derivatives, by the first unknown that a monomial has.
std::string emit_monomials(int n) {
  std::string derivatives;
  for (int k = 0; k < n; ++k) {
    std::string less;
    for (int i = 0; i < n; ++i)
      less += fmt::format("{}t{}{}", i > 0 ? ", " : "", i + 1, i <= k ? " - 1" : "");
    const std::string e =
        k + 1 < n ? fmt::format("t{} - t{}", k + 1, k + 2) : fmt::format("t{}", n);
    derivatives += fmt::format(
        "    if ({0} > 0) {{\n"
        "      real before = m[POLY_place({1})];\n"
        "      m[p] = x[{2}] * before;\n"
        "      d[{3}p] = lane({0}) * before;\n"
        "    }}\n",
        e, less, k, k > 0 ? fmt::format("{} * size + ", k) : "");
  }
  return fmt::format(
      R"(// All monomials m [size] up to a degree at x, and their derivatives d [{0}][size].
lane_fn void POLY_monomials(const real* x, index degree, real* m, real* d) {{
  const index size = POLY_size(degree);
  index p = 0;
  POLY_clear(d, {0} * size);
  m[0] = lane(1);
  {1} {{
{2}    ++p;
  }}
}}
)",
      n, monomial_loops(n, "t", "degree", "  "), derivatives);
}

}  // namespace

std::string monomial_loops(int unknowns, const std::string& prefix, const std::string& degree,
                           const std::string& indent) {
  std::string text, bound = degree;
  for (int k = 1; k <= unknowns; ++k) {
    const std::string t = prefix + std::to_string(k);
    text += fmt::format("{2}for (index {0} = 0; {0} <= {1}; ++{0})", t, bound,
                        k > 1 ? "\n" + indent : "");
    bound = t;
  }
  return text;
}

std::string polynomials_name(int unknowns) { return fmt::format("poly{}", unknowns); }

std::string emit_polynomials(int n) {
  std::string body = emit_places(n) + emit_products(n) + kMatrices + emit_monomials(n);
  for (std::size_t at; (at = body.find("POLY")) != std::string::npos;)
    body.replace(at, 4, polynomials_name(n));
  std::string text = "// SPDX-License-Identifier: BSD-3-Clause\n";
  text += comment(
      fmt::format(
          "Polynomials in {} unknown{}, for emitted solvers. They begin with their terms of "
          "lowest degree, so that those of a low degree are the beginning of those of a "
          "higher one. The tails t1 >= t2 >= ... of a monomial are the sums of its "
          "exponents from an unknown on. This file was written by bifocal-generate.",
          n, n > 1 ? "s" : ""),
      "");
  return text + "\n// clang-format off\n\n" + wrapped(body);
}

}  // namespace bifocal::generate
