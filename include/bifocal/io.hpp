// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing images, disparity maps, clouds, cameras, correspondences and NPZ archives.
//
// Every reader throws Error(input) that names the file and what is wrong with it: missing, empty,
// truncated, of another format, zero-sized or larger than kMaxImagePixels. Every writer writes to a
// temporary name in the same folder and renames it: a failed write leaves what was there before.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bifocal {

inline constexpr std::int64_t kMaxImagePixels = std::int64_t{1} << 28;  // 268 megapixels
// A picture's file has at most this: 16 bits in 4 channels, plus headers.
inline constexpr std::int64_t kMaxPictureBytes = 8 * kMaxImagePixels + (1 << 20);
inline constexpr std::int64_t kMaxTextBytes = std::int64_t{1} << 28;  // of a text file read whole

// Number of highest bits that no value of a 16-bit picture uses, 2 to 8: that of a camera of 8 to
// 14 bits. 0 for other pictures.
[[nodiscard]] int unused_bits(const PictureView& picture);

// A photograph, 8 bits a channel: JPEG, PNG (1 to 16 bit, grey, colour, palette, alpha), PGM/PPM
// (binary or plain, any maximum), BMP (uncompressed), TIFF (8 or 16 bits a sample) and WebP (in
// builds with libtiff and libwebp). The first bytes decide the format, not the name. It is turned
// upright as its EXIF orientation says: width, height and all coordinates are those of the turned
// picture, as with OpenCV's imread. Deeper samples, without their unused_bits(), are scaled to 8
// bits with rounding; a palette becomes RGB; alpha is kept as the last channel. A CMYK JPEG becomes
// RGB by the plain product of its inks. A JPEG whose data is damaged or ends early is an error,
// though part of it could be shown.
[[nodiscard]] ImageU8 read_image(const std::filesystem::path& file);
// The same from the bytes of a file; `name` stands in messages.
[[nodiscard]] ImageU8 decode_image(std::string_view bytes, std::string_view name);

// Decodes a photograph like read_image(), but in the stored pixels: EXIF's orientation is not
// applied. Keypoints of a database are in these pixels.
[[nodiscard]] ImageU8 read_stored_image(const std::filesystem::path& file);

// read_image without loss of depth: 8-bit samples v as 257 v, 16-bit samples as they are; PGM/PPM
// scaled to 65535.
[[nodiscard]] ImageU16 read_image_16(const std::filesystem::path& file);

// Raw sample values of a PNG or PGM, neither scaled nor turned (a 4-bit palette index stays 0..15):
// masks and disparity pictures with a scale.
[[nodiscard]] ImageU16 read_samples(const std::filesystem::path& file);

// A mask of features from a picture of any format and depth: 0 where the picture is black or wholly
// transparent, else 255. Of a picture without any colour (black everywhere) its transparency alone
// counts. Throws Error(input) as read_image() does.
[[nodiscard]] ImageU8 read_mask(const std::filesystem::path& file);

void write_png(const std::filesystem::path& file, ImageView<const std::uint8_t> image);
void write_png(const std::filesystem::path& file, ImageView<const std::uint16_t> image);
void write_pnm(const std::filesystem::path& file,
               ImageView<const std::uint8_t> image);  // PGM or PPM by channels

// PNG and JPEG in memory. JPEG drops alpha; quality 1 to 100.
[[nodiscard]] std::string encode_png(ImageView<const std::uint8_t> image);
[[nodiscard]] std::string encode_jpeg(ImageView<const std::uint8_t> image, int quality);

// Portable float map, one channel ("Pf"), either byte order; rows come back top first.
[[nodiscard]] ImageF read_pfm(const std::filesystem::path& file);
void write_pfm(const std::filesystem::path& file, ImageView<const float> image);

// Disparity files. In memory an unknown disparity is NaN; in PFM it is +inf, in the 16-bit PNG
// (KITTI: value = 256 d) it is 0. A known disparity that the PNG can't hold (d < 1/512 or d >= 256
// - 1/512) is unknown in it: its number is returned.
void write_disparity_pfm(const std::filesystem::path& file, ImageView<const float> disparity);
std::int64_t write_disparity_png16(const std::filesystem::path& file,
                                   ImageView<const float> disparity);
// Reads either; a picture is divided by `scale` (256 for KITTI, 4 for Middlebury 2003), 0 is
// unknown.
[[nodiscard]] ImageF read_disparity(const std::filesystem::path& file, double scale = 1.0);

