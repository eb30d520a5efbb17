// SPDX-License-Identifier: BSD-3-Clause
#include "poselib_solvers.hpp"

#include <PoseLib/misc/essential.h>
#include <PoseLib/solvers/homography_4pt.h>
#include <PoseLib/solvers/p35pf.h>
#include <PoseLib/solvers/p3p.h>
#include <PoseLib/solvers/relpose_5pt.h>
#include <PoseLib/solvers/relpose_6pt_focal.h>
#include <PoseLib/solvers/relpose_7pt.h>
#include <PoseLib/solvers/relpose_kFk_9pt.h>
#include <PoseLib/solvers/relpose_monodepth_3pt_shared_focal.h>
#include <PoseLib/solvers/relpose_upright_3pt.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace bifocal::bench {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// Samples as rows of n numbers.
struct Rows {
  const double* samples;
  int n;
  double operator()(int row, int i) const { return samples[static_cast<std::size_t>(row) * n + i]; }
};

void put_matrix(const Matrix3d& M, double* rows) {
  for (int k = 0; k < 9; ++k) rows[k] = M(k / 3, k % 3);
}

void put_pose(const poselib::CameraPose& pose, double* rows) {
  put_matrix(pose.R(), rows);
  for (int k = 0; k < 3; ++k) rows[9 + k] = pose.t[k];
}

Matrix3d essential_of(const poselib::CameraPose& pose) {
  Matrix3d E;
  poselib::essential_from_motion(pose, &E);
  return E;
}

// A solver has a sample of type Data and its solutions of type Models. Traits: make(rows, i) ->
// Data, run(data, models), size(models), put(models, s, rows).
template <class Traits>
class Solver final : public PoseLibSolver {
 public:
  explicit Solver(const Rows& rows) : models_(static_cast<std::size_t>(rows.n)) {
    for (int i = 0; i < rows.n; ++i) data_.push_back(Traits::make(rows, i));
  }
  void solve(int begin, int end) override {
    for (int i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      Traits::run(data_[at], models_[at]);
    }
  }
  [[nodiscard]] int count(int i) const override {
    return Traits::size(models_[static_cast<std::size_t>(i)]);
  }
  void solution(int i, int s, double* rows) const override {
    Traits::put(models_[static_cast<std::size_t>(i)], static_cast<std::size_t>(s), rows);
  }

 private:
  std::vector<typename Traits::Data> data_;
  std::vector<typename Traits::Models> models_;
};

// Correspondences of M points as (x, y, 1), optionally normalised to unit length, as PoseLib's
// estimators pass them.
template <int M, bool kUnit>
struct TwoView {
  struct Data {
    std::vector<Vector3d> x1, x2;
  };
  static Data make(const Rows& rows, int i) {
    Data d;
    for (int p = 0; p < M; ++p) {
      d.x1.emplace_back(rows(p, i), rows(M + p, i), 1);
      d.x2.emplace_back(rows(2 * M + p, i), rows(3 * M + p, i), 1);
      if (kUnit) d.x1.back().normalize(), d.x2.back().normalize();
    }
    return d;
  }
  static int size(const auto& models) { return static_cast<int>(models.size()); }
};

struct Homography : TwoView<4, true> {
  struct Models {
    Matrix3d H;
    int count = 0;
  };
  static void run(const Data& d, Models& m) { m.count = poselib::homography_4pt(d.x1, d.x2, &m.H); }
  static int size(const Models& m) { return m.count; }
  static void put(const Models& m, std::size_t, double* rows) { put_matrix(m.H, rows); }
};

struct Fundamental7 : TwoView<7, true> {
  using Models = std::vector<Matrix3d>;
  static void run(const Data& d, Models& m) { m.clear(), poselib::relpose_7pt(d.x1, d.x2, &m); }
  static void put(const Models& m, std::size_t s, double* rows) { put_matrix(m[s], rows); }
};

struct Essential5 : TwoView<5, true> {
  using Models = std::vector<Matrix3d>;
  static void run(const Data& d, Models& m) { m.clear(), poselib::relpose_5pt(d.x1, d.x2, &m); }
  static void put(const Models& m, std::size_t s, double* rows) { put_matrix(m[s], rows); }
};

struct Upright3 : TwoView<3, true> {
  using Models = std::vector<poselib::CameraPose>;
  static void run(const Data& d, Models& m) { poselib::relpose_upright_3pt(d.x1, d.x2, &m); }
  static void put(const Models& m, std::size_t s, double* rows) {
    put_matrix(essential_of(m[s]), rows);
  }
};

