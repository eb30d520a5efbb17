// SPDX-License-Identifier: BSD-3-Clause
// Equations of every solution, and the number of solutions: roots are compared with the eigenvalues
// of the companion matrix.
#include <limits>
#include <random>

#include "solvers/batches.hpp"
#include "solvers/lanes.hpp"

namespace bifocal::test {
namespace {

using L = lanes<double>;

// Returns the real roots of c[0] + c[1] x + ...; `clear` is false if a pair of roots is too close
// to the real axis to decide their number.
std::vector<double> companion_roots(const std::vector<double>& c, bool* clear) {
  const Eigen::Index n = static_cast<Eigen::Index>(c.size()) - 1;
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    companion(i, n - 1) = -c[static_cast<std::size_t>(i)] / c.back();
    if (i > 0) companion(i, i - 1) = 1;
  }
  const Eigen::VectorXcd values = companion.eigenvalues();
  std::vector<double> roots;
  *clear = true;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double scale = 1 + std::abs(values[i]);
    if (values[i].imag() == 0) roots.push_back(values[i].real());
    for (Eigen::Index j = 0; j < i; ++j)
      *clear = *clear && std::abs(values[i] - values[j]) > 1e-4 * scale;
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

void expect_roots(std::vector<double> found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-7 * (1 + std::pow(expected[i], 2)));
  }
}

TEST(Roots, of_degree_10_are_the_real_eigenvalues_of_the_companion) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int decided = 0;
  constexpr int kTrials = 20000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> c(11);
    if (trial % 2) {  // random coefficients
      for (double& v : c) v = normal(random);
    } else {  // random real roots and pairs, with the spread of five-point solutions
      c = {1};
      while (c.size() < 11) {
        std::vector<double> factor = {std::tan(normal(random)), 1};
        if (c.size() < 10 && normal(random) > 0) {
          const double re = normal(random);
          factor = {re * re + 0.1 + std::abs(normal(random)), -2 * re, 1};
        }
        std::vector<double> product(c.size() + factor.size() - 1);
        for (std::size_t i = 0; i < c.size(); ++i) {
          for (std::size_t j = 0; j < factor.size(); ++j) product[i + j] += c[i] * factor[j];
        }
        c = product;
      }
    }
    bool clear = false;
    const std::vector<double> expected = companion_roots(c, &clear);
    if (!clear) continue;
    ++decided;
    double roots[10];
    const int count = static_cast<int>(L::real_roots_10(c.data(), roots));
    ASSERT_NO_FATAL_FAILURE(expect_roots({roots, roots + count}, expected)) << "trial " << trial;
  }
  fmt::print("degree 10: {} of {} polynomials have roots clear of each other, all right\n", decided,
             kTrials);
  EXPECT_GT(decided, kTrials * 9 / 10);
}

// Makes coefficients as in five-point problems: roots are spread evenly over the angles; if
// `crowded`, half are near each other.
std::vector<double> even_polynomial(std::mt19937_64& random, bool crowded) {
  std::normal_distribution<double> normal;
  std::vector<double> c = {1};
  const double centre = normal(random);
  double binomial = 1;
  if (!crowded) c.clear();
  for (int k = 0; !crowded && k <= 10; ++k) {
    c.push_back(normal(random) * std::sqrt(binomial));
    binomial *= (10.0 - k) / (k + 1);
  }
  while (c.size() < 11) {
    const double z = std::tan(c.size() % 2 ? centre + 0.05 * normal(random) : 1.5 * normal(random));
    std::vector<double> product(c.size() + 1);
    for (std::size_t i = 0; i < c.size(); ++i) {
      product[i] -= c[i] * z / std::hypot(1, z);
      product[i + 1] += c[i] / std::hypot(1, z);
    }
    c = product;
  }
  return c;
}

TEST(Roots, of_degree_10_in_float_are_nearly_all_found) {
  std::mt19937_64 random(3);
  for (const bool crowded : {false, true}) {
    int all = 0, lost = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      const std::vector<double> c = even_polynomial(random, crowded);
      float narrow[11], found[10];
      double same[11], roots[10];
      for (int k = 0; k < 11; ++k) {
        narrow[k] = static_cast<float>(c[static_cast<std::size_t>(k)]);
        same[k] = narrow[k];
      }
      const int count = static_cast<int>(L::real_roots_10(same, roots));
      const int kept = static_cast<int>(lanes<float>::real_roots_10(narrow, found));
      for (int i = 0; i < count; ++i) {
        const bool is_there = std::any_of(found, found + kept, [&](float x) {
          return std::abs(std::sin(std::atan(x) - std::atan(roots[i]))) < 0.01;
        });
        all += 1;
        lost += !is_there;
      }
    }
    fmt::print("degree 10 in float{}: {} of {} roots lost\n", crowded ? ", crowded" : "", lost,
               all);
    EXPECT_LT(lost, all / (crowded ? 25 : 1000));
  }
}

