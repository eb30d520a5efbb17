// SPDX-License-Identifier: BSD-3-Clause
// What a shell user meets first: help, completion, the manual page, and a stereo range that is
// estimated.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>

#include "cli/process.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

TEST(Shell, HelpIsPrintedWithoutArguments) {
  const TemporaryFolder folder;
  const Ran r = run(folder, "");
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("collect"), std::string::npos);
  EXPECT_EQ(r.err, "");
}

TEST(Shell, LongHelpHasGroups) {
  const TemporaryFolder folder;
  const Ran collect = run(folder, "collect --help"), pair = run(folder, "pair --help");
  for (const char* group : {"Selection of pairs:", "Features:", "Verification:", "Cameras:"})
    EXPECT_NE(collect.out.find(group), std::string::npos) << group;
  for (const char* group : {"Features:", "Matching:", "Robust estimation:"})
    EXPECT_NE(pair.out.find(group), std::string::npos) << group;
}

TEST(Shell, AutoIsTheBestDeviceAlsoForOnePair) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const auto device_of = [&](const std::string& options) {
    const Ran r = run(folder, "pair left.png planar.png --no-dense --json --out o" + options);
    EXPECT_EQ(r.code, 0) << r.err;
    return json::parse(r.out)["device"].get<std::string>();
  };
  EXPECT_EQ(device_of(" --device auto"), Device("auto").info().id);
  EXPECT_EQ(device_of(""), "cpu");
}

TEST(Shell, HelpNamesTheImageFormats) {
  const TemporaryFolder folder;
  for (const char* command : {"pair", "rectify"}) {
    const std::string help = run(folder, std::string(command) + " --help").out;
    for (const char* format : {"JPEG", "PNG", "BMP", "PGM or PPM"})
      EXPECT_NE(help.find(format), std::string::npos) << command << ' ' << format;
  }
}

TEST(Shell, BashCompletesCommandsOptionsAndWords) {
  const TemporaryFolder folder;
  const Ran r = run(folder, "completion");
  ASSERT_EQ(r.code, 0);
  write_file(folder / "bifocal.bash", r.out);
  const auto complete = [&](const std::string& words, int at) {
    const std::string command = fmt::format(
        "cd '{}' && bash -c 'source ./bifocal.bash; COMP_WORDS=({}); COMP_CWORD={}; _bifocal; echo "
        "\"${{COMPREPLY[*]}}\"' >answer.txt 2>&1",
        folder.path().string(), words, at);
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_file(folder / "answer.txt");
  };
  EXPECT_EQ(complete("bifocal col", 1), "collect\n");
  EXPECT_NE(complete("bifocal pair --thr", 2).find("--threshold"), std::string::npos);
  EXPECT_EQ(complete("bifocal pair --kind hom", 3), "homography\n");
}

TEST(Shell, ManualPageHasEveryCommand) {
  const TemporaryFolder folder;
  const Ran r = run(folder, "man");
  ASSERT_EQ(r.code, 0);
  EXPECT_EQ(r.out.find(".TH BIFOCAL 1"), 0U);
  for (const char* command :
       {"pair", "rectify", "stereo", "estimate", "verify", "collect", "report"})
    EXPECT_NE(r.out.find(fmt::format(".SS bifocal {}", command)), std::string::npos) << command;
  EXPECT_NE(r.out.find(".SH EXIT STATUS"), std::string::npos);
}

TEST(Shell, StereoEstimatesItsRangeFromMatches) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const Ran r = run(folder, "stereo left.png right.png --out o --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_GT(j["density"], 75);
  EXPECT_LE(j["min_disparity"], 10);
  EXPECT_GT(j["max_disparity"], 28);
  EXPECT_LT(j["max_disparity"], 60);
}

TEST(Shell, StereoOfAnUnrectifiedPairSaysSo) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const Ran refused = run(folder, "stereo left.png planar.png --out o --overwrite");
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("left.png, planar.png: the pair is not rectified"), std::string::npos)
      << refused.err;
  const Ran warned =
      run(folder, "stereo left.png planar.png --out o --overwrite --max-disparity 32");
  EXPECT_EQ(warned.code, 0) << warned.err;
  EXPECT_NE(warned.err.find("the pair is not rectified"), std::string::npos) << warned.err;
}

}  // namespace
}  // namespace bifocal::test
