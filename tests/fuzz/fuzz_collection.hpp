// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the fuzzers for a collection's files: COLMAP's databases, and the plans, lists
// and results of shards are read from the fuzzer's bytes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <bifocal/colmap/database.hpp>
#include <bifocal/device.hpp>

#include "collection/colmap/chunk.hpp"
#include "collection/shards/result_file.hpp"
#include "fuzz_bodies.hpp"

namespace bifocal::fuzz {

// Writes the bytes to a file, because the libraries for these formats read files; in memory if the
// system has a RAM disk. The file is valid until the next call.
inline const std::filesystem::path& as_file(std::string_view bytes) {
  struct Scratch {
    std::filesystem::path file;
    Scratch() {
      const std::filesystem::path memory = "/dev/shm";
      std::error_code none;
      file =
          (std::filesystem::is_directory(memory, none) ? memory
                                                       : std::filesystem::temp_directory_path()) /
          ("bifocal-fuzz-" + std::to_string(::getpid()));
    }
    ~Scratch() {
      std::error_code none;
      std::filesystem::remove(file, none);
    }
  };
  static const Scratch scratch;
  const int out = ::open(scratch.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  require(out >= 0 && ::write(out, bytes.data(), bytes.size()) == std::ptrdiff_t(bytes.size()));
  ::close(out);
  return scratch.file;
}

inline constexpr std::size_t kMostLookedAt = 4;  // images and pairs: bounds the time of one input
template <class T>
std::vector<T> first_of(std::vector<T> all) {
  all.erase(all.begin() + std::ptrdiff_t(std::min(all.size(), kMostLookedAt)), all.end());
  return all;
}

// Reads pairs as colmap::verify() does.
inline void check_chunks(const std::filesystem::path& file, const colmap::Database& database) {
  const colmap::Cameras cameras(database);
  std::vector<colmap::PairOfImages> pairs;
  std::vector<colmap::RowFault> faults;
  for (const colmap::PairRows& row : first_of(database.match_rows(&faults)))
    pairs.push_back({row.image1, row.image2});
  colmap::DatabaseSource source(file, colmap::Access::frozen);
  colmap::ChunkReader reader(source, cameras, pairs, 1 << 20);
  colmap::Chunk chunk;
  colmap::ChunkPoints points{Device("cpu")};
  for (reader.next(chunk); !chunk.is_end(); reader.next(chunk)) {
    points.gather(chunk);
    require(chunk.pairs.size() + chunk.left_out.size() <= pairs.size());
    volatile double read = 0;  // reads every match, so the address sanitizer finds a missing point
    for (std::size_t i = 0; i < chunk.matches.size(); ++i) read = points.points()[i].x1;
    (void)read;
  }
}

inline void colmap(std::string_view bytes) {
  const std::filesystem::path& file = as_file(bytes);
  expect_sound([&] {
    const colmap::Database database(file, colmap::Access::frozen);
    expect_sound([&] {
      for (const colmap::ModelCamera& c : database.cameras()) {
        const int needed = colmap::parameter_count(c.model);
        require(c.width > 0 && c.height > 0);
        require(needed == 0 || c.params.size() == std::size_t(needed));
      }
    });
    expect_sound([&] {
      for (const colmap::Image& image : first_of(database.images())) {
        require(image.id < colmap::kMaxImages);
        expect_sound([&] {
          const colmap::Keypoints k = database.keypoints(image.id);
          require(k.data.size() % std::size_t(k.columns) == 0);
          require(database.keypoint_count(image.id) <= std::int64_t(k.size()));
        });
        expect_sound([&] {
          const colmap::Descriptors d = database.descriptors(image.id);
          require(d.columns > 0 && d.data.size() % std::size_t(d.columns) == 0);
        });
      }
    });
    expect_sound([&] {
      for (const colmap::PairRows& p : first_of(database.match_rows())) {
        require(p.image1 < p.image2 && p.rows >= 0);
        expect_sound([&] {
          const auto found = database.matches(p.image1, p.image2);
          require(!found || std::int64_t(found->size()) == p.rows);
        });
      }
    });
    expect_sound([&] {
      for (const colmap::PairRows& p : first_of(database.geometry_rows()))
        expect_sound([&] { (void)database.geometry(p.image2, p.image1); });
    });
    expect_sound([&] { check_chunks(file, database); });
  });
}

// Reads the bytes as a result, with a corrected checksum, as a plan, and as a list.
inline void shards(std::string_view bytes) {
  static const std::vector<colmap::PlannedPair> list = {{{1, 2}, 3}, {{1, 3}, 0}, {{2, 3}, 40}};
  static const colmap::Plan plan = [] {
    colmap::Plan p;
    p.hash = std::string(32, 'a');
    p.pairs = p.pairs_per_shard = std::int64_t(list.size());
    p.lists = {p.hash};
    return p;
  }();
  std::string file(bytes);
  const std::uint64_t sum = colmap::checksum_of(bytes);
  for (int shift = 0; shift < 64; shift += 8) file += char(sum >> shift & 0xff);
  const colmap::ShardContent content = colmap::parse_result(file, plan, 0, list);
  require(content.rows.size() == (content.fault.empty() ? list.size() : 0));
  for (std::size_t k = 0; k < content.rows.size(); ++k) {
    const colmap::ShardRow& row = content.rows[k];
    require(row.pair.image1 == list[k].pair.image1 && row.pair.image2 == list[k].pair.image2);
    require(row.matches == list[k].matches && row.geometry.inliers.size() <= row.matches);
    if (row.geometry.F)
      for (const double v : *row.geometry.F) require(std::isfinite(v));
  }
}

inline void plan(std::string_view bytes) {
  expect_sound([&] {
    const colmap::Plan plan = colmap::parse_plan(bytes, "fuzz");
    require(colmap::parse_plan(colmap::text_of(plan), "fuzz").hash == plan.hash);
    require(plan.pairs >= 0 && plan.pairs_per_shard > 0);
  });
  const auto lines = std::count(bytes.begin(), bytes.end(), '\n');
  expect_sound([&] {
    std::string again;
    for (const colmap::PlannedPair& p : colmap::parse_list(bytes, lines, "fuzz"))
      again += colmap::line_of(p);
    require(again.size() <= bytes.size());
  });
}

}  // namespace bifocal::fuzz
