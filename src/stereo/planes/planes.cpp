// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/planes/planes.hpp"

#include <bifocal/error.hpp>

#include <algorithm>
#include <array>

#include "stereo/maps.hpp"
#include "stereo/row_blocks.hpp"

namespace bifocal::stereo {
namespace {

constexpr std::uint16_t kUnknown = Rules::UNKNOWN_DISPARITY;
constexpr auto kSamples = static_cast<std::size_t>(Rules::PLANE_SAMPLES);

// 0 where the picture is flat, kUnknown elsewhere.
void find_flat(ImageView<const std::uint8_t> brightness, ImageU16& flat) {
  const int width = brightness.width, height = brightness.height;
  fit(flat, width, height);
  for_rows(height, [&](int y) {
    const std::uint8_t *above = brightness.row(std::max(0, y - 1)), *here = brightness.row(y),
                       *below = brightness.row(std::min(height - 1, y + 1));
    std::uint16_t* out = flat.row(y);
    const auto value = [&](int left, int x, int right) {
      return static_cast<std::uint16_t>(Rules::is_flat(above, here, below, left, x, right) - 1);
    };
    out[0] = value(0, 0, std::min(1, width - 1));
    for (int x = 1; x < width - 1; ++x) out[x] = value(x - 1, x, x + 1);
    if (width > 1) out[width - 1] = value(width - 2, width - 1, width - 1);
  });
}

// Calls visit(run, x, y) for the known points of the lattice that lie in regions.
template <class Visit>
void for_points(const ImageU16& disparity, const Regions& regions, int step, const Visit& visit) {
  for (int y = 0; y < disparity.height; y += step) {
    check_cancelled();
    const std::uint16_t* row = disparity.row(y);
    for (int i = regions.first_run(y); i < regions.first_run(y + 1); ++i) {
      const Regions::Run& run = regions.run(i);
      for (int x = (run.begin + step - 1) / step * step; x < run.end; x += step)
        if (row[x] != kUnknown) visit(i, x, y);
    }
  }
}

// The samples of a region, each in its place; d < 0: none there.
struct Samples {
  std::array<int, kSamples> x{}, y{}, d{};
  int count = 0;

  Samples(const ImageU16& disparity, int step, const std::uint32_t* keys) {
    const int across = Rules::lattice_side(disparity.width, step);
    for (std::size_t i = 0; i < kSamples; ++i) {
      d[i] = -1;
      if (keys[i] == Rules::no_sample()) continue;
      const int point = static_cast<int>(keys[i] & 0xffffU);
      x[i] = point % across * step;
      y[i] = point / across * step;
      d[i] = disparity.at(x[i], y[i]);
      ++count;
    }
  }
  [[nodiscard]] std::size_t next(std::size_t place) const {
    while (d[place] < 0) place = (place + 1) % kSamples;
    return place;
  }
};

bool try_plane(const Samples& s, int trial, Rules::disparity_plane& plane) {
  std::array<int, 3> x{}, y{}, d{};
  for (int j = 0; j < 3; ++j) {
    const std::size_t from = s.next(static_cast<std::size_t>(Rules::trial_place(trial, j)));
    const auto k = static_cast<std::size_t>(j);
    x[k] = s.x[from];
    y[k] = s.y[from];
    d[k] = s.d[from];
  }
  return Rules::plane_through(trial, x.data(), y.data(), d.data(), &plane) != 0;
}

// The first of the planes with the most votes.
Rules::disparity_plane best_plane(const Samples& s) {
  Samples dense = s;  // without the empty places
  int count = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    if (s.d[i] < 0) continue;
    const auto k = static_cast<std::size_t>(count++);
    dense.x[k] = s.x[i];
    dense.y[k] = s.y[i];
    dense.d[k] = s.d[i];
  }
  Rules::disparity_plane best{};
  int most = -1 - Rules::PLANE_SAMPLES;
  for (int trial = 0; trial < Rules::PLANE_TRIALS; ++trial) {
    Rules::disparity_plane plane{};
    if (!try_plane(s, trial, plane)) continue;
    int votes = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      votes += Rules::plane_vote(&plane, dense.x[i], dense.y[i], dense.d[i]);
    if (votes <= most) continue;
    most = votes;
    best = plane;
  }
  return best;
}

bool fit_region(const Samples& s, int known, int step, int pixels, RegionPlane& out) {
  out = {best_plane(s), kUnknown, 0};
  int on_it = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    if (s.d[i] < 0 || Rules::plane_vote(&out.plane, s.x[i], s.y[i], s.d[i]) != 1) continue;
    ++on_it;
    out.lowest = std::min(out.lowest, s.d[i]);
    out.highest = std::max(out.highest, s.d[i]);
  }
  return Rules::plane_fits(on_it, s.count, known, step, pixels) != 0;
}

