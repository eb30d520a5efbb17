// SPDX-License-Identifier: BSD-3-Clause
// The notes of collect(), the order of its photographs, and its handling of files that earlier
// runs left.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "collection/colmap/sqlite.hpp"
#include "io/exif_block.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using Notes = std::vector<std::string>;

class CollectNotes : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder / "in"); }
  void add(const std::string& name, const ExifTags& tags = {}, int width = 120, int height = 100,
           unsigned seed = 1) const {
    fs::create_directories((folder / ("in/" + name)).parent_path());
    // The appended name makes all files different.
    write_file(folder / ("in/" + name),
               with_exif(encode_jpeg(texture(width, height, seed), 90), exif_block(tags)) + name);
  }
  static ExifTags at(double latitude) {
    ExifTags tags;
    tags.latitude = {latitude, 0, 0};
    tags.longitude = {8, 0, 0};
    return tags;
  }
  CollectResult run(CollectOptions options = {}) const {
    options.sift.max_features = 50;
    Queue queue;
    return collect(queue, list_photographs(std::vector{(folder / "in").string()}),
                   folder / "out.db", options);
  }
  CollectResult again(const CollectOptions& options = {}) const {
    fs::remove(folder / "out.db");
    return run(options);
  }
  TemporaryFolder folder;
};

TEST_F(CollectNotes, say_how_many_photographs_have_a_position) {
  add("1.jpg");
  EXPECT_EQ(run({.pairs = PairChoice::gps}).notes,
            (Notes{"no photograph has a position (EXIF's GPS): 0 of 1",
                   "one photograph alone makes no pair"}));
  add("2.jpg");
  CollectResult result = again({.pairs = PairChoice::gps});
  EXPECT_EQ(result.pairs, 0);
  EXPECT_EQ(result.notes, Notes{"no photograph has a position (EXIF's GPS): 0 of 2"});
  // A run on a complete database repeats its notes.
  result = run({.pairs = PairChoice::gps});
  EXPECT_TRUE(result.was_complete);
  EXPECT_EQ(result.notes, Notes{"no photograph has a position (EXIF's GPS): 0 of 2"});
  EXPECT_EQ(read_collect_summary(folder / "out.db").notes, result.notes);
  add("3.jpg", at(47));
  EXPECT_EQ(again({.pairs = PairChoice::gps}).notes,
            Notes{"1 of 3 photographs have a position (EXIF's GPS); the others are in no pair"});
  add("4.jpg", at(48));
  EXPECT_EQ(again({.pairs = PairChoice::gps}).notes,
            (Notes{"2 of 4 photographs have a position (EXIF's GPS); the others are in no pair",
                   "no two of 2 photographs with a position are within 100 m of each other"}));
  result = again({.pairs = PairChoice::gps, .gps = {.max_distance_m = 2e5}});
  EXPECT_EQ(result.pairs, 1);
  EXPECT_EQ(result.notes.size(), 1U);
}

TEST_F(CollectNotes, give_the_reason_for_missing_pairs) {
  add("1.jpg");
  for (const PairChoice choice : {PairChoice::all, PairChoice::sequential, PairChoice::retrieval})
    EXPECT_EQ(again({.pairs = choice}).notes, Notes{"one photograph alone makes no pair"});
  write_file(folder / "in/2.jpg", "no picture");
  EXPECT_EQ(again().notes, Notes{"one photograph alone makes no pair"});
  fs::remove(folder / "in/1.jpg");
  EXPECT_EQ(again().notes, Notes{"no photograph could be read"});
  write_png(folder / "in/1.png", ImageU8(100, 100));
  write_png(folder / "in/3.png", ImageU8(101, 100));
  const std::string none = "no photograph has a feature";
  EXPECT_EQ(again({.pairs = PairChoice::retrieval}).notes, Notes{none});
  write_file(folder / "pairs.txt", "# none\n");
  EXPECT_EQ(again({.pairs = PairChoice::listed, .pairs_file = folder / "pairs.txt"}).notes,
            (Notes{none, "the list of pairs has no pair of photographs in the database"}));
  write_file(folder / "pairs.txt", "1.png 2.jpg\n1.png 3.png\n");
  EXPECT_EQ(again({.pairs = PairChoice::listed, .pairs_file = folder / "pairs.txt"}).notes,
            (Notes{"1 of the listed pairs is of photographs that were left out", none}));
  EXPECT_EQ(again().notes, Notes{none});
}

TEST_F(CollectNotes, copies_are_reported) {
  add("1.jpg");
  add("2.jpg");
  EXPECT_EQ(again().notes, Notes{});
  fs::copy_file(folder / "in/1.jpg", folder / "in/3.jpg");
  EXPECT_EQ(again().notes,
            Notes{"1 photograph is a copy of another one, the first 3.jpg of 1.jpg"});
  fs::copy_file(folder / "in/2.jpg", folder / "in/0.jpg");
  EXPECT_EQ(again({.pairs = PairChoice::retrieval}).notes,
            Notes{"2 photographs are copies of another one, the first 2.jpg of 0.jpg"});
}

