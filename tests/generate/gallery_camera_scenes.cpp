// SPDX-License-Identifier: BSD-3-Clause
// Samples of absolute pose, of a plane, and of points with depths.
#include <array>

#include "generate/gallery_scenes.hpp"

namespace bifocal::test {
namespace {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector2d, Eigen::Vector3d, Eigen::VectorXd;

MatrixXd null_space(const MatrixXd& A) {
  const MatrixXd Q = A.transpose().householderQr().householderQ();
  return Q.rightCols(A.cols() - A.rows());
}

// Coordinates of v in the columns, beside the last one.
VectorXd coordinates(const MatrixXd& N, const VectorXd& v) {
  const VectorXd c = N.transpose() * v;
  return c.head(c.size() - 1) / c[c.size() - 1];
}

void append(std::vector<double>& to, const VectorXd& v) {
  to.insert(to.end(), v.data(), v.data() + v.size());
}

// Four scene points about their mean, how they are seen, and the rows of diag(f, f, 1) R.
struct Seen {
  std::array<Eigen::Vector4d, 4> X;
  std::array<Vector2d, 4> x;
  Matrix3d P;
  Vector3d t;
};

Seen four_points(GalleryScene& scene, double f, double k) {
  std::array<Vector3d, 4> points;
  Vector3d mean = Vector3d::Zero();
  for (Vector3d& X : points) mean += (X = scene.point()) / 4;
  const Vector3d K(f, f, 1);
  Seen seen{{}, {}, K.asDiagonal() * scene.R, K.asDiagonal() * scene.in_camera2(mean)};
  for (std::size_t i = 0; i < 4; ++i) {
    seen.X[i] = (points[i] - mean).homogeneous();
    seen.x[i] = GalleryScene::seen(scene.in_camera2(points[i]), f, k);
  }
  return seen;
}

}  // namespace

GallerySample four_point_focal_p35_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const Seen seen = four_points(scene, scene.uniform(0.7, 4), 0);
  MatrixXd A = MatrixXd::Zero(7, 12);  // rows of P, then t
  for (int e = 0; e < 7; ++e) {
    const std::size_t i = static_cast<std::size_t>(e / 2);
    const Vector3d X = seen.X[i].head<3>();
    A.row(e).segment<3>(e % 2 * 3) = X;
    A.row(e).segment<3>(6) = -seen.x[i][e % 2] * X;
    A(e, 9 + e % 2) = 1;
    A(e, 11) = -seen.x[i][e % 2];
  }
  VectorXd truth(12);
  truth << seen.P.row(0).transpose(), seen.P.row(1).transpose(), seen.P.row(2).transpose(), seen.t;
  const MatrixXd N = null_space(A);
  GallerySample sample;
  for (int k = 0; k < 5; ++k) append(sample.data, N.col(k).head(9));
  append(sample.truth, coordinates(N, truth));
  return sample;
}

GallerySample four_point_focal_radial_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double f = scene.uniform(0.7, 4), k = scene.uniform(-0.4, 0) / (f * f);
  const Seen seen = four_points(scene, f, k);
  MatrixXd A(4, 8), M(4, 4), G(4, 4);  // rows a and t1, b and t2
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector4d& X = seen.X[static_cast<std::size_t>(i)];
    const Vector2d& x = seen.x[static_cast<std::size_t>(i)];
    A.row(i) << x[1] * X.transpose(), -x[0] * X.transpose();
    M.row(i) = x.squaredNorm() * X.transpose();
  }
  const MatrixXd N = null_space(A);
  // |x|^2 (c X + t3) = (1 + k |x|^2) (u (a X + t1) + v (b X + t2)).
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector4d& X = seen.X[static_cast<std::size_t>(i)];
    const Vector2d& x = seen.x[static_cast<std::size_t>(i)];
    G.row(i) = x[0] * X.transpose() * N.topRows(4) + x[1] * X.transpose() * N.bottomRows(4);
  }
  const MatrixXd C = M.partialPivLu().solve(G);
  for (int i = 0; i < 4; ++i) G.row(i) *= seen.x[static_cast<std::size_t>(i)].squaredNorm();
  const MatrixXd K = M.partialPivLu().solve(G);
  GallerySample sample;
  for (int j = 0; j < 4; ++j) {
    append(sample.data, N.col(j).head(3));
    append(sample.data, N.col(j).segment(4, 3));
    append(sample.data, C.col(j).head(3));
  }
  for (int j = 0; j < 4; ++j) append(sample.data, K.col(j).head(3));
  VectorXd truth(8);
  truth << seen.P.row(0).transpose(), seen.t[0], seen.P.row(1).transpose(), seen.t[1];
  append(sample.truth, coordinates(N, truth));
  sample.truth.push_back(k);
  return sample;
}

