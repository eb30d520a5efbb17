// SPDX-License-Identifier: BSD-3-Clause
// Wrong input gets the documented exit code and a message that names the file, argument and value;
// no half-written file remains.
#include <gtest/gtest.h>

#include <fstream>

#include "cli/process.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

struct Bad {
  std::string arguments;
  int code;
  std::string named;  // expected in the message

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.arguments; }
};

class BadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadInput, is_named_and_leaves_no_files) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const std::string png = read_file(folder / "left.png");
  write_file(folder / "matches.png", png);
  write_file(folder / "text.png", "this is no picture\n");
  write_file(folder / "short.png", std::string_view(png).substr(0, png.size() / 2));
  write_file(folder / "empty.txt", "# nothing\n");
  write_file(folder / "words.txt", "1 2 3 four\n");
  write_file(folder / "two.txt", "1 2 3 4\n5 6 7 8\n");
  write_file(folder / "far.txt", "1 2 3 4\n5000 6 7 8\n");
  write_file(folder / "nan.txt", "nan nan nan nan\n1 inf 2 3\n");
  write_file(folder / "other.txt",
             "cam0=[400 0 20; 0 400 15; 0 0 1]\ncam1=[400 0 20; 0 400 15; 0 0 1]\n"
             "baseline=1\nwidth=40\nheight=30\n");
  write_file(folder / "same.txt",
             "cam0=[400 0 200; 0 400 150; 0 0 1]\ncam1=[400 0 200; 0 400 150; 0 0 1]\n"
             "baseline=1\nwidth=400\nheight=300\n");
  write_png(folder / "small.png", ImageU8(10, 10, 1, std::uint8_t{3}));
  { std::ofstream touch(folder / "void.png"); }
  const auto before = listing(folder.path());
  const auto [arguments, code, named] = GetParam();
  const Ran r = run(folder, arguments);
  EXPECT_EQ(r.code, code) << r.err;
  EXPECT_NE(r.err.find(named), std::string::npos) << r.err;
  EXPECT_EQ(listing(folder.path()), before);
}

