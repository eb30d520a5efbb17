// SPDX-License-Identifier: BSD-3-Clause
// RowWriter writes pieces of rows into a database with concurrent readers: a piece is visible as a
// whole or not at all, the log stays short, and the bytes equal SQLite's own.
#include <bifocal/colmap/database.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include "collection/colmap/row_writer.hpp"
#include "collection/colmap/state.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using colmap::Access, colmap::Database, colmap::Id, colmap::RowWriter, colmap::TwoViewGeometry;

constexpr Id kImages = 100;

// The k-th pair of the images, and a geometry of that pair with a given number of inliers and with
// numbers that depend on k.
std::pair<Id, Id> pair_at(int k) {
  Id first = 1;
  while (k >= int(kImages - first)) k -= int(kImages - first++);
  return {first, first + 1 + Id(k)};
}
TwoViewGeometry geometry_at(int k, int inliers) {
  TwoViewGeometry g{colmap::Configuration::calibrated, {}, {}, {}, {}, {}};
  for (int i = 0; i < inliers; ++i) g.inliers.push_back({Id(k), Id(i)});
  g.F = g.E = g.H = Mat3{1, 2, 3, 4, 5, 6, 7, 8, double(k)};
  g.cam2_from_cam1 = Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, double(k)}};
  return g;
}
void write_row(Database& to, int k, int inliers) {
  const auto [a, b] = pair_at(k);
  to.write_geometry(a, b, geometry_at(k, inliers));
}

std::int64_t log_bytes(const fs::path& file) {
  std::error_code none;
  const auto size = fs::file_size(file.string() + "-wal", none);
  return none ? 0 : static_cast<std::int64_t>(size);
}