// GPS references in lower case and as words; invalid positions.
TEST_F(CollectNotes, positions_are_read_tolerantly_and_within_bounds) {
  const auto tags = [](char north, char east, std::vector<double> latitude) {
    ExifTags t;
    t.latitude = std::move(latitude), t.longitude = {174, 45, 30};
    t.north = north, t.east = east;
    return t;
  };
  add("1.jpg", tags('s', 'e', {36, 50, 24}));
  add("2.jpg", tags('S', 'E', {36, 50, 24}));
  add("3.jpg", tags('S', 'E', {36.84}));
  const CollectResult near = again({.pairs = PairChoice::gps});
  EXPECT_EQ(near.pairs, 3);
  EXPECT_EQ(near.notes, Notes{});
  for (const auto& [wrong, why] :
       {std::pair{tags('X', 'E', {36, 50, 24}), "GPS: a reference that is neither N nor S"},
        {tags('S', 'E', {136, 0, 0}), "GPS: an angle that is not within 0 to 90 degrees"},
        {tags('S', 'E', {36, 75, 0}), "GPS: an angle that is not within 0 to 90 degrees"}}) {
    add("2.jpg", wrong);
    const CollectResult result = again({.pairs = PairChoice::gps});
    EXPECT_EQ(result.pairs, 1) << why;
    ASSERT_EQ(result.notes.size(), 2U);
    EXPECT_EQ(result.notes[0],
              std::string("EXIF of 1 photograph has numbers that no camera has, which are left "
                          "out; 2.jpg: ") +
                  why);
    EXPECT_TRUE(run({.pairs = PairChoice::gps}).was_complete);
  }
  ExifTags nowhere = tags('N', 'E', {0, 0, 0});
  nowhere.longitude = {0, 0, 0};
  add("2.jpg", nowhere);
  EXPECT_NE(again().notes.at(0).find("2.jpg: GPS: 0 degrees north and east"), std::string::npos);
}

TEST_F(CollectNotes, impossible_focal_lengths_are_left_out) {
  const auto plane = [](double pixels_an_inch) {
    ExifTags t;
    t.focal_mm = 8, t.pixels_a_unit = pixels_an_inch, t.unit = 2;
    return t;
  };
  ExifTags film;
  film.focal_on_film_mm = 65000;
  for (const ExifTags& wrong : {plane(4e6), plane(1), film}) {
    add("1.jpg", wrong);
    add("2.jpg", wrong);
    const CollectResult result = again();
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_NE(result.notes[0].find("EXIF of 2 photographs has numbers that no camera has, which "
                                   "are left out; 1.jpg: a focal length of "),
              std::string::npos)
        << result.notes[0];
    for (const colmap::ModelCamera& c : colmap::Database(folder / "out.db").cameras()) {
      EXPECT_FALSE(c.has_prior_focal_length);
      EXPECT_DOUBLE_EQ(c.params[0], 1.2 * 120);
    }
  }
  add("1.jpg", plane(400));
  add("2.jpg", plane(400));
  EXPECT_EQ(again().notes, Notes{});
  const auto cameras = colmap::Database(folder / "out.db").cameras();
  EXPECT_TRUE(cameras.at(0).has_prior_focal_length);
  EXPECT_NEAR(cameras.at(0).params[0], 8 * 400 / 25.4, 1e-3);
}

TEST_F(CollectNotes, skipped_files_are_reported) {
  add("a.jpg"), add("b.jpe"), add("c.jfif"), add("D.JPG"), add("e"), add("f.txt");
  const PhotographFiles files = list_photographs(std::vector{(folder / "in").string()});
  EXPECT_EQ(files.files.size(), 4U);
  ASSERT_EQ(files.other_files.size(), 1U);
  EXPECT_EQ(files.other_files[0].name, "e");
  EXPECT_EQ(
      files.other_files[0].reason,
      "its name has no ending of a JPEG, PNG, TIFF, WebP, BMP, PGM or PPM; 2 such files (1 .txt, 1 "
      "without ending)");
  EXPECT_EQ(list_photographs(std::vector{(folder / "in/e").string()}).files.size(), 1U);
}

TEST_F(CollectNotes, intrinsics_require_one_image_size) {
  add("1.jpg");
  add("2.jpg", {}, 60, 50);
  CollectOptions options;
  options.cameras.intrinsics = Intrinsics{100, 100, 59.5, 49.5};
  expect_error([&] { (void)run(options); },
               "2.jpg: has 60 x 50 px and 1.jpg has 120 x 100 px: intrinsics 100,100,59.5,49.5 "
               "can't be those of both");
  EXPECT_FALSE(fs::exists(folder / "out.db.part"));
  // A photograph rotated by a quarter, and one with a long file header.
  fs::remove(folder / "in/2.jpg");
  add("turned.jpg", {}, 100, 120);
  expect_error([&] { (void)run(options); }, "turned.jpg: has 100 x 120 px and 1.jpg has 120 x 100");
  fs::remove(folder / "in/turned.jpg");
  write_file(folder / "in/0.png", "no picture");
  const CollectResult result = run(options);
  EXPECT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(result.notes, Notes{"one photograph alone makes no pair"});
}

