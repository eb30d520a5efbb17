// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing images, disparity maps, clouds, cameras, correspondences and NPZ archives.
//
// Readers throw Error(input) with the file and the reason if a file is missing, empty, truncated,
// of another format, has size zero or is larger than kMaxImagePixels. Writers write to a temporary
// name in the same folder and then rename the file, so a failed write leaves the old
// file unchanged.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/geodesy.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bifocal {

inline constexpr std::int64_t kMaxImagePixels = std::int64_t{1} << 28;  // 268 megapixels
// Largest size of an image file in bytes: 4 channels of 16 bits, plus headers.
inline constexpr std::int64_t kMaxImageBytes = 8 * kMaxImagePixels + (1 << 20);
inline constexpr std::int64_t kMaxTextBytes = std::int64_t{1} << 28;  // bytes, of a text file

// Returns the number of highest bits, 2 to 8, that are zero in all values of a 16-bit image, as
// from a camera with 8 to 14 bits. Returns 0 for other images.
[[nodiscard]] int unused_bits(const AnyImageView& picture);

// An image that owns its pixels, with 8 bits (shallow) or with 16 (deep); the other one is empty.
struct AnyImage {
  ImageU8 shallow;
  ImageU16 deep;

  [[nodiscard]] AnyImageView view() const {
    return deep.empty() ? AnyImageView(shallow) : AnyImageView(deep);
  }
};

// Converts an image of any depth to 8 bits, as to_grey_8() does before it converts colours. Throws
// Error(usage) unless the image has 1 to 4 channels.
[[nodiscard]] ImageU8 to_8_bits(const AnyImageView& picture);

// Reads a photograph with 8 bits per channel: JPEG, PNG (1 to 16 bits, grey, colour, palette,
// alpha), PGM/PPM (binary or plain, any maximum), BMP (uncompressed), and, in builds with libtiff
// and libwebp, TIFF (8 or 16 bits per sample) and WebP. The first bytes determine the format, not
// the name.
//
// The image is rotated upright by its EXIF orientation; width, height and all coordinates refer to
// the upright image, as in OpenCV's imread. Deeper samples, without their unused_bits(), are scaled
// to 8 bits with rounding. A palette becomes RGB, and alpha is kept as the last channel. A CMYK
// JPEG becomes RGB by multiplication of its inks. A JPEG with damaged or truncated data is an
// error, even if part of the image could be shown.
[[nodiscard]] ImageU8 read_image(const std::filesystem::path& file);
// Decodes the bytes of an image file like read_image(); `name` is used in messages.
[[nodiscard]] ImageU8 decode_image(std::string_view bytes, std::string_view name);

// Decodes the bytes of an image file like read_image() if its samples have at most 8 bits,
// otherwise with 16 bits like read_image_16().
[[nodiscard]] AnyImage decode_any_image(std::string_view bytes, std::string_view name);

// Decodes a photograph like read_image(), but in the stored pixels: EXIF's orientation is not
// applied. Keypoints of a database are in these pixels.
[[nodiscard]] ImageU8 read_stored_image(const std::filesystem::path& file);

// Reads an image without loss of depth, otherwise like read_image(). 8-bit samples v become 257 v,
// 16-bit samples do not change, and PGM/PPM are scaled to 65535.
[[nodiscard]] ImageU16 read_image_16(const std::filesystem::path& file);

// Reads the sample values of a PNG or PGM without scaling or rotation (a 4-bit palette index stays
// 0..15). Intended for masks and disparity images with a scale.
[[nodiscard]] ImageU16 read_samples(const std::filesystem::path& file);

// Reads a feature mask from an image of any format and depth: 0 where the image is black or fully
// transparent, otherwise 255. If an image is black everywhere, only its transparency counts. Throws
// Error(input) like read_image().
[[nodiscard]] ImageU8 read_mask(const std::filesystem::path& file);

void write_png(const std::filesystem::path& file, ImageView<const std::uint8_t> image);
void write_png(const std::filesystem::path& file, ImageView<const std::uint16_t> image);
void write_pnm(const std::filesystem::path& file,
               ImageView<const std::uint8_t> image);  // PGM or PPM depending on the channels

