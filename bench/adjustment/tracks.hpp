// SPDX-License-Identifier: BSD-3-Clause
// Which cameras see a point of a synthetic scene.
#pragma once

#include <vector>

#include "adjustment/surroundings.hpp"

namespace bifocal::bench {

// Heavy-tailed lengths of tracks: P(n) ~ (n - 1/2)^-a for n = 2, ..., longest, with the exponent
// that gives a stated mean.
class TrackLengths {
 public:
  TrackLengths(double mean, int longest);
  [[nodiscard]] int draw(Dice& dice) const;

 private:
  std::vector<double> cumulative_;  // of lengths from 2 on
};

struct Sighting {
  int camera = 0;
  double x = 0, y = 0;  // exact projection, px
};

// Adds cameras that see the point until the track has `length` of them or no more camera sees it.
// The first two rays differ by 2 degrees at least.
void extend_track(const Surroundings& surroundings, const SurfacePoint& point, std::size_t length,
                  Dice& dice, std::vector<Sighting>& track);

}  // namespace bifocal::bench
