// SPDX-License-Identifier: BSD-3-Clause
// `collect --max-memory` limits the largest resident set of the program.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "cli/process.hpp"
#include "support/long_tests.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

// Runs the command and returns its largest resident set in bytes.
std::int64_t peak_memory(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string command = fmt::format("cd '{}' && exec '{}' {} >.out 2>.err </dev/null",
                                          folder.path().string(), test::kProgram, arguments);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  EXPECT_EQ(wait4(child, &status, 0, &used), child);
  EXPECT_TRUE(WIFEXITED(status)) << text_of(folder / ".err");
  return std::int64_t{used.ru_maxrss} * 1024;
}

// Freed arrays of one image size do not fit the arrays of another size, and the features of many
// photographs fill the database's cache.
TEST(CollectMemory, is_bounded_for_mixed_image_sizes) {
  using Sizes = std::vector<std::pair<int, int>>;
  Sizes one_of_another_size(12, {1416, 1064});
  one_of_another_size[0] = {1536, 1024};
  const Sizes mixtures[] = {
      one_of_another_size,
      {{700, 500}, {1024, 1536}, {640, 480}, {1600, 1100}, {320, 240}, {1200, 1200}}};
  const TemporaryFolder folder;
  write_file(folder / "pairs.txt", "0.jpg 1.jpg\n");
  for (const Sizes& sizes : std::span(mixtures).last(test::short_or_long(1, 2))) {
    std::filesystem::remove_all(folder / "mixed");
    std::filesystem::create_directories(folder / "mixed");
    for (std::size_t i = 0; i < sizes.size(); ++i)
      write_file(folder / fmt::format("mixed/{}.jpg", i),
                 encode_jpeg(texture(sizes[i].first, sizes[i].second, unsigned(i)), 95));
    for (const int threads : test::short_or_long<std::vector<int>>({2}, {1, 2})) {
      const std::int64_t peak = peak_memory(
          folder,
          fmt::format(
              "collect mixed --database mixed.db --device cpu --overwrite --pairs pairs.txt "
              "--max-memory 96M --threads {}",
              threads));
      EXPECT_TRUE(std::filesystem::exists(folder / "mixed.db")) << text_of(folder / ".err");
      fmt::print("{} photographs, {} threads: {:.1f} MB\n", sizes.size(), threads,
                 static_cast<double>(peak) * 1e-6);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      EXPECT_LE(peak, std::int64_t{96} << 20);
#endif
    }
  }
}

}  // namespace
}  // namespace bifocal::test
