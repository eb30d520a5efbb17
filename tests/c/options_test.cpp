// SPDX-License-Identifier: BSD-3-Clause
// Options by name and text.
#include <map>
#include <vector>

#include "interface.hpp"

namespace bifocal::test {
namespace {

const char* const kCalls[] = {"sift",    "surf", "match",  "estimate", "pair",
                              "collect", "map",  "adjust", "dense"};

struct Texts {
  std::string help, range, unit, value;
};
std::map<std::string, Texts> all_of(bf_options* options) {
  std::map<std::string, Texts> all;
  std::int64_t count = 0;
  EXPECT_EQ(bf_options_count(options, &count), BF_OK);
  auto info = sized<bf_option_info>();
  for (std::int64_t i = 0; i < count; ++i) {
    EXPECT_EQ(bf_options_get(options, i, &info), BF_OK) << bf_error();
    all[info.name] = {info.help, info.range, info.unit, info.value};
  }
  expect_usage(bf_options_get(options, count, &info), "must be below " + std::to_string(count));
  expect_usage(bf_options_get(options, -1, &info), "index = -1");
  EXPECT_EQ(std::int64_t(all.size()), count) << "two options have one name";
  return all;
}
std::string value_of(bf_options* options, const std::string& name) {
  return all_of(options).at(name).value;
}

TEST(COptions, EveryOptionTakesItsOwnValue) {
  for (const char* call : kCalls) {
    OptionsHandle options;
    expect_ok(bf_options_create(call, options.out()));
    const auto all = all_of(options);
    EXPECT_GE(all.size(), 4U) << call;
    for (const auto& [name, texts] : all) {
      EXPECT_FALSE(texts.help.empty()) << call << ' ' << name;
      // Members of an optional struct would make one.
      if (name.starts_with("surf.")) continue;
      EXPECT_EQ(bf_options_set(options, name.c_str(), texts.value.c_str()), BF_OK) << bf_error();
      EXPECT_EQ(value_of(options, name), texts.value);
    }
  }
}

TEST(COptions, ValuesOfEveryKindAreSet) {
  OptionsHandle collect, pair, adjust, map;
  expect_ok(bf_options_create("collect", collect.out()));
  expect_ok(bf_options_create("pair", pair.out()));
  expect_ok(bf_options_create("adjust", adjust.out()));
  expect_ok(bf_options_create("map", map.out()));
  const std::vector<std::tuple<bf_options*, const char*, const char*, const char*>> kSettings = {
      {collect, "max_memory", "2G", "2147483648"},
      {collect, "pairs", "sequential", "sequential"},
      {collect, "sift.contrast_threshold", "0.01", "0.01"},
      {collect, "surf.upright", "true", "true"},
      {collect, "geometry.seed", "18446744073709551615", "18446744073709551615"},
      {collect, "masks", "some/folder", "some/folder"},
      {collect, "cameras.model", "OPENCV", "OPENCV"},
      {collect, "cameras.intrinsics", "800, 801,319.5,239.5", "800,801,319.5,239.5"},
      {collect, "cameras.intrinsics", "", ""},
      {collect, "drop_contradicting", "1", "true"},
      {pair, "robust.threshold", "2.5e0", "2.5"},
      {pair, "min_disparity", "-7", "-7"},
      {pair, "dense", "false", "false"},
      {pair, "overwrite", "true", "true"},
      {adjust, "constant_images", "3,1,2", "3,1,2"},
      {adjust, "adjust.loss", "cauchy", "cauchy"},
      {adjust, "format", "text", "text"},
      {map, "strict", "true", "true"}};
  for (const auto& [options, name, text, value] : kSettings) {
    EXPECT_EQ(bf_options_set(options, name, text), BF_OK) << bf_error();
    EXPECT_EQ(value_of(options, name), value) << name;
  }
  expect_ok(bf_options_set(collect, "surf", ""));
  EXPECT_EQ(value_of(collect, "surf.upright"), "false");
}

TEST(COptions, WrongNamesAndValuesAreNamedAndChangeNothing) {
  OptionsHandle sift, pair, collect, dense;
  expect_ok(bf_options_create("sift", sift.out()));
  expect_ok(bf_options_create("pair", pair.out()));
  expect_ok(bf_options_create("collect", collect.out()));
  expect_ok(bf_options_create("dense", dense.out()));
  const auto before = all_of(collect);
  for (const auto& [options, name, value, message] :
       std::vector<std::tuple<bf_options*, const char*, const char*, const char*>>{
           {sift, "sigmaa", "1", "sigmaa: no option of \"sift\"; the options are max_features,"},
           {sift, "sigma", "9", "sigma = 9: must be 0.8 to 8"},
           {sift, "sigma", "nan", "sigma = nan: must be 0.8 to 8"},
           {sift, "sigma", "1.6x", "sigma = 1.6x: must be a number"},
           {sift, "sigma", "", "sigma = \"\": must be a number"},
           {sift, "max_features", "1.5", "max_features = 1.5: must be a whole number"},
           {sift, "max_features", "99999999999", "is too large or too small"},
           {sift, "root", "yes", "root = yes: must be true or false"},
           {sift, "", "1", ": no option of \"sift\""},
           {pair, "threshold", "2", "did you mean surf.threshold or robust.threshold?"},
           {pair, "robust", "2", "robust: no option of \"pair\""},
           {pair, "robust.threshold.x", "2", "no option of \"pair\""},
           {pair, "progress", "", "no option of \"pair\""},
           {pair, "camera1", "1,2,3", "intrinsics \"1,2,3\": not four numbers"},
           {collect, "surf", "yes", "members are set by surf.NAME"},
           {collect, "surf.octaves", "9", "surf.octaves = 9: must be 1 to 5"},
           {collect, "pairs", "some", "pairs = some: must be one of auto, all, exhaustive,"},
           {collect, "cameras.model", "FISHY", "cameras.model"},
           {collect, "max_memory", "9999999999G", "max_memory = 9999999999G: is too large"},
           {collect, "max_memory", "G", "max_memory = G: must be a whole number"},
           {dense, "maps", "pfm", "maps = pfm: must be one of none, npz, colmap"}})
    expect_usage(bf_options_set(options, name, value), message);
  for (const auto& [name, texts] : all_of(collect)) EXPECT_EQ(texts.value, before.at(name).value);
  OptionsHandle other;
  expect_usage(bf_options_create("fold", other.out()), "call = fold: must be one of sift, surf,");
  EXPECT_EQ(other.get, nullptr);
}

TEST_F(CInterface, OptionsOfAnotherCallAreRefused) {
  OptionsHandle match;
  expect_ok(bf_options_create("match", match.out()));
  auto result = sized<bf_map_result>();
  expect_usage(bf_map(queue, "a.db", nullptr, "sparse", match, &result),
               "bf_map: options: are of \"match\", must be of \"map\"");
}

}  // namespace
}  // namespace bifocal::test
