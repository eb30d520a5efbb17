// SPDX-License-Identifier: BSD-3-Clause
// Photographs as collections take them: grey, in the pixels of the file, with what their EXIF
// tells; and the cameras that COLMAP would give them.
#pragma once

#include <bifocal/image.hpp>
#include <bifocal/pairs.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

struct PhotographInfo {
  int width = 0, height = 0;  // px, as stored: EXIF's orientation is not applied
  // "Make-Model-focal length-WIDTHxHEIGHT", the same for the photographs of one camera at one
  // setting; empty where EXIF lacks one of these.
  std::string camera;
  // px, as intrinsics_from_exif() (io.hpp) says.
  std::optional<double> focal_length;
  std::optional<GeoPosition> position;  // of EXIF's GPS block
};

// A picture of any format and depth that read_image() takes, as grey of 8 bits. Unlike there it is
// not turned: other programs that read a database of features with the same files do not turn
// either (COLMAP, hloc). Of a colour JPEG it is the luminance that the file holds. Throws
// Error(input) as read_image() does.
struct Photograph {
  ImageU8 grey;
  PhotographInfo info;
};
[[nodiscard]] Photograph read_photograph(const std::filesystem::path& file);
// The same from the bytes of a file; `name` stands in messages.
[[nodiscard]] Photograph decode_photograph(std::string_view bytes, std::string_view name);

// A grey image reduced so that no side is longer than `side`, each pixel the mean of the area that
// it covers (rounded); the image itself when it is no larger. scale_x and scale_y: px of the large
// image for one of the small: x_large = (x + 0.5) scale_x - 0.5. Throws Error(usage) when the image
// is not grey or side is below 1.
struct ReducedImage {
  ImageU8 image;
  double scale_x = 1, scale_y = 1;
};
[[nodiscard]] ReducedImage reduce_to(ImageU8 grey, int side);

// Pictures that have a place in a collection.
struct PhotographFile {
  std::filesystem::path file;
  std::string name;  // the path below `folder`, with '/': what databases call the image
};
// A photograph, or a path that could be one, that is not taken in.
struct LeftOut {
  std::string name, reason;
};
struct PhotographFiles {
  std::filesystem::path folder;  // that all files are in, or in folders below
  std::vector<PhotographFile> files;
  // Links to files and folders that are taken in by their own names, links to nothing, folders that
  // can't be read, and what is no file in spite of its ending; by name.
  std::vector<LeftOut> passed_over;
};
// Files as they are given, and of folders every file below them whose name ends in .jpg, .jpeg,
// .png, .pgm, .ppm or .pnm (in any case; hidden files and folders, whose names begin with a dot,
// are passed over), ordered by name (comes_before), each once. Links are followed where they lead
// to what has no other name here: links that go round, or two to one folder, take nothing in twice.
// A link to nothing that has such an ending is one of the files. `folder` is the folder given if it
// is the only argument, else the deepest that holds all files. Throws Error(input) naming a path
// that is not there or a given folder that can't be read, and Error(usage) when none is given.
[[nodiscard]] PhotographFiles list_photographs(std::span<const std::string> paths);

// The order of photographs, whose neighbours follow each other in time: folder by folder, digits in
// a name as the number that they are, of any length, all else by its bytes: frame_2 before
// frame_10, 1 after 01 where both are there. No two names are equal but the same ones.
[[nodiscard]] bool comes_before(std::string_view name1, std::string_view name2);

}  // namespace bifocal
