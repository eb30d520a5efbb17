// SPDX-License-Identifier: BSD-3-Clause
#include "collection/hloc/hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

#include "io/regular_file.hpp"

namespace bifocal::hdf5 {
namespace {

constexpr std::uint64_t kMostValues = std::uint64_t{1} << 26;  // of a data set
// Largest number of bytes that one byte of deflate data expands to.
constexpr std::uint64_t kDeflated = 1032;
constexpr int kDeepest = 32;               // nesting depth of groups
constexpr std::uint64_t kBytesOfLink = 8;  // in the file, at least

std::mutex& library() {
  static std::mutex mutex;
  return mutex;
}

// Serialises the calls into the HDF5 library, which is not thread-safe, and silences its error
// messages on stderr. All calls are made during the lifetime of a Session.
class Session {
 public:
  Session() : lock_(library()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Session() {
    H5Eclear2(H5E_DEFAULT);  // entries left on the error stack cause errors at process exit
    H5Eset_auto2(H5E_DEFAULT, print_, data_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// An HDF5 identifier, closed by its matching function.
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

// Converts IEEE 754 binary16 to float.
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

// Argument of H5Lvisit's callback. Exceptions are stored, because they must not pass through
// a C library.
struct Visit {
  const std::function<void(const std::string&)>& take;
  const std::string& file;
  std::uint64_t most;  // limit on links
  std::exception_ptr error = nullptr;
};

herr_t visit_link(hid_t, const char* name, const H5L_info_t* link, void* data) {
  auto& visit = *static_cast<Visit*>(data);
  try {
    const std::string path = name;
    if (link->type == H5L_TYPE_EXTERNAL)
      io::reject(visit.file, "{}: leads to another file: such links are not followed", path);
    // A group may contain itself.
    if (std::count(path.begin(), path.end(), '/') > kDeepest || visit.most-- == 0)
      io::reject(visit.file, "{}: groups within themselves", io::printable(path));
    visit.take(path);
    return 0;
  } catch (...) {
    visit.error = std::current_exception();
    return -1;
  }
}

herr_t refuse_other_file(const char*, const char*, const char*, const char*, unsigned*, hid_t,
                         void* leads_out) {
  *static_cast<bool*>(leads_out) = true;
  return -1;
}

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else
    return H5T_NATIVE_INT64;
}

// Reads integers in the type of the file and converts them here: HDF5's own conversion takes
// several times as long. Returns false if the data has a different type.
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

// Returns the bytes of memory that the library allocates for one chunk.
std::uint64_t bytes_of_chunk(hid_t creation, std::uint64_t size_of_value) {
  hsize_t side[2] = {1, 1};
  const int rank = H5Pget_chunk(creation, 2, side);
  const bool absurd = rank < 1 || rank > 2 || side[0] > kMostValues || side[1] > kMostValues;
  return absurd ? std::numeric_limits<std::uint64_t>::max() : side[0] * side[1] * size_of_value;
}

// Returns the number of filters that enlarge a chunk when it is read: all except filters that
// reorder its bytes or add a checksum.
int compressions(hid_t creation) {
  int count = 0;
  const int filters = H5Pget_nfilters(creation);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values,
                                               nullptr, 0, nullptr, &config);
    count += filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32;
  }
  return count;
}

// An open file.
struct Opened {
  std::string name;
  std::uint64_t bytes = 0;  // of the file
  hid_t file = -1, access = -1;
  mutable bool leads_out = false;  // the last opened object lies in a different file
};

// A data set of the file; invalid if the path does not exist.
class DataSet {
 public:
  DataSet(const Opened& file, const std::string& path)
      : file_(file),
        path_(path),
        set_(open(file, path), H5Dclose),
        creation_(valid() ? H5Dget_create_plist(set_.get()) : -1, H5Pclose),
        type_(valid() ? H5Dget_type(set_.get()) : -1, H5Tclose) {
    if (file.leads_out) refuse("leads to another file: such links are not followed");
    if (!valid()) return;
    // These checks come first, because later queries would make the library open
    // the external files.
    if (layout() == H5D_VIRTUAL)
      refuse("is a virtual data set, which refers to other data: it is not read");
    if (layout() == H5D_CONTIGUOUS && H5Pget_external_count(creation_.get()) != 0)
      refuse("its numbers lie in another file, which is not read");
  }
  DataSet(const DataSet&) = delete;
  DataSet& operator=(const DataSet&) = delete;

