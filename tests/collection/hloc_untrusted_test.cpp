// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files with links to other files or with sizes beyond their data are refused with a message,
// without allocating the claimed memory, and no output file is left behind.
#include <bifocal/error.hpp>
#include <bifocal/colmap/hloc.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "hloc_writer.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

class Untrusted : public testing::Test {
 protected:
  void SetUp() override {
    HlocWriter file(folder / "other.h5");
    file.features("a.jpg", {1, 2, 3, 4}, H5T_IEEE_F32LE);
    file.matches("a.jpg/b.jpg", {0, 1}, H5T_STD_I32LE);
  }
  // Makes a data set with these properties; `data` may be null, then the data are never written.
  static void make(const HlocWriter& file, const std::string& path, hid_t creation, hid_t type,
                   const std::vector<hsize_t>& shape, const void* data = nullptr) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t space =
        shape.empty() ? H5Screate(H5S_NULL)
                      : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set =
        H5Dcreate2(file.id(), path.c_str(), type, space, links, creation, H5P_DEFAULT);
    ASSERT_GE(set, 0) << path;
    if (data) {
      ASSERT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << path;
    }
    H5Dclose(set), H5Sclose(space), H5Pclose(links);
  }
  void refused(const std::string& image, const std::string& why) {
    const hloc::FeatureFile file(folder / "f.h5");
    expect_error([&] { (void)file.keypoints(image); }, "f.h5: " + image + "/keypoints: " + why);
  }
  colmap::VerifyProgress verify() {
    Queue queue;
    return hloc::verify(queue, {folder / "f.h5", folder / "other.h5", folder / "pairs.txt"},
                        folder / "out.db", {});
  }

  TemporaryFolder folder;
};

// The library's metadata accumulator crashes if the first address that it reads is undefined.
TEST_F(Untrusted, AnUndefinedAddressOfNamesIsRefused) {
  const auto file =
      std::filesystem::path(test::kSourceFolder) / "tests/fuzz/corpus/hloc/undefined_heap.h5";
  expect_error([&] { hloc::FeatureFile{file}; },
               "undefined_heap.h5: its groups can't be read: the file is damaged");
}

