// SPDX-License-Identifier: BSD-3-Clause
// A file that claims a large size is refused before memory is allocated. Each file is read in a
// child process that may use 64 MiB, measured, and in a child process that can map no more.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <bifocal/colmap/model.hpp>
#include <bifocal/io.hpp>

#include "collection/sample_model.hpp"
#include "io/decode.hpp"
#include "io/exif_block.hpp"
#include "io/hand_zip.hpp"
#include "io/parse.hpp"
#include "io/tiny_png.hpp"
#include "support/data.hpp"
#include "support/paths.hpp"

namespace bifocal {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kMemory = 1L << 30;  // sanitizers keep freed memory and shadow memory
#else
constexpr long kMemory = 64L << 20;
#endif
constexpr long kMeasured = 2L << 30;  // limit for a failing test

long peak_memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss * 1024;
}

// Describes the outcome of reading in words.
std::string outcome(const std::function<void()>& read, long mapped) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers map terabytes
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto most = rlim_t(pages * ::sysconf(_SC_PAGESIZE) + mapped);
  const rlimit limit{most, most};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) return "setrlimit failed";
#else
  (void)mapped;
#endif
  const long before = peak_memory();
  std::string text;
  try {
    read();
    text = "was read";
  } catch (const Error& error) {
    text = error.what();
  } catch (const std::exception& error) {
    text = std::string("no Error: ") + error.what();
  }
  const long taken = peak_memory() - before;
  return taken > kMemory ? "took " + std::to_string(taken) + " bytes" : text;
}

std::string outcome_in_child(const std::function<void()>& read, long mapped) {
  int ends[2];
  if (::pipe(ends) != 0) return "pipe failed";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = outcome(read, mapped);
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text(4096, '\0');
  text.resize(std::size_t(std::max<ssize_t>(0, ::read(ends[0], text.data(), text.size()))));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? text : "the child ended with status " + std::to_string(status);
}

std::string outcome_in_child(const std::function<void()>& read) {
  const std::string text = outcome_in_child(read, kMeasured);
  const std::string limited = outcome_in_child(read, kMemory);
  return text == limited ? text : text + "; where memory is limited: " + limited;
}

void expect_refused(const std::function<void()>& read, const std::string& part) {
  const std::string text = outcome_in_child(read);
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

void picture(const std::string& bytes, const std::string& part) {
  SCOPED_TRACE(part);
  expect_refused([&] { (void)decode_image(bytes, "m"); }, part);
  if (!io::is_jpeg(bytes)) {
    expect_refused([&] { (void)io::decode_samples(bytes, "m", kMaxImagePixels); }, part);
  }
}

TEST(Memory, TheLimitOfTheTestIsEffective) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer's shadow memory is a multiple of the limit";
#endif
  EXPECT_EQ(outcome_in_child([] {}), "was read");
  // The read keeps compilers from removing the allocation.
  const auto takes = [](std::size_t bytes) {
    const std::vector<char> memory(bytes, 'x');
    const volatile char* read = memory.data();
    (void)read[bytes - 1];
  };
  EXPECT_EQ(outcome_in_child([&] { takes(kMemory / 2); }), "was read");
  EXPECT_NE(outcome_in_child([&] { takes(2 * kMemory); }), "was read");
}

TEST(Memory, IsBoundedForPng) {
  const std::string row("\0\0", 2);
  for (const int colour : {0, 3, 6}) {
    for (const bool interlaced : {false, true}) {
      const std::string palette = colour == 3 ? test::png_chunk("PLTE", "rgb") : "";
      const auto claims = [&](std::uint32_t width, std::uint32_t height) {
        const int bits = colour == 6 ? 16 : 8;
        return test::tiny_png(width, height, bits, colour, row, palette, interlaced);
      };
      picture(claims(0x7fffffff, 1), "image of 2147483647 x 1 pixels is larger than");
      picture(claims(1, 0x7fffffff), "image of 1 x 2147483647 pixels is larger than");
      picture(claims(1 << 28, 1), "can't hold 268435456 x 1 pixels");
      picture(claims(1, 1 << 28), "can't hold 1 x 268435456 pixels");
      picture(claims(1 << 14, 1 << 14), "can't hold 16384 x 16384 pixels");
    }
  }
}

// Returns a long text as a zlib stream.
std::string packed_text() {
  const std::string text(7 << 20, 'x');
  uLongf size = compressBound(uLong(text.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), uLong(text.size()), 9);
  packed.resize(size);
  return packed;
}