// Finds the regions with enough known points: their samples, and m.plane_of of their roots. At the
// other runs that is -1.
void find_samples(const ImageU16& disparity, int step, Regions& regions, PlanesMemory& m) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int across = Rules::lattice_side(disparity.width, step);
  m.plane_of.assign(at(regions.size()), 0);
  for_points(disparity, regions, step,
             [&](int run, int, int) { ++m.plane_of[at(regions.root(run))]; });
  m.roots.clear();
  m.planes.clear();
  for (int i = 0; i < regions.size(); ++i) {
    int& place = m.plane_of[at(i)];
    if (place < Rules::PLANE_FEWEST) {
      place = -1;
      continue;
    }
    m.planes.push_back({{}, place, 0});  // `lowest` keeps the known points until the fit
    place = static_cast<int>(m.roots.size());
    m.roots.push_back(i);
  }
  m.samples.assign(m.roots.size() * kSamples, Rules::no_sample());
  for_points(disparity, regions, step, [&](int run, int x, int y) {
    const int region = m.plane_of[at(regions.root(run))];
    if (region < 0) return;
    const int point = y / step * across + x / step;
    std::uint32_t& key = m.samples[at(region) * kSamples + at(Rules::sample_place(point))];
    key = std::min(key, Rules::sample_key(point));
  });
}

}  // namespace

void fill_planes(const ImageU16& disparity, ImageView<const std::uint8_t> brightness,
                 PlanesMemory& m, Regions& regions, ImageU16& flat, ImageU16& out) {
  const int width = disparity.width, height = disparity.height;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  fit(out, width, height);
  if (std::max(width, height) > Rules::PLANE_LONGEST) {
    std::copy_n(disparity.pixels.data(), disparity.pixels.size(), out.pixels.data());
    return;
  }
  const int step = Rules::lattice_step(width, height);
  find_flat(brightness, flat);
  regions.find(flat, 0);
  find_samples(disparity, step, regions, m);
  m.fits.assign(m.roots.size(), 0);
  for_rows(static_cast<int>(m.roots.size()), [&](int i) {
    const Samples samples(disparity, step, m.samples.data() + at(i) * kSamples);
    const int pixels = regions.run(m.roots[at(i)]).pixels;
    m.fits[at(i)] = fit_region(samples, m.planes[at(i)].lowest, step, pixels, m.planes[at(i)]);
  });
  for (int i = 0; i < regions.size(); ++i) m.plane_of[at(i)] = m.plane_of[at(regions.root(i))];
  for_rows(height, [&](int y) {
    std::copy_n(disparity.row(y), width, out.row(y));
    for (int i = regions.first_run(y); i < regions.first_run(y + 1); ++i) {
      const int region = m.plane_of[at(i)];
      if (region < 0 || m.fits[at(region)] == 0) continue;
      const RegionPlane& p = m.planes[at(region)];
      for (int x = regions.run(i).begin; x < regions.run(i).end; ++x) {
        if (out.at(x, y) == kUnknown)
          out.at(x, y) =
              static_cast<std::uint16_t>(Rules::plane_fill(&p.plane, p.lowest, p.highest, x, y));
      }
    }
  });
}

}  // namespace bifocal::stereo
