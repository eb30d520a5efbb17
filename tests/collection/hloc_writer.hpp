// SPDX-License-Identifier: BSD-3-Clause
// Writes files in hloc's layout. HDF5 itself converts floats to 16 bits.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace bifocal::test {

inline hid_t half_type() {
  const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_precision(type, 16);
  H5Tset_ebias(type, 15);
  H5Tset_size(type, 2);
  return type;
}

class HlocWriter {
 public:
  explicit HlocWriter(const std::filesystem::path& file) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);  // libver="latest"
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file_ = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    EXPECT_GE(file_, 0);
  }
  ~HlocWriter() { H5Fclose(file_); }
  HlocWriter(const HlocWriter&) = delete;
  HlocWriter& operator=(const HlocWriter&) = delete;

  [[nodiscard]] hid_t id() const { return file_; }
  void write(const std::string& path, hid_t memory_type, hid_t file_type, const void* data,
             const std::vector<hsize_t>& shape) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set =
        H5Dcreate2(file_, path.c_str(), file_type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << path;
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
  }
  void features(const std::string& image, const std::vector<float>& xy, hid_t type) {
    write(image + "/keypoints", H5T_NATIVE_FLOAT, type, xy.data(), {xy.size() / 2, 2});
    const std::vector<int> size = {1280, 960};
    write(image + "/image_size", H5T_NATIVE_INT, H5T_STD_I64LE, size.data(), {2});
  }
  void matches(const std::string& pair, const std::vector<int>& matches0, hid_t type) {
    write(pair + "/matches0", H5T_NATIVE_INT, type, matches0.data(), {matches0.size()});
  }

 private:
  hid_t file_ = -1;
};

}  // namespace bifocal::test