INSTANTIATE_TEST_SUITE_P(
    Usage, BadInput,
    testing::Values(
        Bad{"frobnicate", 2, "frobnicate: no such command"},
        Bad{"colect in", 2, "colect: no such command; did you mean collect?"},
        Bad{"pair left.png right.png --out o --treshold 2", 2, "did you mean --threshold?"},
        Bad{"pair left.png right.png --out o --model essential", 2, "--model: is now --kind"},
        Bad{"pair left.png right.png --out o --model=auto", 2, "--model: is now --kind"},
        Bad{"pair left.png right.png --out o --kind essental", 2, "did you mean essential?"},
        Bad{"estimate homografy --points nan.txt", 2, "did you mean homography?"},
        Bad{"pair", 2, "LEFT"}, Bad{"pair left.png right.png", 2, "--out"},
        Bad{"pair left.png right.png --out o --colour red", 2, "--colour"},
        Bad{"pair left.png right.png --out o --ratio 3", 2, "--ratio: 3 is out of range"},
        Bad{"pair left.png right.png --out o --ratio nan", 2, "--ratio: nan"},
        Bad{"pair left.png right.png --out o --threshold -1", 2, "--threshold: -1"},
        Bad{"pair left.png right.png --out o --threshold two", 2, "two is not a number"},
        Bad{"pair left.png right.png --out o --seed -5", 2, "--seed"},
        Bad{"pair left.png right.png --out o --seed 18446744073709551616", 2,
            "--seed: 18446744073709551616 is out of range"},
        Bad{"pair left.png right.png --out o --seed 1e3", 2, "--seed: 1e3 is not a whole number"},
        Bad{"pair left.png right.png --out o --threads -1", 2, "--threads"},
        Bad{"pair left.png right.png --out o --kind conic", 2, "conic"},
        Bad{"pair left.png right.png --out o --features orb", 2, "orb"},
        Bad{"pair left.png right.png --out o --balance 129", 2, "129"},
        Bad{"pair left.png right.png --out o --features surf --domain-size-pooling", 2,
            "--domain-size-pooling: is only for SIFT, not for --features surf"},
        Bad{"pair left.png right.png --out o --domain-size-pooling=maybe", 2,
            "--domain-size-pooling"},
        Bad{"pair left.png right.png --out o --features surf --affine-shape", 2,
            "--affine-shape: is only for SIFT, not for --features surf"},
        Bad{"pair left.png right.png --out o --affine-shape=maybe", 2, "--affine-shape"},
        Bad{"pair left.png right.png --out o --mask1 small.png", 2,
            "small.png: mask of 10 x 10 px"},
        Bad{"pair left.png right.png --out o --intrinsics 1,2,3", 2, "1,2,3"},
        Bad{"pair left.png right.png --out o --matches far.txt", 3,
            "far.txt: row 2: 5000 6 is outside left.png, "},
        Bad{"pair left.png right.png --out o --near 10 --far 1", 2,
            "near_depth = 10, far_depth = 1: near must be less"},
        Bad{"pair left.png right.png --out o --intrinsics 1,2,3,4 --calib x", 2, "--calib"},
        Bad{"pair left.png right.png --out o --kind essential", 2, "--intrinsics"},
        Bad{"pair left.png right.png --out ''", 2, "--out"},
        Bad{"pair matches.png right.png --out .", 2,
            "matches.png would replace the input matches.png"},
        Bad{"stereo small.png small.png --out o", 3, "--max-disparity"},
        Bad{"stereo left.png right.png --out o --max-disparity 0", 2, "--max-disparity: 0"},
        Bad{"stereo left.png right.png --out o --max-disparity 5000", 2, "5000"},
        Bad{"stereo left.png right.png --out o --max-disparity 010", 2, "010 is not a number"},
        Bad{"stereo left.png right.png --out o --max-disparity 0x10", 2, "0x10 is not a number"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --method ssd --window 4", 2,
            "--window: 4"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --window 99", 2, "--window: 99"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --window 9", 2,
            "--window: is only for --method ssd"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --method ssd --paths 4", 2,
            "--paths: is only for --method sgm"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --paths 5", 2, "--paths: 5"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --p1 50 --p2 20", 2, "--p2: 20"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --fill some", 2, "--fill: some"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --max-memory 10K", 2,
            "--max-memory = 10240"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --max-memory -1", 2,
            "--max-memory: -1 is negative"},
        Bad{"estimate homography --scenes nan.txt --result ''", 2,
            "--result: the file name is empty"},
        Bad{"estimate homography --scenes nan.txt --result r.npz --strict", 2, "excludes --strict"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --mask m.png", 2, "--truth"},
        Bad{"estimate conic --points nan.txt", 2, "conic"},
        Bad{"estimate essential --points nan.txt", 2, "--intrinsics"},
        Bad{"bench svd", 2, "bench: no such command"}));

INSTANTIATE_TEST_SUITE_P(
    Input, BadInput,
    testing::Values(
        Bad{"pair left.png missing.png --out o", 3, "missing.png"},
        Bad{"pair left.png right.png --out o --mask2 none.png", 3, "none.png"},
        Bad{"pair text.png right.png --out o", 3, "text.png"},
        Bad{"pair left.png short.png --out o", 3, "short.png"},
        Bad{"pair void.png left.png --out o", 3, "void.png"},
        Bad{"pair . left.png --out o", 3, "."},
        Bad{"pair left.png /dev/zero --out o", 3, "/dev/zero: is a device, not a file"},
        Bad{"stereo /dev/zero left.png --out o --max-disparity 9", 3, "/dev/zero: is a device"},
        Bad{"pair left.png right.png --out o --calib /dev/zero", 3, "/dev/zero: is a device"},
        Bad{"estimate homography --points /dev/zero", 3, "/dev/zero: is a device"},
        Bad{"verify /dev/zero", 3, "/dev/zero: is a device"}, Bad{"verify . ", 3, ".: is a folder"},
        Bad{"report /dev/zero --out o.html", 3, "/dev/zero: is a device"},
        Bad{"collect left.png --database o.db --pairs /dev/zero", 3, "/dev/zero: is a device"},
        Bad{"collect left.png --database o.db --features /dev/zero", 3, "/dev/zero: is a device"},
        Bad{"pair left.png right.png --out left.png", 3, "left.png"},
        Bad{"pair left.png right.png --out left.png/deep", 3, "left.png/deep"},
        Bad{"pair left.png right.png --out /proc/nowhere", 3, "/proc/nowhere"},
        Bad{"pair left.png right.png --out o --calib missing.txt", 3, "missing.txt"},
        Bad{"pair left.png right.png --out o --calib words.txt", 3, "words.txt"},
        Bad{"pair left.png right.png --out o --calib other.txt", 3,
            "other.txt: is for 40 x 30 px, but left.png is 400 x 300 px"},
        Bad{"pair left.png small.png --out o --calib same.txt", 3,
            "same.txt: is for 400 x 300 px, but small.png is 10 x 10 px"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --calib other.txt", 3,
            "other.txt: is for 40 x 30 px, but left.png is 400 x 300 px"},
        Bad{"stereo left.png small.png --out o --max-disparity 32", 3, "small.png: 10 x 10"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --truth small.png", 3,
            "small.png"},
        Bad{"stereo left.png right.png --out o --max-disparity 32 --truth text.png", 3, "text.png"},
        Bad{"estimate homography --points missing.txt", 3, "missing.txt"},
        Bad{"estimate homography --points words.txt", 3, "words.txt"},
        Bad{"estimate homography --points empty.txt", 3, "empty.txt"}));

INSTANTIATE_TEST_SUITE_P(
    Device, BadInput,
    testing::Values(Bad{"pair left.png right.png --out o --device cuda:77", 4, "'cuda:77'"},
                    Bad{"stereo left.png right.png --out o --max-disparity 9 --device opencl:77", 4,
                        "opencl:77"},
                    Bad{"estimate homography --points nan.txt --device tpu", 2, "'tpu'"}));

INSTANTIATE_TEST_SUITE_P(NoGeometry, BadInput,
                         testing::Values(Bad{"estimate homography --points nan.txt", 5,
                                             "fewer matches than a model needs"},
                                         Bad{"estimate fundamental --points two.txt", 5,
                                             "fewer matches than a model needs"}));

TEST(BadInput, one_pixel_pictures_have_disparity_but_no_depth) {
  const TemporaryFolder folder;
  write_png(folder / "dot.png", ImageU8(1, 1, 1, std::uint8_t{3}));
  const Ran r = run(folder, "stereo dot.png dot.png --out o --max-disparity 4");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "o/disparity.pfm"));
}

