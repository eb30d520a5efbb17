// SPDX-License-Identifier: BSD-3-Clause
// Collections with features from another tool: an .npz file for each photograph, or a file that the
// caller reads, as the Python package reads hloc's.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "collection/collect/given.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

using colmap::Database, collection::GivenFile, collection::GivenImage;

constexpr int kWidth = 320, kHeight = 240, kViews = 4;

std::string name_of(int i) { return fmt::format("db/{}.png", i); }

// Views of one plane, each with features as another tool may write them: descriptors of 32 numbers.
class ImportedFeatures : public ::testing::Test {
 protected:
  struct Own {
    std::vector<float> xy, values;  // [N, 2], [N, size]
    std::size_t size = 32;
    bool is_bytes = false;
    [[nodiscard]] std::size_t count() const { return xy.size() / 2; }
  };

  void SetUp() override {
    std::filesystem::create_directories(folder / "in/db");
    const ImageU8 plane = texture(kWidth, kHeight, 5);
    for (int i = 0; i < kViews; ++i) {
      const double a = 0.03 * i;
      const ImageU8 view =
          warp(plane, {1 - a, a, 5.0 * i, -a, 1, 3.0 * i, 1e-4 * i, 5e-5 * i, 1}, kWidth, kHeight);
      write_png(folder / ("in/" + name_of(i)), view);
      const Features found = detect_sift(view, {.max_features = 400});
      Own own;
      for (const Keypoint& k : found.keypoints) own.xy.insert(own.xy.end(), {k.x, k.y});
      for (std::size_t n = 0; n < found.descriptors.size(); n += 4) {
        float sum = 0;
        for (std::size_t k = 0; k < 4; ++k) sum += found.descriptors[n + k];
        own.values.push_back(sum / 64);
      }
      features[i] = own;
    }
  }
  // Matches of pairs of photographs, by number.
  using Matches = std::map<std::pair<int, int>, std::vector<colmap::IndexPair>>;

  // File whose features and matches are in memory.
  class MemoryFile final : public GivenFile {
   public:
    MemoryFile(const std::map<int, Own>& features, const Matches& matches)
        : features_(features), matches_(matches) {}
    [[nodiscard]] GivenImage features(const std::string& name, const PhotographInfo&,
                                      bool has_descriptors) const override {
      const auto found = std::ranges::find_if(
          features_, [&](const auto& own) { return name_of(own.first) == name; });
      if (found == features_.end()) throw Error(ErrorCode::input, "f.h5: has no image " + name);
      const Own& own = found->second;
      GivenImage image;
      for (std::size_t i = 0; i < own.count(); ++i)
        image.keypoints.push_back({own.xy[2 * i], own.xy[2 * i + 1]});
      if (has_descriptors) {
        image.descriptors = own.values;
        image.kind = {static_cast<int>(own.size), own.is_bytes};
      }
      return image;
    }
    [[nodiscard]] std::vector<ImagePair> pairs(
        const std::vector<std::string>& names) const override {
      const auto index = [&](int i) {
        return static_cast<int>(std::ranges::find(names, name_of(i)) - names.begin());
      };
      std::vector<ImagePair> pairs;
      for (const auto& [pair, rows] : matches_)
        pairs.push_back({index(pair.first), index(pair.second)});
      return pairs;
    }
    [[nodiscard]] std::vector<colmap::IndexPair> matches(const std::string& name1,
                                                         const std::string& name2) const override {
      for (const auto& [pair, rows] : matches_)
        if (name_of(pair.first) == name1 && name_of(pair.second) == name2) return rows;
      return {};
    }

   private:
    const std::map<int, Own>& features_;
    const Matches& matches_;
  };