// Colour picture of a disparity map with the turbo map over [lo, hi], unknown black, a legend of
// values below. lo <= hi, both finite, or Error(usage).
[[nodiscard]] ImageU8 turbo_picture(ImageView<const float> disparity, float lo, float hi);

struct CloudPoint {
  float x, y, z;
  std::uint8_t r, g, b;
};
// Writes binary little-endian PLY with float x y z and uchar red green blue.
void write_ply(const std::filesystem::path& file, std::span<const CloudPoint> points);

// Cameras. Reads a 3x3 matrix as text, a Middlebury calib.txt (cam0, cam1, doffs, baseline) or four
// numbers fx fy cx cy.
struct Calibration {
  Intrinsics camera1, camera2;
  // A rectified pair has these when the file says so (Middlebury): Z = baseline * fx / (d + doffs).
  // Unit of the file.
  std::optional<double> baseline;
  double doffs = 0;           // px: cx2 - cx1
  int max_disparity = 0;      // exclusive end of the search range (ndisp), 0 unknown
  int width = 0, height = 0;  // px, of the pictures it belongs to, 0 unknown
};
[[nodiscard]] Calibration read_calibration(const std::filesystem::path& file);
// "fx,fy,cx,cy" as given on the command line. Throws Error(usage).
[[nodiscard]] Intrinsics parse_intrinsics(std::string_view text);
// A calibrated pair with lenses: both cameras and X2 = R X1 + t, |t| being the baseline in the unit
// of the file. Text, in lines as COLMAP's cameras.txt has them (one: of both cameras), R by rows:
//   CAMERA_ID MODEL WIDTH HEIGHT PARAMS...
//   R r11 r12 r13 r21 r22 r23 r31 r32 r33
//   t t1 t2 t3
// with the models SIMPLE_PINHOLE PINHOLE SIMPLE_RADIAL RADIAL OPENCV FULL_OPENCV, their parameters
// in COLMAP's order and from its pixel origin: cx, cy of a camera here are 0.5 less. Or JSON, in
// our own pixels: {"camera1": {"width", "height", "fx", "fy", "cx", "cy", "k1", ...}, "camera2":
// {...}, "R": [9], "t": [3]}. Or OpenCV's YAML or XML: M1 D1 M2 D2 R T, size 0 unless it says so.
// Throws Error(input): file, line or key, and value; also for no rotation, t = 0. docs/formats.md.
struct PairCalibration {
  Camera camera1, camera2;
  Pose cam2_from_cam1;
};
[[nodiscard]] PairCalibration read_pair_calibration(const std::filesystem::path& file);
// Focal length from a JPEG's EXIF: FocalLengthIn35mmFilm (by diagonals: f = f35 * hypot(w, h)
// / 43.27 mm), else FocalLength with the focal plane resolution; principal point at the centre of
// the upright picture, ((w - 1) / 2, (h - 1) / 2). Nothing when the file has neither, has a damaged
// EXIF block or is no JPEG; Error(input) only where it can't be read.
[[nodiscard]] std::optional<Intrinsics> intrinsics_from_exif(const std::filesystem::path& jpeg);
// Reads the same from a file's bytes.
[[nodiscard]] std::optional<Intrinsics> exif_intrinsics(std::string_view bytes);
// Which numbers of a JPEG's EXIF block are left out because no camera has them: a field of view
// below 0.5 or above 170 degrees, a position that is none. Empty without such numbers.
[[nodiscard]] std::string exif_doubt(std::string_view bytes);

// Correspondences as text: rows "x1 y1 x2 y2 [weight]" (px), blank lines and lines with # are
// skipped; a first line that holds one integer is a count and has to be right. All rows have a
// weight (finite, >= 0) or none has. Rows with NaN or infinity are kept: estimators exclude and
// report them.
//
// Or as an NPZ file of another matcher (SuperGlue, LightGlue, ...): keypoints0 [N, 2] and
// keypoints1 [M, 2], px; matches [N], for each of keypoints0 the index of its match or -1, or [K,
// 2], indices of both; and if it is there match_confidence or scores, a number for each row of
// matches: then `qualities`. A leading dimension of 1 is passed over.
struct Correspondences {
  std::vector<PointPair> points;
  std::vector<double> weights;    // empty, or one a row; MatchPriors takes them
  std::vector<double> qualities;  // the same
};
[[nodiscard]] Correspondences read_correspondences(const std::filesystem::path& file);
// Reads rows of "x1 y1 x2 y2 depth1 depth2", px and any unit of each picture.
[[nodiscard]] std::vector<DepthPair> read_depth_pairs(const std::filesystem::path& file);
// Reads rows of "x y X Y Z" for absolute pose: image px, then world.
[[nodiscard]] std::vector<ScenePoint> read_scene_points(const std::filesystem::path& file);

