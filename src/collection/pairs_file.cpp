// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/pair_selection.hpp>

#include <fmt/format.h>

#include <unordered_map>

namespace bifocal {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, std::span<const std::string> names)
      : file_(file.string()) {
    for (std::size_t i = 0; i < names.size(); ++i) numbers_.emplace(names[i], static_cast<int>(i));
  }

  std::vector<ImagePair> read(std::string_view text) {
    std::vector<ImagePair> pairs;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      const std::string_view line = trimmed(text.substr(begin, end - begin));
      if (!line.empty() && line.front() != '#') pairs.push_back(pair_of(line));
      begin = end + 1;
    }
    tidy_pairs(pairs);
    return pairs;
  }

 private:
  // Splits a line into two image names. Tries every blank and accepts the split if both sides are
  // names; names may contain blanks.
  ImagePair pair_of(std::string_view line) const {
    std::vector<ImagePair> ways;
    int cuts = 0;
    std::string_view first, second;
    for (std::size_t at = line.find_first_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t next = line.find_first_not_of(kBlanks, at);
      first = line.substr(0, at), second = line.substr(next);
      ++cuts;
      const auto a = numbers_.find(first), b = numbers_.find(second);
      if (a != numbers_.end() && b != numbers_.end()) ways.push_back({a->second, b->second});
      at = line.find_first_of(kBlanks, next);
    }
    if (cuts == 0) fail(fmt::format("'{}' is not two names of images", line));
    if (ways.size() > 1) fail(fmt::format("'{}' can be cut into two names in several ways", line));
    if (ways.empty() && cuts == 1)
      fail(fmt::format("no image '{}'", numbers_.contains(first) ? second : first));
    if (ways.empty()) fail(fmt::format("'{}' has no two names of images", line));
    if (ways[0].image1 == ways[0].image2)
      fail(fmt::format("'{}' is a pair of an image with itself", line));
    return ways[0];
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::input, fmt::format("{}, line {}: {}", file_, line_, what));
  }

  std::string file_;
  std::unordered_map<std::string_view, int> numbers_;
  int line_ = 0;
};

}  // namespace

std::vector<ImagePair> read_pairs(const std::filesystem::path& file,
                                  std::span<const std::string> names) {
  const std::string text = read_text(file);
  return Reader(file, names).read(text);
}

}  // namespace bifocal
