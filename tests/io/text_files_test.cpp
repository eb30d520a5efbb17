// SPDX-License-Identifier: BSD-3-Clause
// Text as editors of all systems save it, and names as their file systems keep them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

using namespace std::string_literals;

const std::string kMark = "\xef\xbb\xbf";

// Returns the text that read_text() reads from a file with the given bytes.
std::string read_back(const std::string& bytes) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", bytes);
  return read_text(folder / "a.txt");
}

TEST(TextFiles, MarksAndLineEndsOfEditorsAreRead) {
  EXPECT_EQ(read_back("1 2\n3"), "1 2\n3");
  EXPECT_EQ(read_back(kMark + "1 2\n3"), "1 2\n3");
  EXPECT_EQ(read_back(kMark + "1 2\r\n3\r\n"), "1 2\n3\n");
  EXPECT_EQ(read_back("1 2\r3\r"), "1 2\n3\n");
  EXPECT_EQ(read_back("1\r\r\n2"), "1\n\n2");
  EXPECT_EQ(read_back(kMark + "a\n" + kMark + "b\r\n" + kMark + "c"), "a\nb\nc");
  // Within a line the mark may be part of a name.
  EXPECT_EQ(read_back("a" + kMark + "b"), "a" + kMark + "b");
  EXPECT_EQ(read_back("caf\xe9.jpg \xc3\xa9.jpg\n"), "caf\xe9.jpg \xc3\xa9.jpg\n");
}

TEST(TextFiles, OtherEncodingsAreNamed) {
  const auto refused = [](const std::string& bytes, const char* why) {
    expect_error([&] { (void)read_back(bytes); }, why);
    expect_error([&] { (void)read_back(bytes); }, "a.txt: ");
  };
  refused(
      "\xff\xfe"
      "1\0 \0"s,
      "is text in UTF-16: save it as UTF-8");
  refused(
      "\xfe\xff\0"
      "1\0 "s,
      "UTF-16");
  refused("1\0 \0"s, "UTF-16");
  refused(
      "\0"
      "1\0 "s,
      "UTF-16");
  refused(
      "\xff\xfe\0\0"
      "1\0\0\0"s,
      "UTF-32");
  refused(
      "\0\0\xfe\xff\0\0\0"
      "1"s,
      "UTF-32");
  refused("1\0\0\0"s, "UTF-32");
  refused(kMark, "is empty");
  refused("", "is empty");
}

// Each text reader gets a regular file and the same file as an editor of Windows saves it.
TEST(TextFiles, AreReadByEveryReader) {
  const TemporaryFolder folder;
  const auto windows = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 4)
      text.replace(at, 1, " \t\r\n");
    return kMark + text;
  };
  const auto write = [&](const std::string& text) {
    write_file(folder / "a.txt", windows(text));
    return folder / "a.txt";
  };
  EXPECT_EQ(read_correspondences(write("2\n1 2 3 4\n5 6 7 8\n")).points.at(1).y2, 8);
  EXPECT_EQ(read_scene_points(write("1 2 3 4 5\n")).at(0).Z, 5);
  EXPECT_EQ(read_calibration(write("800 0 320\n0 801 240\n0 0 1\n")).camera1.intrinsics.fy, 801);
  EXPECT_EQ(read_calibration(write("cam0=[800 0 320; 0 800 240; 0 0 1]\n"
                                   "cam1=[800 0 330; 0 800 240; 0 0 1]\ndoffs=10\n"))
                .doffs,
            10);
  EXPECT_EQ(read_pair_calibration(write("1 PINHOLE 640 480 500 501 320 240\n"
                                        "R 1 0 0 0 1 0 0 0 1\nt -0.1 0 0\n"))
                .camera1.intrinsics.fy,
            501);
  EXPECT_EQ(read_pair_calibration(
                write(R"({"camera1": {"width": 640, "height": 480, "fx": 500, "fy": 501, "cx": 320,
"cy": 240}, "camera2": {"width": 640, "height": 480, "fx": 500, "fy": 502, "cx": 320, "cy": 240},
"R": [1, 0, 0, 0, 1, 0, 0, 0, 1], "t": [-1, 0, 0]})"))
                .camera2.intrinsics.fy,
            502);
  const auto matrix = [](const char* name, int rows, int cols, const char* data) {
    return fmt::format("{}: !!opencv-matrix\n   rows: {}\n   cols: {}\n   dt: d\n   data: [{}]\n",
                       name, rows, cols, data);
  };
  const char* K = "500, 0, 320, 0, 501, 240, 0, 0, 1";
  EXPECT_EQ(
      read_pair_calibration(
          write("%YAML:1.0\n---\n" + matrix("M1", 3, 3, K) + matrix("M2", 3, 3, K) +
                matrix("R", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1") + matrix("T", 3, 1, "-1, 0, 0")))
          .camera2.intrinsics.fy,
      501);
}

TEST(TextFiles, NamesThatAreNoUtf8CanBeShown) {
  const std::string no = "\xef\xbf\xbd";
  EXPECT_EQ(valid_utf8(""), "");
  EXPECT_EQ(valid_utf8("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x93\xb7"),
            "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x93\xb7");
  EXPECT_EQ(valid_utf8("caf\xe9 1.jpg"), "caf" + no + " 1.jpg");
  EXPECT_EQ(valid_utf8("cut \xc3"), "cut " + no);
  EXPECT_EQ(valid_utf8("\xc0\xaf"), no + no);           // longer than needed
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), no + no + no);  // half of a UTF-16 pair
  EXPECT_EQ(valid_utf8("\xf5\x80\x80\x80"), no + no + no + no);
  EXPECT_EQ(valid_utf8("\xff\xfe"), no + no);
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  EXPECT_EQ(valid_utf8(valid_utf8(all)), valid_utf8(all));
}

TEST(NameOrder, TakesDigitsAsNumbers) {
  const std::vector<std::string> ordered = {
      "0.jpg",         "01/a.jpg",      "01/b.jpg",       "1/a.jpg",        "1.jpg",
      "2/frame_1.jpg", "2/frame_9.jpg", "2/frame_10.jpg", "10/frame_2.jpg", "a/10.jpg",
      "a.jpg",         "a2b01.jpg",     "a2b1.jpg",       "a2b3.jpg",       "a10b2.jpg",
      "frame_001.jpg", "frame_1.jpg",   "frame_02.jpg",   "frame_12.jpg",   "frame_0100.jpg",
      "\xc3\xa9.jpg"};
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string> mixed = ordered;
    std::shuffle(mixed.begin(), mixed.end(), random);
    std::sort(mixed.begin(), mixed.end(), comes_before);
    EXPECT_EQ(mixed, ordered);
  }
  const auto before = [&](const char* a, const char* b) {
    EXPECT_TRUE(comes_before(a, b)) << a << ' ' << b;
    EXPECT_FALSE(comes_before(b, a)) << a << ' ' << b;
  };
  for (const std::string& name : ordered) EXPECT_FALSE(comes_before(name, name));
  before("frame_2.jpg", "frame_10.jpg");
  before("frame_0009.jpg", "frame_10.jpg");
  before("18446744073709551615.jpg", "18446744073709551616.jpg");
  before("99999999999999999999.jpg", "100000000000000000000.jpg");
  // Names that are equal as numbers are ordered by their bytes, and folders stay together.
  before("01.jpg", "1.jpg");
  before("01/b.jpg", "1/a.jpg");
  before("2/frame_10.jpg", "10/frame_2.jpg");
  before("a/2.jpg", "a-1/1.jpg");
  before("a", "a/1.jpg");
}

}  // namespace
}  // namespace bifocal::test