// Encode PNG or JPEG in memory. JPEG drops alpha; quality is 1 to 100.
[[nodiscard]] std::string encode_png(ImageView<const std::uint8_t> image);
[[nodiscard]] std::string encode_png(ImageView<const std::uint16_t> image);
[[nodiscard]] std::string encode_jpeg(ImageView<const std::uint8_t> image, int quality);

// Portable float maps with one channel ("Pf"), in either byte order. The first row in memory is the
// top row.
[[nodiscard]] ImageF read_pfm(const std::filesystem::path& file);
void write_pfm(const std::filesystem::path& file, ImageView<const float> image);

// Write a disparity map. An unknown disparity is NaN in memory, +inf in PFM and 0 in the 16-bit PNG
// (KITTI: value = 256 d). The PNG cannot hold known disparities d < 1/512 or d >= 256 - 1/512; they
// become unknown, and their number is returned.
void write_disparity_pfm(const std::filesystem::path& file, ImageView<const float> disparity);
std::int64_t write_disparity_png16(const std::filesystem::path& file,
                                   ImageView<const float> disparity);
// Reads a disparity map of either format. Values of an image are divided by `scale` (256 for KITTI,
// 4 for Middlebury 2003); 0 means unknown.
[[nodiscard]] ImageF read_disparity(const std::filesystem::path& file, double scale = 1.0);

// Returns a colour image of a disparity map with the turbo map from `lo` (blue) to `hi` (red),
// unknown pixels in black, and a legend below. With lo > hi small values are red. Throws
// Error(usage) unless both are finite.
[[nodiscard]] ImageU8 turbo_picture(ImageView<const float> disparity, float lo, float hi);

// A point with its colour.
struct CloudPoint {
  float x, y, z;
  std::uint8_t r, g, b;
};
// A point of a scene whose origin may be far away, as in map coordinates, with its colour.
struct WorldPoint {
  double x, y, z;
  std::uint8_t r, g, b;
};
// Write binary little-endian PLY with float or double x y z and uchar red green blue.
void write_ply(const std::filesystem::path& file, std::span<const CloudPoint> points);
void write_ply(const std::filesystem::path& file, std::span<const WorldPoint> points);

// Reads the points of a PLY file in pieces and returns their number. Without `visit` it reads the
// header alone. The file is binary and little-endian, and its first element are vertices with
// float x y z, uchar red green blue and any further numbers, as in fused.ply of `bifocal dense` and
// of COLMAP. Points with coordinates that are not finite are left out of the pieces.
std::int64_t read_ply(const std::filesystem::path& file,
                      const std::function<void(std::span<const CloudPoint>)>& visit = {});

// Cameras of a pair from a file, with what the file has about the pair.
struct Calibration {
  Camera camera1, camera2;  // a size of 0 and no distortion if the file has none
  // X2 = R X1 + t, where |t| is the baseline in the unit of the file.
  std::optional<Pose> cam2_from_cam1;
  // Baseline of a rectified pair (Middlebury), in the unit of the file: Z = baseline * fx / (d +
  // doffs).
  std::optional<double> baseline;
  double doffs = 0;       // px: cx2 - cx1
  int max_disparity = 0;  // px, exclusive end of the search range (ndisp); 0: unknown
};
// Reads cameras from a file with a 3x3 matrix, four numbers fx fy cx cy, or Middlebury's calib.txt
// (cam0, cam1, doffs, baseline).
[[nodiscard]] Calibration read_calibration(const std::filesystem::path& file);
// Parses "fx,fy,cx,cy" as given on the command line. Throws Error(usage).
[[nodiscard]] Intrinsics parse_intrinsics(std::string_view text);
// Reads a calibrated pair, with its pose, from text, JSON, or OpenCV's YAML or XML
// (docs/formats.md). Text has lines like COLMAP's cameras.txt (one line: same camera for both
// images) and the pose, with R by rows:
//   CAMERA_ID MODEL WIDTH HEIGHT PARAMS...
//   R r11 r12 r13 r21 r22 r23 r31 r32 r33
//   t t1 t2 t3
// Models are SIMPLE_PINHOLE, PINHOLE, SIMPLE_RADIAL, RADIAL, OPENCV and FULL_OPENCV. Parameters
// have COLMAP's order and pixel origin, so cx and cy of the result are 0.5 smaller. JSON uses
// Bifocal's pixels: {"camera1": {"width", "height", "fx", "fy", "cx", "cy", "k1", ...}, "camera2":
// {...}, "R": [9], "t": [3]}. OpenCV's files have M1 D1 M2 D2 R T; the image size is 0 if they lack
// it. Throws Error(input) with file, line or key, and value, also if R is not a rotation or t = 0.
[[nodiscard]] Calibration read_pair_calibration(const std::filesystem::path& file);
// Reads cameras in any format of read_calibration() and read_pair_calibration().
[[nodiscard]] Calibration read_any_calibration(const std::filesystem::path& file);
// Returns the intrinsics given by a JPEG's EXIF, for the upright image.
//
// The focal length comes from FocalLengthIn35mmFilm, by diagonals: f = f35 * hypot(w, h) / 43.27
// mm. Otherwise it comes from FocalLength and the focal plane resolution. The principal point is
// the image centre, ((w - 1) / 2, (h - 1) / 2). Empty if the file has neither, has a damaged EXIF
// block or is not a JPEG. Throws Error(input) only if the file cannot be read.
[[nodiscard]] std::optional<Intrinsics> intrinsics_from_exif(const std::filesystem::path& jpeg);
// Returns the intrinsics given by EXIF, like intrinsics_from_exif(), from the bytes of a file.
[[nodiscard]] std::optional<Intrinsics> exif_intrinsics(std::string_view bytes);
// Returns a message about impossible values in a JPEG's EXIF block, which are ignored: a field of
// view below 0.5 or above 170 degrees, or an invalid position. Empty without such values.
[[nodiscard]] std::string exif_doubt(std::string_view bytes);