GallerySample homography_shared_radial_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double k = scene.uniform(-0.4, 0);
  Vector3d plane;  // of the points X with plane . X = 1
  do {
    plane = Vector3d(scene.uniform(-1, 1), scene.uniform(-1, 1), 1) / scene.uniform(4, 12);
  } while (-plane.dot(scene.R.transpose() * scene.t) > 0.9);
  std::array<Vector2d, 5> x, y;
  for (std::size_t i = 0; i < 5; ++i) {
    Vector3d X;
    do {
      X = Vector3d(scene.uniform(-0.5, 0.5), scene.uniform(-0.5, 0.5), 1);
      X /= plane.dot(X);
    } while (X[2] < 1 || scene.in_camera2(X)[2] < 1);
    x[i] = GalleryScene::seen(X, 1, k);
    y[i] = GalleryScene::seen(scene.in_camera2(X), 1, k);
  }
  MatrixXd A(5, 8);  // H11, H12, H21, H22, k H13; H13, H23, k H23
  for (int i = 0; i < 5; ++i) {
    const Vector2d p = x[static_cast<std::size_t>(i)], q = y[static_cast<std::size_t>(i)];
    const double r = p.squaredNorm();
    A.row(i) << -q[1] * p[0], -q[1] * p[1], q[0] * p[0], q[0] * p[1], -q[1] * r, -q[1], q[0],
        q[0] * r;
  }
  const MatrixXd S = -A.leftCols(5).partialPivLu().solve(A.rightCols(3));  // times (x, 1, k)
  const Eigen::RowVector3d d = S.row(4);
  MatrixXd M(4, 4), G(4, 4);
  for (int i = 0; i < 4; ++i) {
    const Vector2d p = x[static_cast<std::size_t>(i)], q = y[static_cast<std::size_t>(i)];
    const double r = p.squaredNorm(), s = q.squaredNorm();
    const Eigen::RowVector3d h1 =
        p[0] * S.row(0) + p[1] * S.row(1) + Eigen::RowVector3d(1, 0, 0) + r * d;
    const Eigen::RowVector3d h2 = p[0] * S.row(2) + p[1] * S.row(3) + Eigen::RowVector3d(0, 1, r);
    const Eigen::RowVector3d g = q[0] * h1 + q[1] * h2;
    G.row(i) << g + s * (g[0] * d + Eigen::RowVector3d(0, 0, g[1])), s * g[2];
    M.row(i) << s * p[0], s * p[1], s, s * r;
  }
  const MatrixXd W = M.partialPivLu().solve(G);
  const Matrix3d H = scene.R + scene.t * plane.transpose();
  GallerySample sample{{}, {H(0, 2) / H(1, 2), k}};
  append(sample.data, d.transpose());
  append(sample.data, W.row(2).transpose());
  append(sample.data, W.row(3).transpose());
  return sample;
}

GallerySample three_point_monodepth_sample(std::mt19937_64& random) {
  GalleryScene scene(random);
  const double f = scene.uniform(0.7, 4), s = scene.uniform(0.5, 2), u = scene.uniform(-1, 1);
  std::array<Vector2d, 3> x, y;
  std::array<double, 3> a{}, b{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d X = scene.point(), Y = scene.in_camera2(X);
    x[i] = GalleryScene::seen(X, f, 0);
    y[i] = GalleryScene::seen(Y, f, 0);
    a[i] = X[2];
    b[i] = Y[2] / s - u;
  }
  Eigen::Matrix<double, 3, 6> columns;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const Vector2d p = b[i] * y[i] - b[j] * y[j], q = y[i] - y[j];
    columns.row(static_cast<Eigen::Index>(i)) << (a[i] * x[i] - a[j] * x[j]).squaredNorm(),
        (a[i] - a[j]) * (a[i] - a[j]), p.squaredNorm(), 2 * p.dot(q), q.squaredNorm(),
        (b[i] - b[j]) * (b[i] - b[j]);
  }
  return {{columns.data(), columns.data() + 18}, {1 / (f * f), s * s, u}};
}

}  // namespace bifocal::test
