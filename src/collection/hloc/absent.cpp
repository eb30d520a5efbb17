// SPDX-License-Identifier: BSD-3-Clause
// hloc's files in a build without HDF5.
#include <bifocal/error.hpp>
#include <bifocal/hloc.hpp>

namespace bifocal::hloc {
namespace {

[[noreturn]] void absent() {
  throw Error(ErrorCode::usage, "hloc: this build reads no HDF5 files (BIFOCAL_HDF5=OFF)");
}

}  // namespace

struct FeatureFile::State {};
FeatureFile::FeatureFile(const std::filesystem::path&) { absent(); }
FeatureFile::~FeatureFile() = default;
FeatureFile::FeatureFile(FeatureFile&&) noexcept = default;
FeatureFile& FeatureFile::operator=(FeatureFile&&) noexcept = default;
std::vector<std::string> FeatureFile::names() const { absent(); }
bool FeatureFile::contains(std::string_view) const { absent(); }
std::vector<Vec2> FeatureFile::keypoints(std::string_view) const { absent(); }
std::array<std::int64_t, 2> FeatureFile::image_size(std::string_view) const { absent(); }
FeatureFile::Descriptors FeatureFile::descriptors(std::string_view) const { absent(); }
std::vector<float> FeatureFile::scores(std::string_view) const { absent(); }

struct MatchFile::State {};
MatchFile::MatchFile(const std::filesystem::path&) { absent(); }
MatchFile::~MatchFile() = default;
MatchFile::MatchFile(MatchFile&&) noexcept = default;
MatchFile& MatchFile::operator=(MatchFile&&) noexcept = default;
std::optional<std::vector<colmap::IndexPair>> MatchFile::matches(std::string_view,
                                                                 std::string_view) const {
  absent();
}

colmap::VerifyProgress verify(const DeviceSet&, const Files&, const std::filesystem::path&,
                              const colmap::VerifyRun&) {
  absent();
}

}  // namespace bifocal::hloc