// Correspondences of a pair.
struct Correspondences {
  std::vector<PointPair> points;
  std::vector<double> weights;    // empty or one for each row, for MatchPriors
  std::vector<double> qualities;  // empty or one for each row, for MatchPriors
};
// Reads correspondences from a text file or an NPZ file.
//
// Text has rows "x1 y1 x2 y2 [weight]" in px. Blank lines and lines with # are skipped. A first
// line with one integer is the number of rows and must be correct. Either all rows have a weight
// (finite, >= 0) or none. Rows with NaN or infinity are kept; estimators exclude and report them.
//
// NPZ files come from other matchers (SuperGlue, LightGlue, ...). They contain keypoints0 [N, 2]
// and keypoints1 [M, 2] in px, and matches: either [N], for each of keypoints0 the index of its
// match or -1, or [K, 2], indices of both. match_confidence or scores, if present, has a number for
// each row of matches and gives `qualities`. A leading dimension of 1 is ignored.
[[nodiscard]] Correspondences read_correspondences(const std::filesystem::path& file);
// Reads rows of "x1 y1 x2 y2 depth1 depth2": px, and depths in any unit for each image.
[[nodiscard]] std::vector<DepthPair> read_depth_pairs(const std::filesystem::path& file);
// Reads rows of "x y X Y Z" for absolute pose: image px, then world coordinates.
[[nodiscard]] std::vector<ScenePoint> read_scene_points(const std::filesystem::path& file);

// Writes bytes to a temporary name next to `file` and renames it. A device or pipe is written
// in place.
void write_file(const std::filesystem::path& file, std::string_view bytes);
// Reads a whole file or pipe of at most `max_bytes`. Throws Error(input) if it is empty, and for
// devices, sockets and folders.
[[nodiscard]] std::string read_file(const std::filesystem::path& file,
                                    std::int64_t max_bytes = kMaxTextBytes);

// Reads a text file like read_file(). Skips a UTF-8 byte order mark at the start of the file or of
// a line, and converts all line ends to '\n'. Throws Error(input) also for text in UTF-16 or
// UTF-32, with a message about the encoding.
[[nodiscard]] std::string read_text(const std::filesystem::path& file,
                                    std::int64_t max_bytes = kMaxTextBytes);
// Returns valid UTF-8, as required in JSON and HTML. Bytes that do not form a character, as in file
// names from other systems, become U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// Photographs for collections: grey, in the pixels of the file, with the information from EXIF that
// COLMAP uses for cameras.

// Start of PhotographInfo::camera if EXIF has neither make nor model.
inline constexpr std::string_view kUnknownCamera = "--";

