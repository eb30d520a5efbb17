// SPDX-License-Identifier: BSD-3-Clause
// Databases of simulated photographs, verified as photographs are: ordinary scenes, and scenes that
// do not determine a model.
#pragma once

#include <cstdint>
#include <filesystem>

namespace bifocal::test {

enum class Take {
  // Ordinary
  orbit,   // around an object before a far background
  walk,    // along a street, looking forward and aside
  aerial,  // straight down on hills, in two strips
  indoor,  // standing points in a room
  // Doubtful
  tripod,           // rotations about one centre
  zoom,             // a fixed camera that changes its focal length
  plane,            // a flat wall, focal length unknown
  overlay,          // an orbit with points at one place of all images
  turntable,        // a rotating object before a static background
  tele_lens,        // a short orbit by a long lens
  slider,           // sideways motion without rotation, focal length unknown
  known_slider,     // the same with a known focal length
  rolling_shutter,  // a flight or a walk whose rows are read one after another
};
inline constexpr const char* kTakeWords[] = {
    "orbit",   "walk",      "aerial",    "indoor", "tripod",       "zoom",           "plane",
    "overlay", "turntable", "tele_lens", "slider", "known_slider", "rolling_shutter"};

// Writes a verified database. Number of images, lens, noise and points vary with the seed; ordinary
// scenes have known focal lengths (with an error of at most 4 %) or unknown ones. Returns the true
// focal length of the first image, px.
double make_database(const std::filesystem::path& file, Take take, std::uint32_t seed);

}  // namespace bifocal::test
