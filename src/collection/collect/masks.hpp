// SPDX-License-Identifier: BSD-3-Clause
// Masks of photographs: finding their files, and removing features outside.
#pragma once

#include <bifocal/features.hpp>
#include <bifocal/io.hpp>

#include <filesystem>
#include <string>

namespace bifocal::collection {

// Returns the mask file of the photograph NAME.EXT: NAME.EXT.png, or NAME.png, which COLMAP also
// accepts. Empty without a mask.
[[nodiscard]] std::filesystem::path mask_file(const std::filesystem::path& masks,
                                              const std::string& photograph);
// Returns a text with the expected names and the name of an existing file of the folder.
[[nodiscard]] std::string expected_masks(const std::filesystem::path& masks,
                                         const std::string& photograph);

// Returns the mask at the size of the image for detection. A pixel is kept if any covered pixel of
// the file is kept: the final decision uses the features' positions in the file (leave_out_masked).
[[nodiscard]] ImageU8 reduced_mask(const ImageU8& mask, const ReducedImage& reduced);
// Returns whether the mask is black at a place, px of the file; places outside count as the nearest
// pixel.
[[nodiscard]] bool is_masked(const ImageU8& mask, float x, float y);
// Removes the features at masked positions, in px of the file.
void leave_out_masked(const ImageU8& mask, Features& found);

}  // namespace bifocal::collection
