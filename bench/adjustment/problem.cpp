// SPDX-License-Identifier: BSD-3-Clause
#include "adjustment/problem.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <fmt/format.h>

#include <bifocal/error.hpp>

#include "adjustment/tracks.hpp"
#include "runtime/integers.hpp"
#include "synthetic/random.hpp"

namespace bifocal::bench {
namespace {

constexpr int kLongestTrack = 500;

class Maker {
 public:
  Maker(const AdjustShape& shape, const AdjustMaking& making)
      : shape_(shape),
        making_(making),
        dice_(making.seed),
        surroundings_(shape, dice_),
        lengths_(static_cast<double>(shape.observations) / shape.points,
                 std::clamp(shape.cameras / 2, std::min(shape.cameras, 5), kLongestTrack)) {}

  MadeProblem run() {
    made_.start.points.reserve(at(shape_.points));
    made_.start.observations.reserve(static_cast<std::size_t>(shape_.observations));
    for (int p = 0; p < shape_.points; ++p) add_point(p);
    made_.images = surroundings_.images();
    made_.cameras = surroundings_.cameras();
    add_missing();
    drop_surplus();
    displace_some();
    disturb();
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::int64_t missing() const {
    return shape_.observations - static_cast<std::int64_t>(made_.start.observations.size());
  }

  // Keeps the number of observations near its final value.
  [[nodiscard]] int correction(int points) const {
    const double owed = static_cast<double>(shape_.observations) * points / shape_.points -
                        static_cast<double>(made_.start.observations.size());
    const double slack = 20 + 0.002 * static_cast<double>(shape_.observations);
    return owed > slack ? 1 : owed < -slack ? -1 : 0;
  }

  // Neighbouring points belong to neighbouring cameras, as in incremental mapping.
  void add_point(int index) {
    constexpr int kTries = 40;
    const int first =
        static_cast<int>(static_cast<std::int64_t>(index) * shape_.cameras / shape_.points);
    const int wanted = std::max(2, lengths_.draw(dice_) + correction(index));
    for (int other = 0; other < shape_.cameras; ++other) {
      const int camera = (first + other) % shape_.cameras;
      for (int attempt = 0; attempt < kTries; ++attempt) {
        const SurfacePoint point = surroundings_.point_near(camera, dice_);
        std::vector<Sighting>& track = track_;
        track.resize(1);
        track[0].camera = camera;
        if (!surroundings_.sees(camera, point, &track[0].x)) continue;
        extend_track(surroundings_, point, at(wanted), dice_, track);
        if (track.size() < 2) continue;
        made_.points.push_back(point.position);
        places_.push_back(point);
        starts_.push_back(made_.start.observations.size());
        for (const Sighting& sighting : track) observe(index, sighting);
        return;
      }
    }
    throw Error(ErrorCode::usage,
                fmt::format("{}: no two cameras see a point in common", shape_.name));
  }

  // Lengthens tracks, from the first point on, until the number of observations is reached.
  void add_missing() {
    starts_.push_back(made_.start.observations.size());
    for (int p = 0; p < shape_.points && missing() > 0; ++p) {
      track_.clear();
      for (std::size_t i = starts_[at(p)]; i < starts_[at(p) + 1]; ++i)
        track_.push_back({made_.start.observations[i].image, 0, 0});
      const std::size_t before = track_.size();
      const auto most = static_cast<std::int64_t>(std::max<std::size_t>(1, before / 2));
      extend_track(surroundings_, places_[at(p)],
                   before + static_cast<std::size_t>(std::min(missing(), most)), dice_, track_);
      for (std::size_t i = before; i < track_.size(); ++i) observe(p, track_[i]);
    }
    if (missing() > 0)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: {} observations could not be placed", shape_.name, missing()));
  }

  // Shortens the tracks of the last points that have more than 2 observations.
  void drop_surplus() {
    std::vector<AdjustObservation>& all = made_.start.observations;
    std::int64_t surplus = -missing();
    std::vector<bool> dropped(all.size(), false);
    for (int p = shape_.points - 1; p >= 0 && surplus > 0; --p) {
      const std::size_t length = starts_[at(p) + 1] - starts_[at(p)];
      for (std::size_t k = length; k > 2 && k + 1 > length && surplus > 0; --k, --surplus)
        dropped[starts_[at(p)] + k - 1] = true;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!dropped[i]) all[kept++] = all[i];
    all.resize(kept);
  }

  void observe(int point, const Sighting& sighting) {
    const double x = sighting.x + making_.noise * dice_.normal();
    const double y = sighting.y + making_.noise * dice_.normal();
    made_.start.observations.push_back({sighting.camera, point, x, y});
  }

  // Points with 2 observations keep theirs: a displaced one often leaves no point in front of both
  // cameras, and mappers do not keep such tracks.
  void displace_some() {
    if (making_.wrong <= 0) return;
    std::vector<AdjustObservation>& all = made_.start.observations;
    std::vector<int> lengths(at(shape_.points));
    for (const AdjustObservation& o : all) ++lengths[at(o.point)];
    const auto long_ones = std::ranges::count_if(
        all, [&](const AdjustObservation& o) { return lengths[at(o.point)] > 2; });
    const double share =
        making_.wrong * static_cast<double>(all.size()) / static_cast<double>(long_ones);
    for (AdjustObservation& observation : all) {
      if (lengths[at(observation.point)] == 2 || dice_.uniform() >= share) continue;
      const double size = 5 * std::pow(10, dice_.uniform());
      const double direction = dice_.uniform(0, 2 * std::numbers::pi);
      observation.x += size * std::cos(direction), observation.y += size * std::sin(direction);
      ++made_.wrong;
    }
  }

  // Cameras keep their image of the neighbourhood: they turn and move with the map.
  void bend() {
    if (making_.drift == 0) return;
    double radius = 0;
    std::vector<Vec3> centres;
    for (const AdjustImage& image : made_.start.images) {
      const Pose& pose = image.cam_from_world;
      const Vec3 C = times(transposed(pose.R), pose.t);
      centres.push_back({-C[0], -C[1], -C[2]});
      radius = std::max(radius, std::hypot(C[0], C[1]));
    }
    using Complex = std::complex<double>;
    const auto moved = [&](const Vec3& X) {
      const Complex z(X[0], X[1]), to = z + making_.drift * z * z / radius;
      const Complex slope = 1.0 + 2 * making_.drift * z / radius;
      return std::pair{Vec3{to.real(), to.imag(), X[2] * std::abs(slope)}, std::arg(slope)};
    };
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const auto [C, angle] = moved(centres[i]);
      Pose& pose = made_.start.images[i].cam_from_world;
      pose.R = times(pose.R, synthetic::rotation_about({0, 0, 1}, -angle));
      const Vec3 t = times(pose.R, C);
      pose.t = {-t[0], -t[1], -t[2]};
    }
    for (Vec3& point : made_.start.points) point = moved(point).first;
  }