TEST_F(Untrusted, LinksToOtherFilesAreNotFollowed) {
  {
    HlocWriter file(folder / "f.h5");
    file.features("a.jpg", {1, 2}, H5T_IEEE_F32LE);
    H5Lcreate_external("other.h5", "/a.jpg", file.id(), "b.jpg", H5P_DEFAULT, H5P_DEFAULT);
  }
  expect_error([&] { hloc::FeatureFile{folder / "f.h5"}; }, "f.h5: b.jpg: leads to another file");
  {
    HlocWriter file(folder / "m.h5");
    H5Lcreate_external("other.h5", "/a.jpg", file.id(), "a.jpg", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/a.jpg", file.id(), "c.jpg", H5P_DEFAULT, H5P_DEFAULT);
    file.matches("e.jpg/b.jpg", {-1, 0}, H5T_STD_I32LE);
    H5Lcreate_soft("/e.jpg", file.id(), "d.jpg", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/none", file.id(), "f.jpg", H5P_DEFAULT, H5P_DEFAULT);
  }
  const hloc::MatchFile file(folder / "m.h5");
  expect_error([&] { (void)file.matches("a.jpg", "b.jpg"); },
               "m.h5: a.jpg/b.jpg/matches0: leads to another file");
  expect_error([&] { (void)file.matches("c.jpg", "b.jpg"); },
               "m.h5: c.jpg/b.jpg/matches0: leads to another file");
  // A link within the file is another name.
  EXPECT_EQ(*file.matches("d.jpg", "b.jpg"), (std::vector<colmap::IndexPair>{{1, 0}}));
  EXPECT_FALSE(file.matches("f.jpg", "b.jpg"));
}

TEST_F(Untrusted, NumbersOfOtherFilesAreNotRead) {
  write_file(folder / "secret", std::string(64, 's'));
  {
    HlocWriter file(folder / "f.h5");
    const hid_t outside = H5Pcreate(H5P_DATASET_CREATE), made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(outside, (folder / "secret").c_str(), 0, 64);
    make(file, "a.jpg/keypoints", outside, H5T_IEEE_F32LE, {8, 2});
    const hsize_t shape[2] = {2, 2};
    const hid_t space = H5Screate_simple(2, shape, nullptr);
    H5Pset_virtual(made, space, "other.h5", "/a.jpg/keypoints", space);
    make(file, "b.jpg/keypoints", made, H5T_IEEE_F32LE, {2, 2});
    H5Sclose(space), H5Pclose(outside), H5Pclose(made);
  }
  refused("a.jpg", "its numbers lie in another file");
  refused("b.jpg", "is a virtual data set");
}

TEST_F(Untrusted, ClaimsOfMoreThanTheFileHasTakeNoMemory) {
  constexpr hsize_t kMany = hsize_t{1} << 25;
  {
    HlocWriter file(folder / "f.h5");
    make(file, "never.jpg/keypoints", H5P_DEFAULT, H5T_IEEE_F32LE, {kMany, 2});
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE), twice = H5Pcreate(H5P_DATASET_CREATE),
                once = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {kMany, 2};
    H5Pset_chunk(chunked, 2, chunk);
    make(file, "chunked.jpg/keypoints", chunked, H5T_IEEE_F32LE, {kMany, 2});
    chunk[0] = 1 << 16;
    H5Pset_chunk(twice, 2, chunk);
    H5Pset_deflate(twice, 9), H5Pset_deflate(twice, 9);
    H5Pset_chunk(once, 2, chunk);
    H5Pset_shuffle(once), H5Pset_deflate(once, 9), H5Pset_fletcher32(once);
    const std::vector<float> zeros(2 << 16);
    make(file, "twice.jpg/keypoints", twice, H5T_IEEE_F32LE, {1 << 16, 2}, zeros.data());
    make(file, "once.jpg/keypoints", once, H5T_IEEE_F32LE, {1 << 16, 2}, zeros.data());
    make(file, "many.jpg/keypoints", once, H5T_IEEE_F32LE, {kMany + 1, 2});
    make(file, "none.jpg/keypoints", H5P_DEFAULT, H5T_IEEE_F32LE, {});
    const std::vector<long double> wide(4);
    make(file, "wide.jpg/keypoints", H5P_DEFAULT, H5T_NATIVE_LDOUBLE, {2, 2}, wide.data());
    H5Pclose(chunked), H5Pclose(twice), H5Pclose(once);
  }
  ASSERT_LT(std::filesystem::file_size(folder / "f.h5"), 20000U);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  refused("never.jpg", "takes 268435456 bytes, more than the 0 that can be in the file");
  refused("chunked.jpg", "takes 268435456 bytes, more than the 0 that can be in the file");
  refused("twice.jpg", "is compressed 2 times over");
  refused("many.jpg", "33554433 x 2 numbers, more than the 67108864 allowed");
  refused("none.jpg", "has -1 dimensions");
  refused("wide.jpg", "is no array of numbers of at most 8 bytes");
  EXPECT_EQ(hloc::FeatureFile(folder / "f.h5").keypoints("once.jpg").size(), 1U << 16);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 << 10);  // KiB
}

// Input files of some kilobytes are invalid, and the import ends before a database exists.
TEST_F(Untrusted, AFailedImportLeavesNoFiles) {
  const auto nothing_left = [&](const std::string& why) {
    expect_error([&] { (void)verify(); }, why);
    for (const char* name :
         {"out.db", "out.db-wal", "out.db-shm", "out.db.part", "out.db.part-wal"})
      EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
  };
  const auto features = [&](const std::vector<std::int64_t>& size, bool has_points) {
    HlocWriter file(folder / "f.h5");
    file.features("a.jpg", {1, 2, 3, 4}, H5T_IEEE_F32LE);
    file.write("b.jpg/image_size", H5T_NATIVE_INT64, H5T_STD_I64LE, size.data(), {2});
    const std::vector<float> xy = {1, 2, 3, 4};
    if (has_points)
      file.write("b.jpg/keypoints", H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, xy.data(), {2, 2});
    else
      make(file, "b.jpg/keypoints", H5P_DEFAULT, H5T_IEEE_F32LE, {1 << 24, 2});
  };
  write_file(folder / "pairs.txt", "a.jpg b.jpg\n");
  features({std::int64_t{1} << 62, 480}, true);
  nothing_left("b.jpg/image_size: 4611686018427387904 x 480 px, must be 1 to 1048576");
  features({640, -1}, true);
  nothing_left("b.jpg/image_size: 640 x -1 px");
  features({640, 480}, false);
  nothing_left("b.jpg/keypoints: takes 134217728 bytes");
  features({640, 480}, true);
  write_file(folder / "pairs.txt", "a.jpg c.jpg\n");
  nothing_left("no image 'c.jpg'");
  write_file(folder / "pairs.txt", "a.jpg b.jpg\n");
  EXPECT_EQ(verify().done, 1);
  // An existing database stays.
  features({640, 480}, false);
  const std::string whole = read_file(folder / "out.db");
  expect_error([&] { (void)verify(); }, "b.jpg/keypoints: takes 134217728 bytes");
  EXPECT_TRUE(read_file(folder / "out.db") == whole);
}

}  // namespace
}  // namespace bifocal::test