TEST_F(CollectNotes, intrinsics_of_another_size_are_doubted) {
  add("1.jpg");
  add("2.jpg");
  for (const double scale : {2.0, 0.5}) {
    CollectOptions options;
    options.cameras.intrinsics = Intrinsics{100 * scale, 100 * scale, 60 * scale, 50 * scale};
    const CollectResult result = again(options);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_NE(result.notes[0].find(") is far from the centre of 120 x 100 px"), std::string::npos)
        << result.notes[0];
  }
  CollectOptions right;
  right.cameras.intrinsics = Intrinsics{100, 100, 62, 47};
  EXPECT_EQ(again(right).notes, Notes{});
}

// Frames named with %d as ffmpeg does, in two folders.
TEST_F(CollectNotes, neighbours_follow_each_other_by_number) {
  for (int i = 1; i <= 12; ++i) add(fmt::format("frame_{}.jpg", i), {}, 120, 100, unsigned(i));
  add("b/0.jpg");
  add("b/00.jpg");
  CollectOptions options{.pairs = PairChoice::sequential, .loop_period = 0};
  options.sequential = {.overlap = 1, .quadratic = false};
  EXPECT_EQ(run(options).pairs, 13);
  const colmap::Database database(folder / "out.db");
  std::map<colmap::Id, std::string> names;
  for (const colmap::Image& image : database.images()) names[image.id] = image.name;
  Notes pairs;
  for (const colmap::PairRows& row : database.match_rows())
    pairs.push_back(names[row.image1] + " " + names[row.image2]);
  Notes expected = {"b/0.jpg b/00.jpg", "b/00.jpg frame_1.jpg"};
  for (int i = 1; i < 12; ++i)
    expected.push_back(fmt::format("frame_{}.jpg frame_{}.jpg", i, i + 1));
  EXPECT_EQ(pairs, expected);
  // The order of the list does not change the photographs.
  EXPECT_TRUE(run(options).was_complete);
}

// A log without its file, named like the log of the work file or of the database, belongs to
// another database and is ignored.
TEST_F(CollectNotes, logs_without_their_files_are_ignored) {
  add("1.jpg");
  add("2.jpg");
  (void)run();
  const std::string expected = read_file(folder / "out.db");
  // A killed process leaves such a log, with a table in it.
  {
    const sqlite::Connection other(folder / "other.db", sqlite::Mode::create);
    other.execute("PRAGMA journal_mode = WAL");
    other.execute("CREATE TABLE photographs(number INTEGER)");
    fs::copy_file(folder / "other.db-wal", folder / "log");
  }
  ASSERT_GT(fs::file_size(folder / "log"), 0U);
  for (const char* ending : {"-wal", "-shm", "-journal"}) {
    for (const char* name : {"out.db", "out.db.part", "out.db.part.new"}) {
      SCOPED_TRACE(std::string(name) + ending);
      fs::remove(folder / "out.db");
      fs::copy_file(folder / "log", folder / (std::string(name) + ending));
      const CollectResult result = run();
      EXPECT_FALSE(result.resumed);
      EXPECT_EQ(result.images, 2);
      const bool is_told = std::string_view(name) == "out.db.part";
      EXPECT_EQ(result.notes.size(), is_told ? 1U : 0U);
      if (is_told) {
        EXPECT_NE(result.notes[0].find("started again"), std::string::npos);
      }
      EXPECT_TRUE(read_file(folder / "out.db") == expected);
      EXPECT_FALSE(fs::exists(folder / (std::string(name) + ending)));
    }
  }
}

// Damaged or truncated work files of an interrupted run.
TEST_F(CollectNotes, damaged_work_files_are_reported) {
  add("1.jpg");
  add("2.jpg");
  CollectOptions stopped;
  stopped.progress = [](const CollectProgress& p) {
    if (p.stage == "matches") throw Error(ErrorCode::device, "stop");
  };
  expect_error([&] { (void)run(stopped); }, "stop", ErrorCode::device);
  const std::string part = read_file(folder / "out.db.part");
  const auto fails = [&](const std::string& bytes, ErrorCode code = ErrorCode::input) {
    fs::remove(folder / "out.db.part-wal");
    fs::remove(folder / "out.db.part-shm");
    write_file(folder / "out.db.part", bytes);
    expect_error([&] { (void)run(); }, "out.db.part", code);
    EXPECT_FALSE(fs::exists(folder / "out.db"));
  };
  fails("my thesis, which is no database at all");
  fails(part.substr(0, part.size() / 2));
  std::string torn = part;
  std::fill(torn.begin() + 32768 + 10, torn.begin() + 65536 + 400, '\xff');
  fails(torn);
  CollectOptions anew{.overwrite = true};
  EXPECT_EQ(run(anew).images, 2);
  // An intact work file is resumed even if a foreign journal lies next to it.
  fs::remove(folder / "out.db");
  write_file(folder / "out.db.part", part);
  write_file(folder / "out.db.part-journal", std::string(1000, '\xd9'));
  const CollectResult result = run();
  EXPECT_TRUE(result.resumed);
  EXPECT_EQ(result.images, 2);
}

}  // namespace
}  // namespace bifocal::test