  void disturb() {
    AdjustProblem& start = made_.start;
    start.cameras = made_.cameras, start.images = made_.images, start.points = made_.points;
    bend();
    const double position = making_.disturbed * surroundings_.position_error();
    for (AdjustImage& image : start.images) {
      Pose& pose = image.cam_from_world;
      const Vec3 w = dice_.normal3(making_.disturbed * 0.2 * std::numbers::pi / 180);
      const Vec3 shift = dice_.normal3(position);
      // x -> R (x - C): the centre moves by `shift`.
      const Vec3 moved = times(pose.R, shift);
      for (std::size_t k = 0; k < 3; ++k) pose.t[k] -= moved[k];
      if (norm(w) == 0) continue;
      const Mat3 rotation = synthetic::rotation_about(unit(w), norm(w));
      pose.R = times(rotation, pose.R), pose.t = times(rotation, pose.t);
    }
    for (Vec3& point : start.points) {
      const Vec3 shift = dice_.normal3(position);
      for (std::size_t k = 0; k < 3; ++k) point[k] += shift[k];
    }
    for (AdjustCamera& camera : start.cameras) {
      camera.params[0] *= 1 + making_.disturbed * std::clamp(0.01 * dice_.normal(), -0.03, 0.03);
      camera.params[3] += making_.disturbed * 0.005 * dice_.normal();
      camera.params[4] += making_.disturbed * 0.002 * dice_.normal();
    }
  }

  const AdjustShape shape_;
  const AdjustMaking making_;
  Dice dice_;
  const Surroundings surroundings_;
  const TrackLengths lengths_;
  std::vector<Sighting> track_;
  std::vector<SurfacePoint> places_;
  std::vector<std::size_t> starts_;  // first observation of each point
  MadeProblem made_;
};

}  // namespace

double MadeProblem::noise_floor(const AdjustMaking& making) const {
  const double redundancy = 2.0 * static_cast<double>(start.observations.size()) -
                            3.0 * static_cast<double>(points.size()) -
                            9.0 * static_cast<double>(images.size()) + 7;
  return making.noise * making.noise * redundancy / 2;
}

MadeProblem make_adjust_problem(const AdjustShape& shape, const AdjustMaking& making) {
  return Maker(shape, making).run();
}

}  // namespace bifocal::bench