TEST(Memory, PngTextsAndProfilesAreNotUnpacked) {
  const std::string text = packed_text();
  std::string chunks = test::png_chunk("iCCP", std::string("p\0\0", 3) + text);
  for (int i = 0; i < 60; ++i) {
    chunks += test::png_chunk("zTXt", std::string("key\0\0", 5) + text);
    chunks += test::png_chunk("iTXt", std::string("key\0\1\0\0\0", 8) + text);
  }
  const std::string png = test::tiny_png(1, 1, 8, 0, std::string(2, '\0'), chunks);
  EXPECT_EQ(outcome_in_child([&] { (void)decode_image(png, "m"); }), "was read");
}

TEST(Memory, IsBoundedForJpeg) {
  const auto corpus = std::filesystem::path(test::kSourceFolder) / "tests/fuzz/corpus/image";
  for (const auto& [name, marker] :
       {std::pair{"rgb.jpg", '\xc0'}, {"progressive.jpg", '\xc2'}, {"cmyk.jpg", '\xc0'}}) {
    std::string bytes = read_file(corpus / name);
    const std::size_t frame = bytes.find(std::string("\xff") + marker);
    ASSERT_NE(frame, std::string::npos) << name;
    for (std::size_t i = 5; i < 9; ++i) bytes[frame + i] = '\xfe';
    picture(bytes, "image of 65278 x 65278 pixels is larger than");
    bytes[frame + 5] = '\x0f';
    picture(bytes, "can't hold 65278 x 4094 pixels");
  }
}

// The block has the largest number of entries, each claiming all bytes that follow, and all
// directories are the same one.
TEST(Memory, IsBoundedForExif) {
  std::string tiff("MM\0\x2a\0\0\0\x08", 8);
  constexpr int kEntries = 4000;
  const auto big = [&](unsigned value, int size) {
    while (size-- > 0) tiff.push_back(char(value >> 8 * size & 0xff));
  };
  const unsigned data = 8 + 2 + 12 * kEntries + 4;
  big(kEntries, 2);
  for (int i = 0; i < kEntries; ++i) {
    const bool directory = i % 10 == 0;
    big(directory ? (i % 20 == 0 ? 0x8769 : 0x8825) : unsigned(0x100 + 12 * i), 2);
    big(directory ? 4 : 7, 2);
    big(directory ? 1 : 65527 - data, 4);
    big(directory ? 8 : data, 4);
  }
  big(8, 4);
  tiff.resize(65527);
  const std::string jpeg =
      test::with_exif(encode_jpeg(ImageU8(8, 8), 90), "Exif" + std::string(2, '\0') + tiff);
  EXPECT_EQ(outcome_in_child([&] { (void)decode_image(jpeg, "m"); }), "was read");
  EXPECT_EQ(outcome_in_child([&] { (void)exif_intrinsics(jpeg); }), "was read");
}

TEST(Memory, IsBoundedForPnm) {
  for (const char* kind : {"P2", "P3", "P5", "P6"}) {
    for (const char* maximum : {"255", "65535"}) {
      const auto claims = [&](const std::string& size) {
        return std::string(kind) + " " + size + " " + maximum + "\n0 0 0 0";
      };
      picture(claims("1073741824 1"), "image of 1073741824 x 1 pixels is larger than");
      picture(claims("268435456 1"), "truncated PNM: 268435456 x 1 x");
      picture(claims("16384 16384"), "truncated PNM: 16384 x 16384 x");
    }
  }
}

TEST(Memory, IsBoundedForPfm) {
  const auto pfm = [](const std::string& size, const std::string& part) {
    SCOPED_TRACE(part);
    expect_refused([&] { (void)io::decode_pfm("Pf " + size + " -1\n0000", "m", kMaxImagePixels); },
                   part);
  };
  pfm("2147483647 1", "image of 2147483647 x 1 pixels is larger than");
  pfm("268435456 1", "truncated PFM: 268435456 x 1 floats need");
  pfm("1 268435456", "truncated PFM: 1 x 268435456 floats need");
}

