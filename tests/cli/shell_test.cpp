// SPDX-License-Identifier: BSD-3-Clause
// What a shell user meets first: help, completion, the manual page, and a stereo range that is
// estimated.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

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

TEST(Shell, HelpIsACommand) {
  const TemporaryFolder folder;
  EXPECT_EQ(run(folder, "help").out, run(folder, "--help").out);
  const Ran map = run(folder, "help map");
  EXPECT_EQ(map.code, 0);
  EXPECT_EQ(map.out, run(folder, "map --help").out);
  const Ran unknown = run(folder, "help colect");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("colect: no such command; did you mean collect?"), std::string::npos)
      << unknown.err;
}

TEST(Shell, LongHelpHasShortGroups) {
  const TemporaryFolder folder;
  const std::string collect = run(folder, "collect --help").out;
  for (const char* group : {"Selection of pairs:", "Features:", "Verification:", "Cameras:",
                            "Models:", "Devices and output:"})
    EXPECT_NE(collect.find(group), std::string::npos) << group;
  for (const char* command : {"collect", "pair", "stereo", "map", "dense", "verify"}) {
    std::istringstream lines(run(folder, std::string(command) + " --help").out);
    int options = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(' ')) options = 0;
      if (line.starts_with("  -")) ++options;
      EXPECT_LE(options, 15) << command << line;
    }
  }
}

TEST(Shell, WordsAreSuggestedWhereFilesArePossible) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const auto error_of = [&](const std::string& options) {
    const Ran r = run(folder, "collect left.png right.png --database o.db " + options);
    EXPECT_EQ(r.code, 2) << r.err;
    return r.err;
  };
  EXPECT_NE(
      error_of("--pairs sequental")
          .find("--pairs: sequental not in {auto,all,exhaustive,sequential,retrieval,gps}, and "
                "there is no such file or folder; did you mean sequential?"),
      std::string::npos)
      << error_of("--pairs sequental");
  EXPECT_NE(error_of("--features shift").find("did you mean sift?"), std::string::npos);
  EXPECT_NE(error_of("--masks nowhere").find("bifocal: --masks: nowhere: is no folder"),
            std::string::npos)
      << error_of("--masks nowhere");
  // The name of a file.
  const Ran file = run(folder, "collect left.png right.png --database o.db --pairs pairs.txt");
  EXPECT_EQ(file.code, 3);
  EXPECT_NE(file.err.find("pairs.txt: can't be read"), std::string::npos) << file.err;
  const Ran place = run(folder, "collect left.png --database nowhere/o.db");
  EXPECT_EQ(place.code, 3);
  EXPECT_NE(place.err.find("nowhere/o.db: can't be written"), std::string::npos) << place.err;
}

// Exit codes that a text names.
std::set<int> codes_in(const std::string& text) {
  const std::regex number("(^|[^0-9.])([0-9]{1,3})(?![0-9.])");
  std::set<int> codes;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
    codes.insert(std::stoi((*at)[2]));
  return codes;
}

TEST(Shell, ExitCodesAreTheSameInAllTexts) {
  const TemporaryFolder folder;
  const auto part = [](const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t at = text.find(begin);
    EXPECT_NE(at, std::string::npos) << begin;
    return at == std::string::npos ? "" : text.substr(at, text.find(end, at) - at);
  };
  const std::filesystem::path source = kSourceFolder;
  const std::set<int> all = {0, 2, 3, 4, 5, 65, 75, 130};
  EXPECT_EQ(codes_in(part(run(folder, "map --help").out, "Exit codes:", "\n")), all);
  EXPECT_EQ(codes_in(part(run(folder, "man").out, ".SH EXIT STATUS", "\n\n")), all);
  EXPECT_EQ(codes_in(part(read_text(source / "README.md"), "Exit codes:", "\n\n")), all);
  // The first column of the table.
  std::string first;
  std::istringstream rows(part(read_text(source / "docs/quickstart.md"), "## Exit codes", "\nIf "));
  for (std::string row; std::getline(rows, row);)
    if (row.starts_with("| ")) first += row.substr(1, row.find('|', 1) - 1) + "\n";
  EXPECT_EQ(codes_in(first), all);
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