// Size of a photograph and information from its EXIF block and its XMP packet.
struct PhotographInfo {
  int width = 0, height = 0;  // px, as stored: EXIF's orientation is not applied
  // Identifies the camera: "Make-Model-focal length-WIDTHxHEIGHT", equal for photographs of one
  // camera with one setting; "--focal length in px-WIDTHxHEIGHT" without make and model (0: no
  // focal length). Empty if EXIF has one of them, or both and no focal length.
  std::string camera{};
  // px, as from intrinsics_from_exif() (io.hpp).
  std::optional<double> focal_length{};
  std::optional<GeoPosition> position{};  // from EXIF's GPS block
  // Message about impossible EXIF values, which were ignored; empty without such values.
  std::string doubt{};
  // m, from EXIF's GPSAltitude and its reference, or XMP's AbsoluteAltitude of drones (DJI). Some
  // receivers write heights above the ellipsoid, others above sea level.
  std::optional<double> altitude_m = {};
  // Standard deviations of the position in m, east, north and up: XMP's RtkStdLon, RtkStdLat and
  // RtkStdHgt, or EXIF's GPSHPositioningError for both horizontal axes and twice its value for up.
  std::optional<Vec3> position_deviations_m = {};
  // From XMP's drone-dji: height above take-off in m, angles of the camera and of the aircraft.
  std::optional<double> relative_altitude_m = {};
  std::optional<Attitude> gimbal = {}, flight = {};
};

// A photograph in 8-bit grey, in the pixels of the file.
struct Photograph {
  ImageU8 grey;
  PhotographInfo info;
};
// Reads a photograph in any format and depth that read_image() accepts. It is not rotated by EXIF,
// because other programs that use a feature database with the same files (COLMAP, hloc) do not
// rotate either. The grey of a colour JPEG is the luminance stored in the file. Throws Error(input)
// like read_image().
[[nodiscard]] Photograph read_photograph(const std::filesystem::path& file);
// Decodes the bytes of a photograph like read_photograph(); `name` is used in messages.
[[nodiscard]] Photograph decode_photograph(std::string_view bytes, std::string_view name);

// An image and its scale: 1 px is scale_x by scale_y px of the original, x_original = (x + 0.5)
// scale_x - 0.5.
struct ReducedImage {
  ImageU8 image;
  double scale_x = 1, scale_y = 1;
};
// Reduces an image until no side is longer than `side` px. Each pixel is the rounded mean of the
// area that it covers, in each channel. Returns the image unchanged if it is small enough. Throws
// Error(usage) if side is below 1.
[[nodiscard]] ReducedImage reduce_to(ImageU8 image, int side);

// A photograph of a collection.
struct PhotographFile {
  std::filesystem::path file;
  std::string name;  // path below `folder`, with '/'; the name of the image in databases
};
// A photograph, or a path that could be one, that is not included, and the reason.
struct LeftOut {
  std::string name, reason;
};
// The photographs of a collection.
struct PhotographFiles {
  std::filesystem::path folder;  // contains all files, directly or in subfolders
  std::vector<PhotographFile> files;
  // Skipped paths, ordered by name: links to files and folders that are included under their own
  // names, broken links, unreadable folders, and paths with an image's ending that are not files.
  // One entry covers all files with other endings.
  std::vector<LeftOut> other_files;
};
// Lists the photographs among given files and folders.
//
// Given files are included whatever their ending. From folders, all files are included, also in
// subfolders, whose names end in .jpg, .jpeg, .jpe, .jfif, .jfi, .jif, .png, .pgm, .ppm or .pnm in
// upper or lower case. Hidden files and folders, with a leading dot in the name, are skipped. The
// list is ordered by name (comes_before) and contains each file once. Links are followed if their
// target has no other name in the list, so cyclic links and several links to one folder cause no
// duplicates. A broken link with an image's ending counts as a file.
//
// `folder` is the given folder if it is the only argument, otherwise the deepest folder that
// contains all files. Throws Error(input) with the path that does not exist or the given folder
// that cannot be read, and Error(usage) without arguments.
[[nodiscard]] PhotographFiles list_photographs(std::span<const std::string> paths);

// Compares names of photographs so that neighbours in the order are usually neighbours in time.
// Names are compared folder by folder; digits count as a number of any length, other characters by
// their bytes: frame_2 before frame_10, and 1 after 01. Different names are never equal.
[[nodiscard]] bool comes_before(std::string_view name1, std::string_view name2);

