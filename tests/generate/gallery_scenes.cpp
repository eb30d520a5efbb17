// SPDX-License-Identifier: BSD-3-Clause
#include "generate/gallery_scenes.hpp"

namespace bifocal::test {
namespace {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector2d, Eigen::Vector3d, Eigen::VectorXd;
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

VectorXd elements(const Matrix3d& M) {
  const RowMatrix3 rows = M;
  return Eigen::Map<const VectorXd>(rows.data(), 9);
}

// The equation y' E x = 0 of the elements of E.
Eigen::RowVectorXd epipolar(const Vector3d& x, const Vector3d& y) {
  return elements(y * x.transpose()).transpose();
}

// An orthonormal basis of the null space of A, a vector a column, turned at random.
MatrixXd null_space(const MatrixXd& A, std::mt19937_64& random) {
  const MatrixXd Q = A.transpose().householderQr().householderQ();
  const Eigen::Index n = A.cols() - A.rows();
  std::normal_distribution<double> normal;
  const MatrixXd turn =
      MatrixXd::NullaryExpr(n, n, [&] { return normal(random); }).householderQr().householderQ();
  return Q.rightCols(n) * turn;
}

void append(std::vector<double>& to, const VectorXd& v) {
  to.insert(to.end(), v.data(), v.data() + v.size());
}

// The columns one after the other, each a matrix of the problem's data.
std::vector<double> by_columns(const MatrixXd& N) { return {N.data(), N.data() + N.size()}; }

// The data N and the coordinates of v in it beside that of the last column.
GallerySample in_basis(const MatrixXd& N, const VectorXd& v) {
  const VectorXd c = N.transpose() * v;
  GallerySample sample{by_columns(N), {}};
  append(sample.truth, c.head(c.size() - 1) / c[c.size() - 1]);
  return sample;
}

// Solves the rows of A for the first unknowns: they are minus the result times the others.
MatrixXd solved(const MatrixXd& A) {
  return -A.leftCols(A.rows()).partialPivLu().solve(A.rightCols(A.cols() - A.rows()));
}

}  // namespace

GalleryScene::GalleryScene(std::mt19937_64& r, bool upright) : random(&r) {
  std::normal_distribution<double> normal;
  const auto direction = [&] { return Vector3d(normal(r), normal(r), normal(r)).normalized(); };
  angle = uniform(0, EIGEN_PI / 6);
  axis = direction();
  if (upright) axis = Vector3d::UnitY();
  R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  t = uniform(0.5, 1.5) * direction();
}

Vector3d GalleryScene::point() {
  for (;;) {
    const double z = uniform(4, 12);
    const Vector3d X(uniform(-0.5, 0.5) * z, uniform(-0.5, 0.5) * z, z);
    if (in_camera2(X)[2] > 1) return X;
  }
}

Vector2d GalleryScene::seen(const Vector3d& X, double f, double k) {
  // s (u, v) of the undistorted point (u, v) is as far out as s = (1 + k s^2 r^2).
  const Vector2d x = f * X.head<2>() / X[2];
  const double p = k * x.squaredNorm();
  return x * (2 / (1 + std::sqrt(1 - 4 * p)));
}

Matrix3d GalleryScene::essential() const {
  Matrix3d cross;
  cross << 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0;
  return (cross * R).normalized();
}

GallerySample five_point_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  MatrixXd A(5, 9);
  for (int i = 0; i < 5; ++i) {
    const Vector3d X = scene.point(), Y = scene.in_camera2(X);
    A.row(i) = epipolar(X / X[2], Y / Y[2]);
  }
  return in_basis(null_space(A, random), elements(scene.essential()));
}

GallerySample six_point_one_sided_focal_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double f = scene.uniform(0.7, 4);
  MatrixXd A(6, 9);
  for (int i = 0; i < 6; ++i) {
    const Vector3d X = scene.point(), Y = scene.in_camera2(X);
    A.row(i) = epipolar(GalleryScene::seen(X, f, 0).homogeneous(), Y / Y[2]);
  }
  const Matrix3d F = scene.essential() * Vector3d(1 / f, 1 / f, 1).asDiagonal();
  GallerySample sample = in_basis(null_space(A, random), elements(F));
  sample.truth.push_back(1 / (f * f));
  return sample;
}

GallerySample six_point_shared_focal_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double f = scene.uniform(0.7, 4);
  MatrixXd A(6, 9);
  for (int i = 0; i < 6; ++i) {
    const Vector3d X = scene.point(), Y = scene.in_camera2(X);
    A.row(i) = epipolar(GalleryScene::seen(X, f, 0).homogeneous(),
                        GalleryScene::seen(Y, f, 0).homogeneous());
  }
  const Vector3d K(1 / f, 1 / f, 1);
  const Matrix3d F = K.asDiagonal() * scene.essential() * K.asDiagonal();
  return {by_columns(solved(A)), {F(2, 0) / F(2, 2), F(2, 1) / F(2, 2), 1 / (f * f)}};
}