// Roots at 0 and infinity, polynomials in even powers alone, and x^10 - 1. Plain Sturm sequences of
// these polynomials break off.
TEST(Roots, of_special_polynomials_of_degree_10_are_all_found) {
  const double inf = std::numeric_limits<double>::infinity();
  using Case = std::pair<std::vector<double>, std::vector<double>>;  // coefficients, roots
  const Case cases[] = {
      {{-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {-1, 1}},
      {{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {}},
      {{0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {0, 1}},
      {{0, -2, 1, 0, 0, 0, 0, 0, 0, 1, 0}, {0, 1, inf}},
      {{-1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, {1, inf}},
      {{4, 0, -5, 0, 1, 0, 0, 0, 0, 0, 0}, {-2, -1, 1, 2}},  // and six times infinity
      {{36, 0, -49, 0, 14, 0, -1, 0, 0, 0, 0}, {-3, -2, -1, 1, 2, 3}},
  };
  for (const auto& [c, expected] : cases) {
    double roots[10];
    const int count = static_cast<int>(L::real_roots_10(c.data(), roots));
    for (const double root : expected) {
      const bool is_there = std::any_of(roots, roots + count, [&](double x) {
        return std::isinf(root) ? std::abs(x) > 1e7 : std::abs(x - root) < 1e-7;
      });
      EXPECT_TRUE(is_there) << "c[0] " << c[0] << ", c[1] " << c[1] << ", root " << root;
    }
  }
}

TEST(Roots, of_invalid_polynomials_of_degree_10_end) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), huge = 1e300;
  for (const double v : {0.0, nan, huge, 1e-300}) {
    for (const bool first_only : {false, true}) {
      double c[11], roots[10];
      for (int k = 0; k < 11; ++k) c[k] = first_only && k > 0 ? 1.0 : v;
      EXPECT_LE(L::real_roots_10(c, roots), 10);
      float narrow[11], found[10];
      for (int k = 0; k < 11; ++k) narrow[k] = static_cast<float>(c[k]);
      EXPECT_LE(lanes<float>::real_roots_10(narrow, found), 10);
    }
  }
}

TEST(Roots, of_cubics_are_the_real_eigenvalues_of_the_companion) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20000; ++trial) {
    const double scale = std::pow(10, trial % 5 - 2);  // scale of the roots
    const std::vector<double> c = {normal(random) * scale * scale * scale,
                                   normal(random) * scale * scale, normal(random) * scale, 1};
    bool clear = false;
    std::vector<double> expected = companion_roots(c, &clear);
    if (!clear) continue;
    double roots[3];
    const int count = static_cast<int>(L::cubic_roots(c[2], c[1], c[0], roots));
    ASSERT_NO_FATAL_FAILURE(expect_roots({roots, roots + count}, expected)) << "trial " << trial;
  }
}

// Returns the error of a root of x^3 + a x^2 + b x + c, relative to the bound by rounding.
template <class T>
double rounding_of_root(T a, T b, T c, T root) {
  const double size = std::abs(root) + std::abs(a);
  const double value = ((double(root) + a) * root + b) * root + c;
  return std::abs(value) / (size * (size * size + std::abs(b)) + std::abs(c)) /
         std::numeric_limits<T>::epsilon();
}

template <class T>
void check_lone_roots() {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> magnitude(-5, 5);
  double worst = 0;
  for (int trial = 0; trial < 50000; ++trial) {
    double a, b, c;
    if (trial % 2 == 0) {  // roots of any size
      a = normal(random) * std::pow(10, magnitude(random));
      b = normal(random) * std::pow(10, magnitude(random));
      c = normal(random) * std::pow(10, magnitude(random));
    } else {  // (x - u) (x - v) (x - w), u and v nearly equal, or all
      const double u = normal(random), v = u + std::pow(10, magnitude(random) - 5);
      const double w = trial % 4 == 1 ? normal(random) : u;
      a = -u - v - w;
      b = u * v + u * w + v * w;
      c = -u * v * w;
    }
    T roots[3];
    lanes<T>::cubic_roots(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c), roots);
    worst = std::max(
        worst, rounding_of_root(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c), roots[0]));
    ASSERT_LT(worst, 8) << a << " " << b << " " << c;
  }
  fmt::print("lone roots of cubics, {} bytes: at most {:.2g} roundings\n", sizeof(T), worst);
}

TEST(Roots, of_cubics_that_are_isolated_are_exact_to_rounding) {
  check_lone_roots<double>();
  check_lone_roots<float>();
}