TEST(Memory, IsBoundedForNpz) {
  const auto array = [](const std::string& type, const std::string& shape) {
    return test::npy(test::npy_header(type, shape), std::string(16, '\0'));
  };
  const auto npz = [](const std::string& bytes, const std::string& part) {
    SCOPED_TRACE(part);
    expect_refused([&] { (void)NpzFile(bytes, "m").read("x"); }, part);
  };
  for (const bool deflate : {false, true}) {
    const auto file = [&](const std::string& npy) {
      return test::hand_zip({{.name = "x.npy", .data = npy, .deflate = deflate}});
    };
    npz(file(array("<f8", "1000000000,")), "1000000000 values of 8 bytes, but 16 bytes are there");
    npz(file(array("|b1", "100000, 100000")), "10000000000 values of 1 bytes");
    npz(file(array("<U4294967295", "")), "a string of 17179869180 bytes");
    npz(file(test::npy(std::string(60000, ' '), "", 2).replace(8, 4, "\xff\xff\xff\x7f")),
        "an NPY header of 2147483647 bytes");
  }
  const std::string small = array("<f8", "2,");
  npz(test::hand_zip({{.name = "x.npy", .data = small, .deflate = true, .claimed = 1u << 30}}),
      "can't hold");
  npz(test::hand_zip(
          {{.name = "x.npy", .data = small, .zip64 = true, .claimed = std::uint64_t{1} << 33}}),
      "m: ");
  // The packed bytes could hold what they claim.
  std::string noise(std::size_t{1} << 20, '\0');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  npz(test::hand_zip({{.name = "x.npy", .data = noise, .deflate = true, .claimed = 1000000000}}),
      "has 1000000000 bytes, more than the 268435456 allowed");
  // One archive claims 2^60 members, another one 65535.
  std::string many = test::hand_zip({{.name = "x.npy", .data = small, .zip64 = true}}, true);
  const std::size_t record = many.find("PK\6\6");
  for (const std::size_t at : {record + 24, record + 32}) many[at + 7] = '\x10';
  npz(many, "m: ");
  std::string few = test::hand_zip({{.name = "x.npy", .data = small}});
  for (std::size_t at = few.size() - 14; at < few.size() - 10; ++at) few[at] = '\xff';
  npz(few, "m: ");
}

TEST(Memory, IsBoundedForYamlAndXml) {
  const auto calibration = [](const std::string& text, const std::string& part) {
    SCOPED_TRACE(part);
    expect_refused([&] { (void)io::parse_pair_calibration(text, "m"); }, part);
  };
  constexpr std::size_t kYaml = 1 << 17, kXml = 1 << 20;  // the most that is read
  const auto repeated = [](const std::string& head, const std::string& part, std::size_t size) {
    std::string text = head;
    while (text.size() + part.size() <= size) text += part;
    return text;
  };
  calibration(repeated("%YAML:1.0\nM1: [1", ",1", kYaml), "line 2: is no YAML: end of");
  calibration(repeated("%YAML:1.0\na: ", "[", kYaml), "line 2: is no YAML: bad file");
  calibration(repeated("%YAML:1.0\n", "a: 1\n", kYaml), "a: a second one");
  calibration(repeated("%YAML:1.0\n", "? ", kYaml), "is no YAML");
  calibration(repeated("%YAML:1.0\na: [1", ",1", kXml), "more than the 131072 of a YAML file");
  calibration(repeated("<opencv_storage>", "<a/>", kXml), "is no XML");
  calibration(repeated("<opencv_storage>", "<a>", kXml), "is no XML");
  calibration(repeated("<opencv_storage>", "<a>1</a>", kXml - 17) + "</opencv_storage>",
              "a: a second one");
}

// Every count of a model's files, set to 2^63 or so.
TEST(Memory, Models) {
  const test::TemporaryFolder folder;
  const auto claims = [&](const char* name, std::size_t at, std::size_t size) {
    colmap::write_model(folder.path(), test::sample_model(), colmap::ModelFormat::binary, true);
    std::string bytes = read_file(folder / name);
    write_file(folder / name, bytes.replace(at, size, std::string(size, '\x7f')));
    expect_refused([&] { (void)colmap::read_model(folder.path()); }, "the file is cut");
  };
  for (const char* name : {"cameras.bin", "images.bin", "points3D.bin", "rigs.bin", "frames.bin"})
    claims(name, 0, 8);
  claims("images.bin", 8 + 4 + 56 + 4 + sizeof "left/a 0.jpg", 8);
  claims("points3D.bin", 8 + 8 + 24 + 3 + 8, 8);
  claims("rigs.bin", 12, 4);
  claims("frames.bin", 8 + 8 + 56, 4);
}

}  // namespace
}  // namespace bifocal
