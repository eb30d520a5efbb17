// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bifocal/geometry.hpp>
#include <bifocal/robust.hpp>
#include <cmath>
#include <random>

namespace bifocal {
namespace {

Mat3 random_matrix(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Mat3 m;
  for (double& v : m) v = normal(random);
  return m;
}
Vec3 random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}
template <class Numbers>
void expect_near(const Numbers& a, const Numbers& b, double error) {
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], error) << i;
}
constexpr Mat3 kOne = {1, 0, 0, 0, 1, 0, 0, 0, 1};

TEST(Geometry, products_equal_plain_sums) {
  const Mat3 a = {1, 2, 3, 4, 5, 6, 7, 8, 9}, b = {1, 0, 2, -1, 3, 0, 0, 1, 1};
  EXPECT_EQ(times(a, b), (Mat3{-1, 9, 5, -1, 21, 14, -1, 33, 23}));
  EXPECT_EQ(times(a, Vec3{1, -1, 2}), (Vec3{5, 11, 17}));
  EXPECT_EQ(transposed(a), (Mat3{1, 4, 7, 2, 5, 8, 3, 6, 9}));
  EXPECT_EQ(determinant(b), 1);
  EXPECT_EQ(cross({1, 2, 3}, {-2, 0, 1}), (Vec3{2, -7, 4}));
  EXPECT_EQ(times(cross_matrix({1, 2, 3}), Vec3{-2, 0, 1}), (Vec3{2, -7, 4}));
}

TEST(Geometry, inverses_of_random_matrices_multiply_to_one) {
  std::mt19937 random(1);
  for (int k = 0; k < 100; ++k) {
    const Mat3 m = random_matrix(random);
    const double size = std::abs(1 / determinant(m));
    expect_near(times(inverse(m), m), kOne, 1e-13 * (1 + size));
    Mat3 scaled = kOne;
    for (double& v : scaled) v *= determinant(m);
    expect_near(times(adjugate(m), m), scaled, 1e-13);
    const Vec3 u = unit(random_vector(random));
    EXPECT_NEAR(norm(u), 1, 1e-15);
    EXPECT_NEAR(dot(u, cross(u, random_vector(random))), 0, 1e-15);
  }
}

// A matrix of rank 2 has the adjugate e1 e2' of its null vectors, and no inverse.
TEST(Geometry, singular_matrices_have_an_adjugate_and_no_inverse) {
  const Mat3 E = cross_matrix({1, 2, 3});
  expect_near(adjugate(E), Mat3{1, 2, 3, 2, 4, 6, 3, 6, 9}, 1e-15);
  for (const double v : inverse(Mat3{})) EXPECT_FALSE(std::isfinite(v));
  for (const double v : unit(Vec3{})) EXPECT_TRUE(std::isnan(v));
}

TEST(Geometry, essential_from_fundamental_inverts_fundamental_from_essential) {
  std::mt19937 random(2);
  const Intrinsics one = {900, 910, 500, 300}, two = {1300, 1290, 640, 480};
  for (int k = 0; k < 20; ++k) {
    const Mat3 E = random_matrix(random);
    expect_near(essential_from_fundamental(fundamental_from_essential(E, one, two), one, two), E,
                1e-12);
  }
}

}  // namespace
}  // namespace bifocal