  // Makes files of `features` and `given_matches`. Their bytes identify the content.
  void write_files() {
    std::string bytes;
    for (const auto& [i, own] : features)
      bytes.append(reinterpret_cast<const char*>(own.values.data()), 4 * own.values.size());
    write_file(folder / "f.h5", bytes);
    write_file(folder / "m.h5", "matches");
    collection::given_opener() = [this](const auto&, bool) {
      return std::make_unique<MemoryFile>(features, given_matches);
    };
  }
  void TearDown() override { collection::given_opener() = {}; }
  void write_npz_of(const std::string& name, const Own& own) const {
    const auto n = static_cast<std::int64_t>(own.count());
    std::filesystem::create_directories((folder / ("npz/" + name)).parent_path());
    write_npz(folder / ("npz/" + name + ".npz"),
              std::vector<NamedArray>{
                  {"keypoints", {{n, 2}, own.xy}},
                  {"descriptors", {{n, static_cast<std::int64_t>(own.size)}, own.values}}});
  }
  [[nodiscard]] const Own& at(int i) const { return features.at(i); }
  CollectResult run(const std::string& source, CollectOptions options = {}) const {
    Queue queue;
    return run(queue, source, options);
  }
  CollectResult run(Queue& queue, const std::string& source, CollectOptions options) const {
    options.given.source = folder / source;
    const std::vector<std::string> in = {(folder / "in").string()};
    return collect(queue, list_photographs(in), folder / "out.db", options);
  }
  std::vector<FloatMatch> expected(int i, int k, const FloatMatchOptions& options) const {
    const auto view = [](const Own& own) {
      return FloatDescriptors{own.values.data(), int(own.count()), int(own.size)};
    };
    return match(view(at(i)), view(at(k)), options);
  }

  TemporaryFolder folder;
  std::map<int, Own> features;  // by photograph
  Matches given_matches;
};

TEST_F(ImportedFeatures, TakeTheMatchesOfTheFile) {
  const FloatMatchOptions matching = {.max_ratio = 0.9};
  for (const auto& [i, k] : {std::pair(0, 1), std::pair(1, 2)})
    for (const FloatMatch& m : expected(i, k, matching))
      given_matches[{i, k}].push_back({std::uint32_t(m.index1), std::uint32_t(m.index2)});
  write_files();
  const CollectResult found = run("f.h5", {.given = {.matches = folder / "m.h5"}});
  EXPECT_EQ(found.pairs, 2);
  EXPECT_EQ(found.verified, 2);
  const Database database(folder / "out.db");
  EXPECT_EQ(database.matches(1, 2)->size(), expected(0, 1, matching).size());
  EXPECT_FALSE(database.matches(1, 3));
  EXPECT_TRUE(run("f.h5", {.given = {.matches = folder / "m.h5"}}).was_complete);
  expect_error([&] { (void)run("f.h5"); }, "given.matches was");
}

TEST_F(ImportedFeatures, RefuseMatchesOfOtherFeatures) {
  given_matches[{0, 1}] = {{0, 100000}};
  write_files();
  expect_error([&] { (void)run("f.h5", {.given = {.matches = folder / "m.h5"}}); },
               "the matches are of other features");
}

TEST_F(ImportedFeatures, LoseTheirMatchesUnderAMask) {
  write_files();
  std::filesystem::create_directories(folder / "masks/db");
  ImageU8 mask(kWidth, kHeight, 1, std::uint8_t{255});
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth / 2; ++x) mask.at(x, y) = 0;
  write_png(folder / ("masks/" + name_of(0) + ".png"), mask);
  (void)run("f.h5", {.masks = folder / "masks"});
  const Database database(folder / "out.db");
  const auto matches = database.matches(1, 2);
  ASSERT_TRUE(matches);
  EXPECT_GT(matches->size(), 20U);
  EXPECT_EQ(database.keypoint_count(1), static_cast<std::int64_t>(at(0).count()));
  for (const colmap::IndexPair& m : *matches) EXPECT_GE(at(0).xy[2 * m.index1], kWidth / 2 - 0.5);
}

TEST_F(ImportedFeatures, keep_the_keypoints_and_matches_of_the_file) {
  write_files();
  const FloatMatchOptions matching = {.max_ratio = 0.9, .max_distance = 0.8};
  const CollectResult result = run("f.h5", {.given = {.matching = matching}});
  EXPECT_EQ(result.images, kViews);
  EXPECT_EQ(result.verified, 6);
  const Database database(folder / "out.db");
  for (int i = 0; i < kViews; ++i) {
    const auto id = static_cast<colmap::Id>(i + 1);
    const colmap::Keypoints points = database.keypoints(id);
    EXPECT_EQ(points.columns, 2);
    ASSERT_EQ(points.size(), at(i).count());
    for (std::size_t n = 0; n < points.data.size(); ++n)
      ASSERT_NEAR(points.data[n], at(i).xy[n], 1e-4);
    EXPECT_EQ(database.descriptors(id).size(), 0U);  // no floats in COLMAP's schema
    for (int k = i + 1; k < kViews; ++k) {
      const auto found = database.matches(id, static_cast<colmap::Id>(k + 1));
      const auto wanted = expected(i, k, matching);
      ASSERT_TRUE(found);
      ASSERT_EQ(found->size(), wanted.size());
      for (std::size_t n = 0; n < wanted.size(); ++n) {
        EXPECT_EQ((*found)[n].index1, std::uint32_t(wanted[n].index1));
        EXPECT_EQ((*found)[n].index2, std::uint32_t(wanted[n].index2));
      }
    }
  }
  const CollectSummary summary = read_collect_summary(folder / "out.db");
  std::string all;
  for (const auto& [name, value] : summary.settings) all += name + "=" + value + "\n";
  for (const char* setting :
       {"given.matching.max_ratio=0.9\n", "given.matching.mutual=yes\n",
        "given.matching.normalise=yes\n", "given.matching.max_distance=0.8\n", "given.source="})
    EXPECT_NE(all.find(setting), std::string::npos) << setting << all;
  EXPECT_EQ(all.find("sift."), std::string::npos);
}

