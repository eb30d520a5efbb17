// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <bifocal/io.hpp>

#include "io/npy.hpp"
#include "io/reject.hpp"
#include "io/zip.hpp"

namespace bifocal {
namespace {

constexpr std::string_view kSuffix = ".npy";
// Archives are written without ZIP64, so sizes and counts must not exceed these limits.
constexpr std::uint64_t kMaxWrittenBytes = 0xfffffffe;
constexpr std::size_t kMaxWrittenArrays = 0xfffe;

std::string encode(std::span<const NamedArray> arrays, std::string_view where) {
  const auto misuse = [&](std::string_view what) {
    throw Error(ErrorCode::usage, fmt::format("{}: {}", where, what));
  };
  if (arrays.size() > kMaxWrittenArrays) misuse(fmt::format("{} arrays", arrays.size()));
  std::vector<std::string_view> names;
  for (const NamedArray& a : arrays) names.push_back(a.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) misuse(fmt::format("array {} is given twice", *twice));
  constexpr std::size_t kHeaders = 512;  // of an array, about
  std::size_t bytes_of_all = 0;
  for (const NamedArray& a : arrays)
    bytes_of_all += kHeaders + std::visit([](const auto& v) { return v.size() * sizeof(v[0]); },
                                          a.array.values);
  io::ZipWriter zip;
  zip.reserve(std::min<std::size_t>(bytes_of_all, kMaxWrittenBytes));
  for (const NamedArray& a : arrays) {
    if (a.name.empty() || a.name.size() > 1000 || !io::utf32_from_utf8(a.name)) {
      misuse(fmt::format("\"{}\" is no name for an array", io::printable(a.name)));
    }
    const std::string name = a.name + std::string(kSuffix);
    const std::string bytes = io::npy_bytes(a.array, fmt::format("{}: array {}", where, a.name));
    if (zip.size_with(name, bytes.size()) > kMaxWrittenBytes) {
      misuse(fmt::format("array {} would make it 4 GiB or more", a.name));
    }
    zip.add(name, bytes);
  }
  return std::move(zip).finish();
}

}  // namespace

struct NpzFile::State {
  std::string bytes, name;
  std::int64_t max_array_bytes = 0;
  std::vector<io::ZipMember> members;  // the arrays; their data lies in `bytes`
  std::vector<std::string> names;

  [[nodiscard]] const io::ZipMember* find(std::string_view array) const {
    const auto at = std::find(names.begin(), names.end(), array);
    return at == names.end() ? nullptr : &members[std::size_t(at - names.begin())];
  }
};

NpzFile::NpzFile(const std::filesystem::path& file)
    : NpzFile(read_file(file, kMaxNpzBytes), file.string()) {}

NpzFile::NpzFile(std::string bytes, std::string name, std::int64_t max_array_bytes) {
  auto state = std::make_unique<State>();
  state->bytes = std::move(bytes);
  state->name = std::move(name);
  state->max_array_bytes = max_array_bytes;
  for (io::ZipMember& member : io::zip_members(state->bytes, state->name)) {
    if (!std::string_view(member.name).ends_with(kSuffix)) continue;
    state->names.push_back(member.name.substr(0, member.name.size() - kSuffix.size()));
    state->members.push_back(std::move(member));
  }
  state_ = std::move(state);
}

NpzFile::~NpzFile() = default;
NpzFile::NpzFile(NpzFile&&) noexcept = default;
NpzFile& NpzFile::operator=(NpzFile&&) noexcept = default;

const std::vector<std::string>& NpzFile::names() const { return state_->names; }

bool NpzFile::contains(std::string_view array) const { return state_->find(array) != nullptr; }

NpyArray NpzFile::read(std::string_view array) const {
  const io::ZipMember* member = state_->find(array);
  if (!member) io::reject(state_->name, "has no array {}", io::printable(array));
  const std::string where = fmt::format("{}: array {}", state_->name, io::printable(array));
  if (std::int64_t(member->size) > state_->max_array_bytes) {
    io::reject(where, "has {} bytes, more than the {} allowed", member->size,
               state_->max_array_bytes);
  }
  io::ZipStream stream(*member, where);
  return io::read_npy(stream, where);
}

void write_npz(const std::filesystem::path& file, std::span<const NamedArray> arrays) {
  write_file(file, encode(arrays, "write_npz: " + file.string()));
}

std::string encode_npz(std::span<const NamedArray> arrays) { return encode(arrays, "encode_npz"); }

}  // namespace bifocal