// Named arrays in one file in the format of numpy.savez, savez_compressed and load: a ZIP archive
// of NPY members.
//
// Supported are NPY 1.0, 2.0 and 3.0, little endian, with bool, int8, uint8, int32, int64, float16,
// float32 and float64 of any shape and single unicode strings. Members may be stored or deflated,
// with ZIP64 sizes and data descriptors. All else throws Error(input) with the file, the array and
// the reason: damaged or truncated data (every checksum is verified), other types, big endian,
// duplicate names, overlapping members, and shapes that do not match the data. Memory is limited to
// the size to which the packed bytes can expand (1032 times) and which the shape needs; arrays
// above the limit are refused.

inline constexpr std::int64_t kMaxNpzBytes = std::int64_t{1} << 30;       // of a file
inline constexpr std::int64_t kMaxNpzArrayBytes = std::int64_t{1} << 28;  // of an unpacked array

// A number of 16 bits, IEEE 754 binary16.
struct Float16 {
  std::uint16_t bits = 0;
  operator float() const;
};
// Returns the nearest number, to even; infinity from 65520 on.
[[nodiscard]] Float16 float16_of(float value);

// An array of an NPZ file.
struct NpyArray {
  std::vector<std::int64_t> shape;  // empty: a single value
  // The numbers are in C order (the last index is fastest) for any order in the file. uint8_t:
  // bool, 0 or 1. byte: uint8. string: one unicode string in UTF-8, with an empty shape.
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
               std::vector<std::int32_t>, std::vector<std::uint8_t>, std::string,
               std::vector<std::int8_t>, std::vector<std::byte>, std::vector<Float16>>
      values;
};
// Returns type and shape for messages, such as "float64 [20, 2000, 2]".
[[nodiscard]] std::string describe(const NpyArray& array);

// An NPZ file. The directory is read and checked first; an array is unpacked when it is read.
// Members whose names do not end in .npy are ignored.
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& file);
  // Takes the bytes of a file; `name` is used in messages.
  NpzFile(std::string bytes, std::string name, std::int64_t max_array_bytes = kMaxNpzArrayBytes);
  ~NpzFile();
  NpzFile(NpzFile&&) noexcept;
  NpzFile& operator=(NpzFile&&) noexcept;

  [[nodiscard]] const std::vector<std::string>& names()
      const;  // in the order of the file, without ".npy"
  [[nodiscard]] bool contains(std::string_view array) const;
  // Reads an array. Throws Error(input) if it does not exist or is damaged.
  [[nodiscard]] NpyArray read(std::string_view array) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// An array with its name.
struct NamedArray {
  std::string name;
  NpyArray array;
};
// Writes arrays as stored members; equal arrays give equal bytes. Throws Error(usage) if a shape
// does not match its values, a name is empty or duplicate, a string is not UTF-8, or the file would
// reach 4 GiB.
void write_npz(const std::filesystem::path& file, std::span<const NamedArray> arrays);
// Returns the bytes of the file that write_npz() writes.
[[nodiscard]] std::string encode_npz(std::span<const NamedArray> arrays);

// The rule of all commands and functions for outputs that exist already: a call replaces a file
// only with the option `overwrite`, or if the file is the output of an earlier call of the same
// kind on the same inputs. Inputs are never replaced, except a model or a database that the call
// changes. Outputs are checked before any work.

// Returns whether something would be lost at this path: a file with content, a folder or a link,
// also a broken one. Devices and pipes are written in place and count as free.
[[nodiscard]] bool is_taken(const std::filesystem::path& path);

// Throws Error(usage) that names the path if `overwrite` is false and is_taken(path). The message
// ends in "overwrite it", which programs replace by their flag.
void require_free(const std::filesystem::path& path, bool overwrite,
                  std::string_view what = "exists already");

// Throws Error(usage) if the path is one of the inputs, also through links. Empty inputs are none.
void require_no_input(const std::filesystem::path& path,
                      std::span<const std::filesystem::path> inputs);

// Throws Error(input) if no file can have this path: it is a folder, or a parent is a file.
void require_file_place(const std::filesystem::path& path);

}  // namespace bifocal