TEST_F(ImportedFeatures, are_equal_from_a_folder_and_from_a_file) {
  write_files();
  (void)run("f.h5");
  const Database first(folder / "out.db");
  for (int i = 0; i < kViews; ++i) write_npz_of(name_of(i), at(i));
  EXPECT_EQ(run("npz", {.overwrite = true}).verified, 6);
  const Database second(folder / "out.db");
  for (const colmap::PairRows& row : second.geometry_rows()) {
    EXPECT_EQ(first.matches(row.image1, row.image2), second.matches(row.image1, row.image2));
    EXPECT_EQ(first.geometry(row.image1, row.image2)->H,
              second.geometry(row.image1, row.image2)->H);
  }
}

TEST_F(ImportedFeatures, of_bytes_enter_the_database) {
  for (auto& [i, own] : features) {
    own.is_bytes = true;
    for (float& v : own.values) v = std::min(std::round(4 * v), 255.0F);
    std::vector<float> wide;  // 128 numbers
    for (std::size_t i = 0; i < own.count(); ++i)
      for (int times = 0; times < 4; ++times)
        wide.insert(wide.end(), own.values.begin() + std::ptrdiff_t(32 * i),
                    own.values.begin() + std::ptrdiff_t(32 * (i + 1)));
    own.values = wide;
    own.size = 128;
  }
  write_files();
  EXPECT_EQ(run("f.h5").verified, 6);
  const colmap::Descriptors stored = Database(folder / "out.db").descriptors(2);
  ASSERT_EQ(stored.data.size(), at(1).values.size());
  for (std::size_t n = 0; n < stored.data.size(); ++n)
    ASSERT_EQ(float(stored.data[n]), at(1).values[n]);
}

TEST_F(ImportedFeatures, have_the_same_bytes_after_interruptions_on_every_device) {
  write_files();
  for_each_device([&](Queue& queue, const std::string& id) {
    const ThreadLimit limit(2);
    (void)run(queue, "f.h5", {});
    const std::string whole = read_file(folder / "out.db");
    std::filesystem::remove(folder / "out.db");
    (void)run(queue, "f.h5", {.block_size = 2});
    EXPECT_TRUE(whole == read_file(folder / "out.db")) << id;
    std::filesystem::remove(folder / "out.db");
    int stops = 0;
    for (int calls = 1; calls < 40; ++calls) {  // stopped at the first, second, ... progress
      CollectOptions options{.block_size = 2};
      int left = calls;
      options.progress = [&](const CollectProgress&) {
        if (--left == 0) throw Error(ErrorCode::input, "stopped");
      };
      try {
        (void)run(queue, "f.h5", options);
        break;
      } catch (const Error& e) {
        ASSERT_STREQ(e.what(), "stopped");
        ++stops;
      }
    }
    EXPECT_GT(stops, 3) << id;
    EXPECT_TRUE(whole == read_file(folder / "out.db")) << id;
    std::filesystem::remove(folder / "out.db");
  });
}

// Fixture in which photograph 2 gets invalid features.
class UnfitFeatures : public ImportedFeatures {
 protected:
  template <class Change>
  Own changed(int i, const Change& change) {
    Own own = at(i);
    change(own);
    return own;
  }
  std::string reason(const std::string& source) {
    const CollectResult result = run(source, {.overwrite = true});
    EXPECT_EQ(result.images, kViews - 1);
    EXPECT_EQ(result.verified, 3);
    return result.left_out.size() == 1 ? result.left_out[0].name + ": " + result.left_out[0].reason
                                       : fmt::format("{} are left out", result.left_out.size());
  }
  // Expects `part` in the reason if photograph 2 has these features.
  void told(const std::string& part, const Own& own) {
    features[2] = own;
    write_files();
    const std::string why = reason("f.h5");
    EXPECT_NE(why.find(part), std::string::npos) << why;
  }
};

