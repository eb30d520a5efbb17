// SPDX-License-Identifier: BSD-3-Clause
#include "adjustment/tracks.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::bench {
namespace {

const double kLargestCosine = std::cos(2 * std::numbers::pi / 180);

std::vector<double> cumulative_of(double exponent, int longest) {
  std::vector<double> sums;
  double sum = 0;
  for (int n = 2; n <= longest; ++n) sums.push_back(sum += std::pow(n - 0.5, -exponent));
  for (double& s : sums) s /= sum;
  return sums;
}

double mean_of(const std::vector<double>& cumulative) {
  double mean = 2;
  for (const double c : cumulative) mean += 1 - c;
  return mean;
}

// Adds the camera if it sees the point and is not in the track.
bool add_camera(const Surroundings& surroundings, const SurfacePoint& point, int camera,
                std::vector<Sighting>& track) {
  double xy[2];
  for (const Sighting& sighting : track)
    if (sighting.camera == camera) return false;
  if (!surroundings.sees(camera, point, xy)) return false;
  if (track.size() == 1 &&
      surroundings.cosine(track[0].camera, camera, point.position) > kLargestCosine)
    return false;
  track.push_back({camera, xy[0], xy[1]});
  return true;
}

}  // namespace

TrackLengths::TrackLengths(double mean, int longest) {
  double low = -20, high = 20;
  for (int step = 0; step < 60; ++step) {
    const double exponent = (low + high) / 2;
    (mean_of(cumulative_of(exponent, longest)) > mean ? low : high) = exponent;
  }
  cumulative_ = cumulative_of(low, longest);
}

int TrackLengths::draw(Dice& dice) const {
  const auto found = std::ranges::upper_bound(cumulative_, dice.uniform());
  const auto index =
      std::min(found - cumulative_.begin(), static_cast<std::ptrdiff_t>(cumulative_.size()) - 1);
  return 2 + static_cast<int>(index);
}

void extend_track(const Surroundings& surroundings, const SurfacePoint& point, std::size_t length,
                  Dice& dice, std::vector<Sighting>& track) {
  const Ring& ring = surroundings.ring(point.ring);
  const auto [first, count] = ring.around(point.key);
  if (count == 0) return;
  // Cameras near the point's place are chosen more often.
  for (std::size_t tries = 4 * length + 16; tries > 0 && track.size() < length; --tries) {
    const double place = (dice.uniform() + dice.uniform()) / 2;
    const std::size_t index =
        std::min(count - 1, static_cast<std::size_t>(place * static_cast<double>(count)));
    add_camera(surroundings, point, ring.cameras[first + index], track);
  }
  const std::size_t begin = static_cast<std::size_t>(dice.uniform() * static_cast<double>(count));
  for (std::size_t i = 0; i < count && track.size() < length; ++i)
    add_camera(surroundings, point, ring.cameras[first + (begin + i) % count], track);
}

}  // namespace bifocal::bench