// An interrupted run leaves all of its files or none, and no hidden folder, whenever it
// is interrupted.
TEST(BadInput, a_terminated_run_leaves_all_files_or_none) {
  const TemporaryFolder folder;
  write_pictures(folder);
  for (int delay_ms = 0; delay_ms <= 60; delay_ms += 4) {
    const int status = std::system(fmt::format("cd '{}' || exit; '{}' stereo left.png right.png "
                                               "--max-disparity 40 --out new >.out 2>.err & "
                                               "sleep 0.{:03}; kill -TERM $!; wait $!",
                                               folder.path().string(), test::kProgram, delay_ms)
                                       .c_str());
    if (std::filesystem::exists(folder / "new")) {
      const auto names = listing(folder / "new");
      EXPECT_TRUE(std::find(names.begin(), names.end(), "stereo.json") != names.end())
          << delay_ms << " ms";
      for (const std::string& name : names)
        EXPECT_FALSE(name.starts_with(".")) << name << ' ' << delay_ms << " ms";
    } else {
      EXPECT_NE(status, 0) << delay_ms << " ms";
    }
    std::filesystem::remove_all(folder / "new");
  }
}

TEST(BadInput, stdout_that_is_full_is_an_error) {
  const std::string command = fmt::format("'{}' devices >/dev/full 2>/dev/null", test::kProgram);
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 3);
}

}  // namespace
}  // namespace bifocal::test
