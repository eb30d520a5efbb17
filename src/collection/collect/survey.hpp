// SPDX-License-Identifier: BSD-3-Clause
// Decisions about a collection from the headers of its files, before any other work.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <bifocal/pair_selection.hpp>

#include "io/decode.hpp"

namespace bifocal::collection {

// The header of each file; nullopt if it cannot be read.
using Heads = std::vector<std::optional<io::PictureHead>>;
[[nodiscard]] Heads heads_of(std::span<const PhotographFile> files);

// Returns the names of files that are orthomosaics rather than photographs: they have neither
// camera nor position in EXIF, and their aspect ratio differs by more than 1 % from that of every
// photograph. At least 10 other files must exist, and 90 % of them must have both.
[[nodiscard]] std::set<std::string> mosaics_among(std::span<const PhotographFile> files,
                                                  const Heads& heads);

// Returns whether positions can select the pairs: more than 60 photographs, all with a position,
// each with at least 8 neighbours in more than one direction, the pairs connected, and the
// distances of neighbours large compared with the errors of a receiver. Orthomosaics and unreadable
// files do not count.
[[nodiscard]] bool is_map(std::span<const PhotographFile> files, const Heads& heads,
                          const std::set<std::string>& mosaics, const NearOptions& near);

}  // namespace bifocal::collection
