// SPDX-License-Identifier: BSD-3-Clause
// Runs the fuzzers' bodies over their corpus and over mutations that are the same in every run, for
// compilers without libFuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz_collection.hpp"
#include "fuzz_model.hpp"
#include "fuzz_polar.hpp"
#include "support/paths.hpp"

namespace bifocal {
namespace {

constexpr int kMutationsAFile = 400;

class Random {
 public:
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return std::size_t(state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 1;
};

// Makes one to four edits: a byte replaced, a bit flipped, a run of bytes erased, doubled or set to
// an extreme.
std::string mutated(std::string bytes, Random& random) {
  for (std::size_t edits = 1 + random.below(4); edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = random.below(bytes.size());
    const std::size_t run = std::min(bytes.size() - at, 1 + random.below(8));
    switch (random.below(6)) {
      case 0:
        bytes[at] = char(random.below(256));
        break;
      case 1:
        bytes[at] = char(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes.erase(at, run);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, run));
        break;
      case 4:
        std::fill_n(bytes.begin() + std::ptrdiff_t(at), run, char(random.below(2) ? 0xff : 0));
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

void run(const std::string& target, void (*body)(std::string_view)) {
  const std::filesystem::path folder =
      std::filesystem::path(test::kSourceFolder) / "tests/fuzz/corpus" / target;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty()) << folder;
  Random random;
  body({});
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    const std::string seed = read_file(file);
    body(seed);
    for (int i = 0; i < kMutationsAFile; ++i) body(mutated(seed, random));
  }
}

TEST(Mutations, Image) { run("image", fuzz::image); }
TEST(Mutations, Pfm) { run("pfm", fuzz::pfm); }
TEST(Mutations, Text) { run("text", fuzz::text); }
TEST(Mutations, Npz) { run("npz", fuzz::npz); }
TEST(Mutations, Exif) { run("exif", fuzz::exif); }
TEST(Mutations, Colmap) { run("colmap", fuzz::colmap); }
TEST(Mutations, Model) { run("model", fuzz::model); }
TEST(Mutations, Shards) { run("shards", fuzz::shards); }
TEST(Mutations, Plan) { run("plan", fuzz::plan); }
TEST(Mutations, Polar) { run("polar", fuzz::polar); }

}  // namespace
}  // namespace bifocal