GallerySample six_point_one_sided_radial_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double k = scene.uniform(-0.4, 0);
  MatrixXd A(6, 12);  // the first two columns of E, the last one, k times it
  for (int i = 0; i < 6; ++i) {
    const Vector3d X = scene.point(), Y = scene.in_camera2(X), y = Y / Y[2];
    const Vector2d x = GalleryScene::seen(X, 1, k);
    for (int r = 0; r < 3; ++r) A.row(i).segment<2>(2 * r) = y[r] * x;
    A.row(i).segment<3>(6) = y;
    A.row(i).segment<3>(9) = x.squaredNorm() * y;
  }
  const Matrix3d E = scene.essential();
  return {by_columns(solved(A)), {E(0, 2) / E(2, 2), E(1, 2) / E(2, 2), k}};
}

GallerySample eight_point_one_sided_radial_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double k = scene.uniform(-0.4, 0);
  MatrixXd A(8, 12);  // the first two columns of F, F23, k F23, F13, k F13, F33, k F33
  for (int i = 0; i < 8; ++i) {
    const Vector3d X = scene.point(), Y = scene.in_camera2(X), y = Y / Y[2];
    const Vector2d x = GalleryScene::seen(X, 1, k);
    for (int r = 0; r < 3; ++r) A.row(i).segment<2>(2 * r) = y[r] * x;
    const double q = x.squaredNorm();
    A.row(i).tail<6>() << y[1], q * y[1], y[0], q * y[0], y[2], q * y[2];
  }
  const Matrix3d F = scene.essential();
  const MatrixXd S = solved(A);
  GallerySample sample{by_columns(S.topRows(6)), {F(0, 2) / F(2, 2), k}};
  append(sample.data, S.row(6).transpose());
  append(sample.data, S.row(7).transpose());
  return sample;
}

GallerySample nine_point_shared_radial_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double k = scene.uniform(-0.4, 0);
  // F11, F12, F21, F22, k F13, k F23, k F31, k F32, k^2 F33; F13, F23, F31, F32, F33, k F33.
  MatrixXd A(9, 15);
  for (int i = 0; i < 9; ++i) {
    const Vector3d X = scene.point();
    const Vector2d x = GalleryScene::seen(X, 1, k);
    const Vector2d y = GalleryScene::seen(scene.in_camera2(X), 1, k);
    const double q = x.squaredNorm(), p = y.squaredNorm();
    A.row(i) << y[0] * x[0], y[0] * x[1], y[1] * x[0], y[1] * x[1], q * y[0], q * y[1], p * x[0],
        p * x[1], p * q, y[0], y[1], x[0], x[1], 1, p + q;
  }
  const Matrix3d F = scene.essential() / scene.essential()(2, 2);
  GallerySample sample{{}, {F(0, 2), F(1, 2), F(2, 0), F(2, 1), k}};
  const Eigen::Matrix<double, 5, 6, Eigen::RowMajor> D = solved(A).bottomRows(5);
  sample.data.assign(D.data(), D.data() + D.size());
  return sample;
}

GallerySample three_point_upright_sample(std::mt19937_64& random) {
  GalleryScene scene(random, true);
  MatrixXd A(3, 6);
  for (int i = 0; i < 3; ++i) {
    const Vector3d X = scene.point(), Y = scene.in_camera2(X), x = X / X[2], y = Y / Y[2];
    A.row(i) << y[0] * x[0] + y[2] * x[2], y[0] * x[1], y[0] * x[2] - y[2] * x[0], y[1] * x[0],
        y[1] * x[2], y[2] * x[1];
  }
  const Matrix3d E = scene.essential();
  const VectorXd e =
      (VectorXd(6) << E(0, 0), E(0, 1), E(0, 2), E(1, 0), E(1, 2), E(2, 1)).finished();
  return in_basis(null_space(A, random), e);
}

GallerySample four_point_known_angle_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  Vector3d a[4], b[4];
  for (int i = 0; i < 4; ++i) {
    a[i] = scene.point();
    b[i] = scene.in_camera2(a[i]).normalized();
    a[i].normalize();
  }
  const double tangent = std::tan(scene.angle / 2);
  GallerySample sample;
  for (const auto* v : {a, b}) {
    for (int i = 0; i < 3; ++i) append(sample.data, v[i]);
    for (const auto& [i, j] : {std::pair(0, 2), {0, 3}, {1, 2}, {1, 3}, {2, 3}})
      append(sample.data, v[i].cross(v[j]));
  }
  sample.data.push_back(tangent * tangent);
  append(sample.truth, tangent * scene.axis);
  return sample;
}

}  // namespace bifocal::test