TEST(Roots, of_cubics_with_equal_roots_end) {
  double roots[3];
  EXPECT_GE(L::cubic_roots(0, 0, 0, roots), 1);
  EXPECT_EQ(roots[0], 0);
  EXPECT_GE(L::cubic_roots(-3, 3, -1, roots), 1);  // (x - 1)^3
  EXPECT_NEAR(roots[0], 1, 1e-4);
  EXPECT_EQ(L::cubic_roots(-4, 5, -2, roots), 3);  // (x - 1)^2 (x - 2)
  EXPECT_NEAR(roots[0], 2, 1e-14);
  EXPECT_NEAR(roots[1], 1, 1e-7);
}

double epipolar_residual(const SampleBatch& batch, int i, const Matrix3& M) {
  const int m = solver_shape(batch.solver).sample_rows / 4;
  const auto at = [&](int row) {
    return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
  };
  double worst = 0;
  for (int p = 0; p < m; ++p) {
    const Eigen::Vector3d a(at(p), at(m + p), 1), b(at(2 * m + p), at(3 * m + p), 1);
    worst = std::max(worst, std::abs(b.dot(M * a)));
  }
  return worst;
}

void check_five_points(MinimalSolver solver, double failures) {
  const SampleBatch batch = make_samples(solver, 20000);
  const auto solved = solve<double>(batch);
  std::vector<double> errors;
  std::array<int, 11> histogram{};
  for (int i = 0; i < batch.n; ++i) {
    ++histogram[solved.counts[i]];
    for (int s = 0; s < solved.counts[i]; ++s) {
      const Matrix3 E = solved.matrix(i, s);
      EXPECT_NEAR(E.norm(), 1, 1e-12);
      const Matrix3 trace = 2 * E * E.transpose() * E - (E * E.transpose()).trace() * E;
      errors.push_back(std::max(epipolar_residual(batch, i, E), trace.norm()));
    }
  }
  fmt::print("five points, samples with 0, 1, ... 10 solutions: {}\n", fmt::join(histogram, " "));
  EXPECT_LE(failure_rate("residual of E", errors, 1e-6), failures);
}

TEST(Solutions, of_five_points_are_essential_and_fit_the_points) {
  check_five_points(MinimalSolver::essential_5pt, 0.01);
  check_five_points(MinimalSolver::essential_5pt_action, 0.0005);
}

TEST(Solutions, of_seven_points_have_rank_two_and_fit_the_points) {
  const SampleBatch batch = make_samples(MinimalSolver::fundamental_7pt, 20000);
  const auto solved = solve<double>(batch);
  double worst = 0;
  for (int i = 0; i < batch.n; ++i) {
    EXPECT_TRUE(solved.counts[i] == 1 || solved.counts[i] == 3);
    for (int s = 0; s < solved.counts[i]; ++s) {
      const Matrix3 F = solved.matrix(i, s);
      worst = std::max({worst, epipolar_residual(batch, i, F), std::abs(F.determinant()),
                        std::abs(F.norm() - 1)});
    }
  }
  EXPECT_LT(worst, 1e-10);
}

TEST(Solutions, of_eight_noisy_points_have_rank_two) {
  SampleBatch batch = make_samples(MinimalSolver::fundamental_8pt, 5000);
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 1e-3);
  for (double& v : batch.samples)
    v = 1000 * (v + noise(random));  // pixels: the solver normalises itself
  const auto solved = solve<double>(batch);
  for (int i = 0; i < batch.n; ++i) {
    ASSERT_EQ(solved.counts[i], 1);
    const Matrix3 F = solved.matrix(i, 0);
    const Eigen::Vector3d scale(1, 1,
                                1000);  // back to unit coordinates, where elements have equal size
    const Matrix3 G =
        (scale.asDiagonal().inverse() * F * scale.asDiagonal().inverse()).normalized();
    ASSERT_LT(std::abs(G.determinant()), 1e-12);
  }
}

TEST(Solutions, of_p3p_are_rotations_that_fit_the_points) {
  const SampleBatch batch = make_samples(MinimalSolver::p3p, 20000);
  const auto solved = solve<double>(batch);
  std::vector<double> errors;
  for (int i = 0; i < batch.n; ++i) {
    const auto at = [&](int row) {
      return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
    };
    for (int s = 0; s < solved.counts[i]; ++s) {
      const Matrix3 R = solved.matrix(i, s);
      double error = (R.transpose() * R - Matrix3::Identity()).norm();
      for (int p = 0; p < 3; ++p) {
        const Eigen::Vector3d X(at(9 + 3 * p), at(10 + 3 * p), at(11 + 3 * p));
        const Eigen::Vector3d t(solved.at(i, s, 9), solved.at(i, s, 10), solved.at(i, s, 11));
        const Eigen::Vector3d seen(at(3 * p), at(3 * p + 1), at(3 * p + 2));
        error = std::max(error, ((R * X + t).normalized() - seen).norm());
      }
      errors.push_back(error);
    }
  }
  EXPECT_LE(failure_rate("p3p: bearings and orthogonality", errors, 1e-6), 0.001);
}

}  // namespace
}  // namespace bifocal::test