TEST_F(UnfitFeatures, in_a_file_are_left_out_and_reported) {
  const Own whole = at(2);
  told("has descriptors of 16 floats, those before have 32 floats", changed(2, [](Own& o) {
         o.size = 16;
         o.values.resize(16 * o.count());
       }));
  features[2] = whole;
  told("has descriptors of 32 bytes, those before have 32 floats",
       changed(2, [](Own& o) { o.is_bytes = true; }));
  features[2] = whole;
  told("descriptor 3 has a number that is not finite",
       changed(2, [](Own& o) { o.values[3 * 32 + 5] = std::nanf(""); }));
  features[2] = whole;
  told("keypoint 1 at (5000, ", changed(2, [](Own& o) { o.xy[2] = 5000; }));
  features.erase(2);
  write_files();
  EXPECT_EQ(reason("f.h5"), "db/2.png: f.h5: has no image db/2.png");
}

TEST_F(UnfitFeatures, in_a_folder_of_arrays_are_left_out_and_reported) {
  for (const int i : {0, 1, 3}) write_npz_of(name_of(i), at(i));
  EXPECT_NE(reason("npz").find("has no features: there is no "), std::string::npos);
  write_npz_of(name_of(2), at(2));
  const std::filesystem::path file = folder / "npz/db/2.png.npz";
  const std::string bytes = read_file(file);
  write_file(file, bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(reason("npz").find("2.png.npz"), std::string::npos);
  const std::vector<NamedArray> three = {{"keypoints", {{2, 3}, std::vector<float>(6)}},
                                         {"descriptors", {{2, 4}, std::vector<float>(8)}}};
  write_npz(file, three);
  EXPECT_NE(reason("npz").find("'keypoints' has 3 columns"), std::string::npos);
}

TEST_F(ImportedFeatures, may_be_empty_and_give_no_pairs) {
  features[1].xy.clear();
  features[1].values.clear();
  write_files();
  const CollectResult result = run("f.h5");
  EXPECT_EQ(result.images, kViews);
  EXPECT_EQ(result.verified, 3);
}

TEST_F(ImportedFeatures, with_invalid_files_or_options_are_refused) {
  write_files();
  const auto refused = [&](const std::string& source, const CollectOptions& options,
                           const char* part, ErrorCode code = ErrorCode::input) {
    expect_error([&] { (void)run(source, options); }, part, code);
  };
  const ErrorCode usage = ErrorCode::usage;
  refused("f.h5", {.pairs = PairChoice::retrieval}, "found by features detected here", usage);
  refused("f.h5", {.pairs = PairChoice::sequential}, "--loop-period 0", usage);
  EXPECT_EQ(run("f.h5", {.pairs = PairChoice::sequential, .loop_period = 0}).verified, 6);
  refused("none.h5", {.overwrite = true}, "none.h5: can't be read");
  refused("in", {.overwrite = true}, "has no features: no .npz files");
  refused("f.h5", {.given = {.matching = {.max_ratio = 0}}}, "given.matching.max_ratio = 0", usage);
  refused("f.h5", {.given = {.matching = {.max_distance = -1}}}, "given.matching.max_distance",
          usage);
  // The features differ from the database's.
  features[0].values[0] += 1;
  write_files();
  refused("f.h5", {.pairs = PairChoice::sequential, .loop_period = 0},
          "other options: given.source was");
}

// Programs without Python refuse the files before they make any.
TEST_F(ImportedFeatures, in_a_file_without_a_reader_are_refused) {
  write_files();
  collection::given_opener() = {};
  const auto refused = [&](const std::string& source, const CollectOptions& options,
                           const std::string& part) {
    expect_error([&] { (void)run(source, options); }, part, ErrorCode::usage);
    EXPECT_FALSE(std::filesystem::exists(folder / "out.db"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out.db.part"));
  };
  refused("f.h5", {}, "f.h5: hloc's files are read by the Python package");
  refused("f.h5", {.given = {.matches = folder / "m.h5"}}, "python -m bifocal collect --features");
  for (const auto& [i, own] : features) write_npz_of(name_of(i), own);
  refused("npz", {.given = {.matches = folder / "m.h5"}}, "m.h5: hloc's files are read");
  EXPECT_EQ(run("npz").verified, 6);
}

}  // namespace
}  // namespace bifocal::test
