// SPDX-License-Identifier: BSD-3-Clause
// Masks of photographs: their files, and features outside them.
#pragma once

#include <bifocal/features.hpp>
#include <bifocal/io.hpp>

#include <filesystem>
#include <string>

namespace bifocal::collection {

// The mask of the photograph NAME.EXT: NAME.EXT.png or, as COLMAP also takes it, NAME.png. Empty
// without one.
[[nodiscard]] std::filesystem::path mask_file(const std::filesystem::path& masks,
                                              const std::string& photograph);
// Returns the names expected and the name of a file of the folder, in words.
[[nodiscard]] std::string expected_masks(const std::filesystem::path& masks,
                                         const std::string& photograph);

// The mask at the size of the picture that features are found in. A pixel is kept if any of those
// that it covers is: the features' places in the file decide (leave_out_masked).
[[nodiscard]] ImageU8 reduced_mask(const ImageU8& mask, const ReducedImage& reduced);
// Returns whether the mask is black at a place, px of the file; places outside count as the nearest
// pixel.
[[nodiscard]] bool is_masked(const ImageU8& mask, float x, float y);
// Removes the features whose place is masked, px of the file.
void leave_out_masked(const ImageU8& mask, Features& found);

}  // namespace bifocal::collection