// Writes bytes to a temporary name beside `file`, then renames it; a device or pipe is written in
// place.
void write_file(const std::filesystem::path& file, std::string_view bytes);
// Reads a whole file, or pipe, of at most `max_bytes`; an empty one is an error, and so is a
// device, a socket or a folder.
[[nodiscard]] std::string read_file(const std::filesystem::path& file,
                                    std::int64_t max_bytes = kMaxTextBytes);

// Reads a text file as read_file() does: a UTF-8 byte order mark at its start (or that of a line)
// is passed over, and every line ends in '\n' alone, whatever editor saved it. Throws Error(input)
// also for text in UTF-16 or UTF-32, which it says.
[[nodiscard]] std::string read_text(const std::filesystem::path& file,
                                    std::int64_t max_bytes = kMaxTextBytes);
// Text that JSON and HTML can hold, valid UTF-8: what belongs to no character, as in the names that
// other systems gave files, becomes U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// Photographs as collections take them: grey, in the pixels of the file, with what their EXIF
// tells; and the cameras that COLMAP would give them.

struct PhotographInfo {
  int width = 0, height = 0;  // px, as stored: EXIF's orientation is not applied
  // "Make-Model-focal length-WIDTHxHEIGHT", the same for the photographs of one camera at one
  // setting; empty where EXIF lacks one of these.
  std::string camera;
  // px, as intrinsics_from_exif() (io.hpp) says.
  std::optional<double> focal_length;
  std::optional<GeoPosition> position;  // of EXIF's GPS block
  // Why numbers of the EXIF block were left out, as no camera has them; empty without such numbers.
  std::string doubt{};
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

// Named arrays in one file, as numpy.savez, savez_compressed and load have them: a ZIP archive of
// NPY members.
//
// Read are NPY 1.0, 2.0 and 3.0 with bool, int32, int64, float32, float64 of any shape and single
// unicode strings, little endian; members that are stored or deflated, with ZIP64 sizes and data
// descriptors. Everything else throws Error(input) that names the file, the array and what is wrong
// with it: damaged or truncated data (every checksum is verified), other types, big endian, names
// that occur twice, members that overlap, shapes that the bytes don't fill. Memory is taken for
// what a member's packed bytes can unpack to (1032 times as many) and its shape needs, and for no
// array above the limit.

inline constexpr std::int64_t kMaxNpzBytes = std::int64_t{1} << 33;       // of a file
inline constexpr std::int64_t kMaxNpzArrayBytes = std::int64_t{1} << 33;  // of an array, unpacked

struct NpyArray {
  std::vector<std::int64_t> shape;  // empty: a single value
  // The numbers are in C order (the last index runs fastest), whatever the order in the file.
  // uint8_t: bool, 0 or 1. string: one unicode string as UTF-8, with an empty shape.
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
               std::vector<std::int32_t>, std::vector<std::uint8_t>, std::string>
      values;
};
// Returns "float64 [20, 2000, 2]" and the like, for messages.
[[nodiscard]] std::string describe(const NpyArray& array);

// A file whose directory has been read and checked; arrays are unpacked when asked for. Members
// that are not named *.npy are passed over.
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& file);
  // Reads the bytes of a file; `name` stands in messages.
  NpzFile(std::string bytes, std::string name, std::int64_t max_array_bytes = kMaxNpzArrayBytes);
  ~NpzFile();
  NpzFile(NpzFile&&) noexcept;
  NpzFile& operator=(NpzFile&&) noexcept;

  [[nodiscard]] const std::vector<std::string>& names() const;  // without ".npy", as in the file
  [[nodiscard]] bool contains(std::string_view array) const;
  // Throws Error(input) when there is no such array.
  [[nodiscard]] NpyArray read(std::string_view array) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// Writes arrays as stored members, the same bytes for the same arrays. Throws Error(usage) when a
// shape and its values disagree, a name is empty or occurs twice, a string is no UTF-8, or the file
// would reach 4 GiB.
struct NamedArray {
  std::string name;
  NpyArray array;
};
void write_npz(const std::filesystem::path& file, std::span<const NamedArray> arrays);
// Returns the bytes of such a file.
[[nodiscard]] std::string encode_npz(std::span<const NamedArray> arrays);

}  // namespace bifocal