void expect_whole(const fs::path& file, int rows) {
  EXPECT_EQ(RawDatabase(file).bytes("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(Database(file).geometry_rows().size(), std::size_t(rows));
}

class RowWriting : public testing::Test {
 protected:
  RowWriting() { Database(file, Access::create); }
  TemporaryFolder folder;
  const fs::path file = folder / "a.db";
};

TEST_F(RowWriting, readers_see_whole_pieces_and_the_log_stays_short) {
  constexpr int kPieces = 60, kRows = 40, kInliers = 1200;
  constexpr std::int64_t kLongest = 1 << 20, kPiece = kRows * (kInliers * 8 + 4096);
  const Database last(file, Access::write);
  RowWriter writer(file, kLongest);
  std::atomic<bool> ended = false;
  std::atomic<int> seen = 0;
  // Another reader in this process, which the writer's gate keeps out at times.
  std::thread reader([&] {
    std::size_t before = 0;
    const Database database(file);
    while (!ended) {
      const std::lock_guard inside(writer.gate());
      const auto rows = database.geometry_rows();
      if (!rows.empty()) {
        const auto g = database.geometry(rows.back().image1, rows.back().image2);
        EXPECT_TRUE(g && g->inliers.size() == kInliers);
      }
      EXPECT_EQ(rows.size() % kRows, 0U);
      EXPECT_GE(rows.size(), before);
      seen += rows.size() > before;
      before = rows.size();
    }
  });
  std::int64_t longest = 0;
  for (int p = 0; p < kPieces; ++p) {
    writer.write([&](Database& to) {
      for (int k = 0; k < kRows; ++k) write_row(to, p * kRows + k, kInliers);
    });
    longest = std::max(longest, log_bytes(file));
  }
  ended = true;
  reader.join();
  writer.finish();
  EXPECT_GT(seen, 2);
  EXPECT_GT(longest, kLongest);
  EXPECT_LT(longest, kLongest + 2 * kPiece);  // the rows have 31 MB
  expect_whole(file, kPieces * kRows);
}

// As collect() writes: one connection for all pieces.
TEST_F(RowWriting, the_log_of_a_lasting_connection_stays_short) {
  constexpr int kPieces = 60, kRows = 40, kInliers = 1200;
  constexpr std::int64_t kLongest = 1 << 20, kPiece = kRows * (kInliers * 8 + 4096);
  std::int64_t longest = 0;
  {
    sqlite::BoundedLog log(file, kLongest);
    Database database(file, Access::write);
    log.attach(colmap::DatabaseInside::connection(database));
    for (int p = 0; p < kPieces; ++p) {
      log.before_piece();
      colmap::Transaction all(database);
      for (int k = 0; k < kRows; ++k) write_row(database, p * kRows + k, kInliers);
      all.commit();
      log.after_piece();
      longest = std::max(longest, log_bytes(file));
    }
    EXPECT_GT(fs::file_size(file), 20 * kPiece);  // rows are in the file while it is written
  }
  EXPECT_LT(longest, kLongest + 2 * kPiece);
  EXPECT_EQ(log_bytes(file), 0);
  expect_whole(file, kPieces * kRows);
}

// SQLite begins a log again once all of it is in the file. A thread may still be moving it then.
TEST_F(RowWriting, a_short_log_does_not_begin_again) {
  constexpr int kPieces = 5, kRows = 40, kInliers = 1200;
  sqlite::BoundedLog log(file, sqlite::kLongestLog);
  Database database(file, Access::write);
  log.attach(colmap::DatabaseInside::connection(database));
  for (int p = 0; p < kPieces; ++p) {
    log.before_piece();
    colmap::Transaction all(database);
    for (int k = 0; k < kRows; ++k) write_row(database, p * kRows + k, kInliers);
    all.commit();
    log.after_piece();
    log.finish();
    EXPECT_GT(log_bytes(file), (p + 1) * kRows * kInliers * 8);
  }
}

// A long-running reader keeps its snapshot. It delays the truncation of the log, but not
// the writer.
TEST_F(RowWriting, a_long_running_reader_does_not_block_writing) {
  RawDatabase reader(file);
  reader.run("BEGIN");
  EXPECT_EQ(reader.bytes("SELECT COUNT(*) FROM two_view_geometries"), "0");
  {
    RowWriter writer(file, 1 << 16);
    for (int p = 0; p < 30; ++p) writer.write([&](Database& to) { write_row(to, p, 4000); });
    writer.finish();
    EXPECT_GT(log_bytes(file), 30 * 32000);
    EXPECT_EQ(reader.bytes("SELECT COUNT(*) FROM two_view_geometries"), "0");
    reader.run("COMMIT");
    EXPECT_EQ(reader.bytes("SELECT COUNT(*) FROM two_view_geometries"), "30");
    const std::int64_t before = log_bytes(file);
    for (int p = 30; p < 60; ++p) writer.write([&](Database& to) { write_row(to, p, 4000); });
    EXPECT_LT(log_bytes(file), before + 200000);  // the log was restarted and reused
  }
  expect_whole(file, 60);
}

TEST_F(RowWriting, a_failed_piece_leaves_no_rows) {
  RowWriter writer(file, 1 << 16);
  for (int p = 0; p < 6; ++p) {
    writer.write([&](Database& to) {
      for (int k = 0; k < 20; ++k) write_row(to, 20 * p + k, 1000);
    });
    // The rows exceed the memory cache, so a part is in the log when the write fails.
    EXPECT_THROW(writer.write([&](Database& to) {
      for (int k = 0; k < 1000; ++k) write_row(to, 2000 + k, 1500);
      throw std::runtime_error("no more");
    }),
                 std::runtime_error);
    const std::lock_guard inside(writer.gate());  // the gate is open
    EXPECT_EQ(Database(file).geometry_rows().size(), std::size_t(20 * (p + 1)));
  }
  writer.finish();
  expect_whole(file, 120);
}

// Pages are written, changed and written again in one transaction, with small and large page sizes.
// The file equals the output of SQLite's own write path.
TEST_F(RowWriting, the_file_equals_SQLites_own_output) {
  for (const char* page : {"512", "4096", "65536"}) {
    const fs::path plain = folder / (std::string("p") + page),
                   ours = folder / (std::string("o") + page);
    fs::copy_file(file, plain);
    {
      RawDatabase database(plain);
      database.run(std::string("PRAGMA journal_mode = DELETE; PRAGMA page_size = ") + page +
                   "; VACUUM; PRAGMA journal_mode = WAL");
    }
    fs::copy_file(plain, ours);
    std::vector<int> order(4000);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    const auto rows = [&](Database& to, int piece) {
      for (int k = 0; k < 1000; ++k) {
        const int n = order[std::size_t(1000 * piece + k)];
        write_row(to, n, n % 7 == 0 ? 3000 : n % 50 * 20);
      }
      for (int k = 0; k < 300; ++k) {
        const auto [a, b] = pair_at(order[std::size_t(1000 * piece + 3 * k)]);
        to.erase_geometry(a, b);
      }
    };
    {
      const Database last(plain, Access::write);
      for (int p = 0; p < 4; ++p) {
        Database database(plain, Access::write);
        colmap::Transaction all(database);
        rows(database, p);
        all.commit();
      }
    }
    {
      const Database last(ours, Access::write);
      RowWriter writer(ours, 1 << 20);
      for (int p = 0; p < 4; ++p) writer.write([&](Database& to) { rows(to, p); });
    }
    expect_whole(ours, 2800);
    EXPECT_TRUE(read_file(plain) == read_file(ours)) << page;
    EXPECT_EQ(log_bytes(ours), 0);
  }
}

TEST_F(RowWriting, a_database_keeps_its_journal_and_its_pages) {
  {
    RawDatabase database(file);
    database.run("PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM");
  }
  {
    RowWriter writer(file);
    for (int p = 0; p < 5; ++p) writer.write([&](Database& to) { write_row(to, p, 500); });
    writer.finish();
    EXPECT_EQ(log_bytes(file), 0);
    EXPECT_EQ(Database(file).geometry_rows().size(), 5U);
  }
  EXPECT_EQ(RawDatabase(file).bytes("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(RawDatabase(file).bytes("PRAGMA page_size"), "1024");
  expect_whole(file, 5);
}

}  // namespace
}  // namespace bifocal::test
