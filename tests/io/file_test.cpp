// SPDX-License-Identifier: BSD-3-Clause
// Reading of all kinds of paths, and the files that a failed write leaves.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "io/regular_file.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

using test::expect_error;
using test::TemporaryFolder;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Reader = std::pair<std::string, void (*)(const std::filesystem::path&)>;
std::vector<Reader> readers() {
  return {{"image", [](const auto& f) { (void)read_image(f); }},
          {"image_16", [](const auto& f) { (void)read_image_16(f); }},
          {"samples", [](const auto& f) { (void)read_samples(f); }},
          {"pfm", [](const auto& f) { (void)read_pfm(f); }},
          {"disparity", [](const auto& f) { (void)read_disparity(f); }},
          {"calibration", [](const auto& f) { (void)read_calibration(f); }},
          {"correspondences", [](const auto& f) { (void)read_correspondences(f); }},
          {"scene points", [](const auto& f) { (void)read_scene_points(f); }},
          {"npz", [](const auto& f) { (void)NpzFile(f); }}};
}

TEST(Files, EveryReaderNamesUnreadableFiles) {
  const TemporaryFolder folder;
  write_file(folder / "empty", "");
  write_file(folder / "noise", std::string(64, '\x07'));
  for (const auto& [name, read] : readers()) {
    SCOPED_TRACE(name);
    const auto reading = [&, body = read](const char* file) {
      return [&folder, body, file] { body(folder / file); };
    };
    expect_error(reading("missing"), "missing: can't be read: No such file");
    expect_error(reading("empty"), "empty: is empty");
    expect_error(reading("."), "is a folder");
    expect_error(reading("noise"), "noise: ");
  }
  expect_error([&] { (void)intrinsics_from_exif(folder / "missing"); }, "missing: can't be read");
  expect_error([&] { (void)read_file(folder / "noise", 63); }, "has 64 bytes, more than the 63");
}

TEST(Files, AFileOfKnownSizeIsReadInParts) {
  const TemporaryFolder folder;
  std::string bytes((5 << 19) + 3, '\0');  // two parts and a half
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  write_file(folder / "a", bytes);
  std::string read(bytes.size(), '\0'), longer(bytes.size() + 1, '\0');
  io::read_all(folder / "a", read);
  EXPECT_TRUE(read == bytes);
  expect_error([&] { io::read_all(folder / "a", longer); }, "a: has 2621443 bytes instead of");
  expect_error([&] { io::read_all(folder / "b", read); }, "b: can't be read: No such file");
  expect_error([&] { io::read_all(folder / ".", read); }, "is a folder");
}

TEST(Files, AFailedWriteLeavesNoFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken");
  expect_error([&] { write_file(folder / "taken", "x"); }, "taken: can't be written");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"taken"});
  EXPECT_TRUE(names_in(folder / "taken").empty());
  expect_error([&] { write_file(folder / "none" / "a", "x"); }, "No such file");
  write_file(folder / "a", "old");
  write_file(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"a", "taken"}));
}

TEST(Files, AWriteGoesThroughASymbolicLinkAndTakesTheLongestName) {
  const TemporaryFolder folder;
  write_file(folder / "target", "old");
  std::filesystem::create_symlink(folder / "target", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "new");
  const std::string longest(255, 'n');
  write_file(folder / longest, "x");
  EXPECT_EQ(read_file(folder / longest), "x");
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"link", longest, "target"}));
}

TEST(Files, ARunOutOfSpaceKeepsTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};  // the write stops half-way, as on a full disk
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_error([&] { write_file(folder / "a", std::string(5000, 'x')); }, "a: can't be written");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a"});
}

TEST(Files, AnUnwritableFolderKeepsTheOldFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  ::chmod(folder.path().c_str(), 0555);
  expect_error([&] { write_file(folder / "a", "new"); }, "Permission denied");
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(read_file(folder / "a"), "old");
}

TEST(Files, DevicesAreWrittenInPlace) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  expect_error([] { write_file("/dev/full", "x"); }, "/dev/full: can't be written: No space left");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// Such files have no end, or opening them has an effect.
TEST(Files, DevicesSocketsAndFoldersAreRefusedAtOnce) {
  const TemporaryFolder folder;
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A socket's whole path may have 108 characters.
  const std::string name = (folder / "s").string();
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::copy(name.begin(), name.end(), address.sun_path);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const auto& read : readers()) {
    SCOPED_TRACE(read.first);
    expect_error([&] { read.second(folder / "s"); }, "s: is a socket, not a file");
    expect_error([&] { read.second("/dev/zero"); }, "/dev/zero: is a device, not a file");
    expect_error([&] { read.second("/dev/null"); }, "/dev/null: is a device, not a file");
    expect_error([&] { read.second(folder.path()); }, "is a folder, not a file");
  }
  ::close(socket);
}

TEST(Files, FilesThatHaveNoSizeAreReadToTheirEnd) {
  if (!std::filesystem::exists("/proc/self/status")) GTEST_SKIP() << "no /proc";
  EXPECT_NE(read_file("/proc/self/status").find("Pid:"), std::string::npos);
}

}  // namespace
}  // namespace bifocal