  [[nodiscard]] bool valid() const { return set_.valid(); }
  [[nodiscard]] hid_t type() const { return type_.get(); }
  template <class T>
  void read(std::vector<T>& values, std::vector<std::int64_t>& shape) const {
    const H5T_class_t kind = type_.valid() ? H5Tget_class(type()) : H5T_NO_CLASS;
    const std::size_t size = type_.valid() ? H5Tget_size(type()) : 0;
    if ((kind != H5T_INTEGER && !(kind == H5T_FLOAT && std::is_same_v<T, float>)) || size < 1 ||
        size > 8)
      refuse("is no array of {} of at most 8 bytes",
             std::is_same_v<T, float> ? "numbers" : "whole numbers");
    values.clear();
    const std::uint64_t count = shape_of(shape);
    if (count == 0) return;
    check_stored(count);
    values.resize(static_cast<std::size_t>(count));
    const bool is_read = kind == H5T_FLOAT
                             ? read_halves(set_.get(), type(), values)
                             : read_narrow<std::int16_t>(set_.get(), type(), values) ||
                                   read_narrow<std::int32_t>(set_.get(), type(), values);
    if (is_read) return;
    const herr_t result =
        H5Dread(set_.get(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    if (result < 0) refuse("can't be read: the file is damaged");
  }

 private:
  static hid_t open(const Opened& file, const std::string& path) {
    file.leads_out = false;
    return H5Dopen2(file.file, path.c_str(), file.access);
  }
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) const {
    io::reject(file_.name, "{}: {}", path_, fmt::format(what, std::forward<Args>(args)...));
  }
  [[nodiscard]] H5D_layout_t layout() const { return H5Pget_layout(creation_.get()); }
  // Sets the shape of the data set and returns the number of values.
  std::uint64_t shape_of(std::vector<std::int64_t>& shape) const {
    const Handle space(H5Dget_space(set_.get()), H5Sclose);
    const bool has_numbers =
        space.valid() && (H5Sget_simple_extent_type(space.get()) == H5S_SIMPLE ||
                          H5Sget_simple_extent_type(space.get()) == H5S_SCALAR);
    const int rank = has_numbers ? H5Sget_simple_extent_ndims(space.get()) : -1;
    if (rank < 0 || rank > 2) refuse("has {} dimensions", rank);
    hsize_t extent[2] = {1, 1};
    if (H5Sget_simple_extent_dims(space.get(), extent, nullptr) != rank)
      refuse("can't be read: the file is damaged");
    shape.assign(extent, extent + rank);
    if (extent[0] > kMostValues || extent[1] > kMostValues || extent[0] * extent[1] > kMostValues)
      refuse("{} x {} numbers, more than the {} allowed", extent[0], extent[1], kMostValues);
    return extent[0] * extent[1];
  }
  // Rejects a data set that claims more bytes than the file can hold. Such bytes were never
  // written, and HDF5 would supply fill values, or they come from a filter without input.
  void check_stored(std::uint64_t count) const {
    const std::uint64_t size = H5Tget_size(type());
    std::uint64_t needed = count * size,
                  holds = std::min<std::uint64_t>(H5Dget_storage_size(set_.get()), file_.bytes);
    if (layout() == H5D_CHUNKED) {
      const int compressed = compressions(creation_.get());
      if (compressed > 1) refuse("is compressed {} times over: it is not read", compressed);
      if (compressed == 1) holds *= kDeflated;
      needed = std::max(needed, bytes_of_chunk(creation_.get(), size));
    }
    if (needed > holds)
      refuse("takes {} bytes, more than the {} that can be in the file", needed, holds);
  }

  const Opened& file_;
  const std::string& path_;
  const Handle set_, creation_, type_;
};

class File final : public Reader {
 public:
  explicit File(const std::filesystem::path& path) {
    own_.name = path.string();
    std::error_code none;
    if (!std::filesystem::exists(path, none))
      io::reject(own_.name, "can't be read: there is no such file");
    io::require_regular(path);
    own_.bytes = std::filesystem::file_size(path, none);
    const Session session;
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Disables the sieve buffer, for which the library clears 64 KiB at every opened data set. It
    // collects partial reads; data sets are read whole here.
    H5Pset_sieve_buf_size(access.get(), 1);
    // SWMR access turns off the library's metadata accumulator, which crashes on damaged files
    // (HDF5 1.10.8). Its repeated reads of wrong checksums, with waits, are turned off as well.
    H5Pset_metadata_read_attempts(access.get(), 1);
    own_.file = H5Fopen(own_.name.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get());
    if (own_.file < 0)
      io::reject(own_.name, "is no HDF5 file, or damaged, or open for writing elsewhere");
    own_.access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_elink_cb(own_.access, refuse_other_file, &own_.leads_out);
  }
  ~File() override {
    const Session session;
    H5Pclose(own_.access);
    H5Fclose(own_.file);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& name() const override { return own_.name; }
  void visit(const std::function<void(const std::string& path)>& take) const override {
    const Session session;
    Visit visit{take, own_.name, own_.bytes / kBytesOfLink};
    const herr_t result = H5Lvisit(own_.file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &visit);
    if (visit.error) std::rethrow_exception(visit.error);
    if (result < 0) io::reject(own_.name, "its groups can't be read: the file is damaged");
  }
  [[nodiscard]] bool read(const std::string& path, std::vector<float>& values,
                          std::vector<std::int64_t>& shape) const override {
    return read_any(path, values, shape);
  }
  [[nodiscard]] bool read(const std::string& path, std::vector<std::int64_t>& values,
                          std::vector<std::int64_t>& shape) const override {
    return read_any(path, values, shape);
  }
  [[nodiscard]] bool holds_bytes(const std::string& path) const override {
    const Session session;
    const DataSet set(own_, path);
    return set.valid() && H5Tequal(set.type(), H5T_NATIVE_UINT8) > 0;
  }

 private:
  template <class T>
  bool read_any(const std::string& path, std::vector<T>& values,
                std::vector<std::int64_t>& shape) const {
    const Session session;
    const DataSet set(own_, path);
    if (set.valid()) set.read(values, shape);
    return set.valid();
  }
  Opened own_;
};

}  // namespace

std::unique_ptr<Reader> open(const std::filesystem::path& path) {
  return std::make_unique<File>(path);
}

}  // namespace bifocal::hdf5
