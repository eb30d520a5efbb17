// SPDX-License-Identifier: BSD-3-Clause
#include "collection/hloc/hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <mutex>
#include <type_traits>
#include <utility>

#include "io/reject.hpp"

namespace bifocal::hdf5 {
namespace {

constexpr std::int64_t kMostValues = std::int64_t{1} << 28;  // of a data set

std::mutex& library() {
  static std::mutex mutex;
  return mutex;
}

// The library is not made for threads, and prints what fails on stderr unless told not to: all
// calls are made while one of these lives.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

class File final : public Reader {
 public:
  explicit File(const std::filesystem::path& path);
  ~File() override;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& name() const override { return name_; }
  void visit(const std::function<void(const std::string& path)>& take) const override;
  [[nodiscard]] bool read(const std::string& path, std::vector<float>& values,
                          std::vector<std::int64_t>& shape) const override;
  [[nodiscard]] bool read(const std::string& path, std::vector<std::int64_t>& values,
                          std::vector<std::int64_t>& shape) const override;
  [[nodiscard]] bool holds_bytes(const std::string& path) const override;

 private:
  std::string name_;
  hid_t file_ = -1;
};

// An identifier of the library, given back by its own function.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// IEEE 754 binary16.
float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16, exponent = half >> 10 & 0x1f,
                      mantissa = half & 0x3ffU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13);
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

herr_t visit_link(hid_t, const char* name, const H5L_info_t*, void* data) {
  auto& [take, error] =
      *static_cast<std::pair<const std::function<void(const std::string&)>*, std::exception_ptr>*>(
          data);
  try {
    (*take)(name);
    return 0;
  } catch (...) {
    error = std::current_exception();  // not through the library, which is written in C
    return -1;
  }
}

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else
    return H5T_NATIVE_INT64;
}

// Numbers as they lie in the file, made to T here: HDF5's own conversion takes several times as
// long. False where they are of another type.
template <class Raw, class T>
bool read_narrow(hid_t set, hid_t type, std::vector<T>& values) {
  const hid_t native = sizeof(Raw) == 2 ? H5T_NATIVE_INT16 : H5T_NATIVE_INT32;
  if (H5Tequal(type, native) <= 0) return false;
  std::vector<Raw> raw(values.size());
  if (H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0) return false;
  std::transform(raw.begin(), raw.end(), values.begin(), [](Raw v) { return static_cast<T>(v); });
  return true;
}

template <class T>
bool read_halves(hid_t set, hid_t type, std::vector<T>& values) {
  if (H5Tget_size(type) != 2 || H5Tget_ebias(type) != 15) return false;
  std::vector<std::uint16_t> halves(values.size());
  if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, halves.data()) < 0) return false;
  const bool swap =
      (H5Tget_order(type) == H5T_ORDER_BE) == (std::endian::native == std::endian::little);
  std::transform(halves.begin(), halves.end(), values.begin(), [swap](std::uint16_t h) {
    return static_cast<T>(float_of_half(swap ? static_cast<std::uint16_t>(h << 8 | h >> 8) : h));
  });
  return true;
}

template <class T>
bool read_into(hid_t file, const std::string& name, const std::string& path, std::vector<T>& values,
               std::vector<std::int64_t>& shape) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) return false;
  const Handle type(H5Dget_type(set.get()), H5Tclose), space(H5Dget_space(set.get()), H5Sclose);
  const H5T_class_t kind = type.valid() ? H5Tget_class(type.get()) : H5T_NO_CLASS;
  if (kind != H5T_INTEGER && !(kind == H5T_FLOAT && std::is_same_v<T, float>))
    io::reject(name, "{}: is no array of {}", path,
               std::is_same_v<T, float> ? "numbers" : "whole numbers");
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 0 || rank > 2) io::reject(name, "{}: has {} dimensions", path, rank);
  hsize_t extent[2] = {1, 1};
  H5Sget_simple_extent_dims(space.get(), extent, nullptr);
  shape.assign(extent, extent + rank);
  if (extent[0] > kMostValues || extent[1] > kMostValues || extent[0] * extent[1] > kMostValues)
    io::reject(name, "{}: {} x {} numbers, more than the {} allowed", path, extent[0], extent[1],
               kMostValues);
  values.resize(static_cast<std::size_t>(extent[0] * extent[1]));
  if (values.empty()) return true;
  const bool read = kind == H5T_FLOAT
                        ? read_halves(set.get(), type.get(), values)
                        : read_narrow<std::int16_t>(set.get(), type.get(), values) ||
                              read_narrow<std::int32_t>(set.get(), type.get(), values);
  if (read) return true;
  const herr_t result =
      H5Dread(set.get(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  if (result < 0) io::reject(name, "{}: can't be read: the file is damaged", path);
  return true;
}

}  // namespace

Session::Session() : lock_(library()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() {
  H5Eclear2(
      H5E_DEFAULT);  // what it still holds would trouble the library at the end of the process
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

File::File(const std::filesystem::path& path) : name_(path.string()) {
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    io::reject(name_, "can't be read: there is no such file");
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Of every data set that is opened the library would clear a buffer of 64 KiB, in which small
  // parts of it are gathered; here all are read whole.
  H5Pset_sieve_buf_size(access.get(), 1);
  file_ = H5Fopen(name_.c_str(), H5F_ACC_RDONLY, access.get());
  if (file_ < 0) io::reject(name_, "is no HDF5 file, or damaged, or open for writing elsewhere");
}

File::~File() {
  const Session session;
  H5Fclose(file_);
}

void File::visit(const std::function<void(const std::string& path)>& take) const {
  const Session session;
  std::pair<const std::function<void(const std::string&)>*, std::exception_ptr> data = {&take,
                                                                                        nullptr};
  const herr_t result = H5Lvisit(file_, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &data);
  if (data.second) std::rethrow_exception(data.second);
  if (result < 0) io::reject(name_, "its groups can't be read: the file is damaged");
}

bool File::read(const std::string& path, std::vector<float>& values,
                std::vector<std::int64_t>& shape) const {
  const Session session;
  return read_into(file_, name_, path, values, shape);
}

bool File::read(const std::string& path, std::vector<std::int64_t>& values,
                std::vector<std::int64_t>& shape) const {
  const Session session;
  return read_into(file_, name_, path, values, shape);
}

bool File::holds_bytes(const std::string& path) const {
  const Session session;
  const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) return false;
  const Handle type(H5Dget_type(set.get()), H5Tclose);
  return type.valid() && H5Tequal(type.get(), H5T_NATIVE_UINT8) > 0;
}

std::unique_ptr<Reader> open(const std::filesystem::path& path) {
  return std::make_unique<File>(path);
}

}  // namespace bifocal::hdf5