struct SharedFocal6 : TwoView<6, true> {
  using Models = poselib::ImagePairVector;
  static void run(const Data& d, Models& m) { poselib::relpose_6pt_shared_focal(d.x1, d.x2, &m); }
  static void put(const Models& m, std::size_t s, double* rows) {
    const double f = m[s].camera1.params[0];
    const Vector3d K(1, 1, f);  // f K^-1
    put_matrix(K.asDiagonal() * essential_of(m[s].pose) * K.asDiagonal(), rows);
    rows[9] = f;
  }
};

struct SharedRadial9 : TwoView<9, false> {
  using Models = std::vector<poselib::ProjectiveImagePair>;
  static void run(const Data& d, Models& m) { m.clear(), poselib::relpose_kFk_9pt(d.x1, d.x2, &m); }
  static void put(const Models& m, std::size_t s, double* rows) {
    put_matrix(m[s].F, rows);
    rows[9] = m[s].camera1.params[4];
  }
};

// PoseLib's problem has no shift and leaves the third depth of image 2 open; the caller's samples
// have no shift.
struct MonoDepth3 : TwoView<3, false> {
  struct Data : TwoView::Data {
    std::vector<double> d1, d2;
  };
  using Models = std::vector<poselib::MonoDepthImagePair>;
  static Data make(const Rows& rows, int i) {
    Data d{TwoView::make(rows, i), {}, {}};
    for (int p = 0; p < 3; ++p) {
      d.d1.push_back(rows(12 + p, i));
      d.d2.push_back(rows(15 + p, i));
    }
    return d;
  }
  static void run(const Data& d, Models& m) {
    poselib::relpose_monodepth_3pt_shared_focal(d.x1, d.x2, d.d1, d.d2, &m);
  }
  static void put(const Models& m, std::size_t s, double* rows) {
    put_pose(m[s].geometry.pose, rows);
    rows[12] = m[s].camera1.params[0];
    rows[13] = m[s].geometry.scale;
    rows[14] = m[s].geometry.shift2;
  }
};

struct P3P {
  struct Data {
    std::vector<Vector3d> x, X;
  };
  using Models = std::vector<poselib::CameraPose>;
  static Data make(const Rows& rows, int i) {
    Data d;
    for (int r = 0; r < 9; r += 3) {
      d.x.emplace_back(rows(r, i), rows(r + 1, i), rows(r + 2, i));
      d.X.emplace_back(rows(9 + r, i), rows(10 + r, i), rows(11 + r, i));
    }
    return d;
  }
  static void run(const Data& d, Models& m) { poselib::p3p(d.x, d.X, &m); }
  static int size(const Models& m) { return static_cast<int>(m.size()); }
  static void put(const Models& m, std::size_t s, double* rows) { put_pose(m[s], rows); }
};

struct P35PFocal {
  struct Data {
    std::vector<Vector2d> x;
    std::vector<Vector3d> X;
  };
  struct Models {
    std::vector<poselib::CameraPose> poses;
    std::vector<double> focals;
  };
  static Data make(const Rows& rows, int i) {
    Data d;
    for (int p = 0; p < 4; ++p) {
      d.x.emplace_back(rows(p, i), rows(4 + p, i));
      d.X.emplace_back(rows(8 + 3 * p, i), rows(9 + 3 * p, i), rows(10 + 3 * p, i));
    }
    return d;
  }
  static void run(const Data& d, Models& m) {
    m.poses.clear(), m.focals.clear();
    poselib::p35pf(d.x, d.X, &m.poses, &m.focals);
  }
  static int size(const Models& m) { return static_cast<int>(m.poses.size()); }
  static void put(const Models& m, std::size_t s, double* rows) {
    put_pose(m.poses[s], rows);
    rows[12] = m.focals[s];
  }
};

template <class Traits>
PoseLibSolver* make(const Rows& rows) {
  return new Solver<Traits>(rows);
}

struct Entry {
  const char* name;
  PoseLibSolver* (*make)(const Rows&);
};
constexpr Entry kEntries[] = {
    {"homography_4pt", make<Homography>},
    {"fundamental_7pt", make<Fundamental7>},
    {"essential_5pt", make<Essential5>},
    {"essential_5pt_action", make<Essential5>},
    {"p3p", make<P3P>},
    {"essential_upright_3pt", make<Upright3>},
    {"relative_pose_6pt_shared_focal", make<SharedFocal6>},
    {"fundamental_9pt_shared_radial", make<SharedRadial9>},
    {"p35p_focal", make<P35PFocal>},
    {"relative_pose_3pt_monodepth_shared_focal", make<MonoDepth3>},
};

}  // namespace

PoseLibSolver* poselib_solver(const char* name, const double* samples, int n) {
  for (const Entry& entry : kEntries) {
    if (std::strcmp(entry.name, name) == 0) return entry.make({samples, n});
  }
  return nullptr;
}

const char* poselib_build() { return BIFOCAL_PEER_FLAGS; }

}  // namespace bifocal::bench
