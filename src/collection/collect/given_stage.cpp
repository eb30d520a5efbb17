// SPDX-License-Identifier: BSD-3-Clause
// Photographs whose features are given: their size and EXIF are read, their features checked and
// kept.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <memory>

#include "collection/collect/given.hpp"
#include "collection/collect/stages.hpp"
#include "io/decode.hpp"
#include "runtime/background.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::collection {
namespace {

constexpr std::int64_t kBytesOfDecoding = 6;  // a pixel: colours and grey, and some of the file
constexpr std::size_t kMostAtOnce = 8;

struct Loaded {
  PhotographRow row;
  std::string bytes;  // of the file
  Features features;
};
using Batch = std::vector<Loaded>;

// Names the photograph as the database does, wherever the folder lies.
void leave_out(const Job& job, Loaded& loaded, const std::string& reason) {
  const std::string file =
      job.photographs.files[static_cast<std::size_t>(loaded.row.number)].file.string();
  loaded.row.state = PhotographState::left_out;
  loaded.row.reason =
      reason.starts_with(file) ? loaded.row.name + reason.substr(file.size()) : reason;
}

class Looker {
 public:
  Looker(const Job& job, std::vector<PhotographRow> rows) : job_(job), rows_(std::move(rows)) {}

  // The next few, with what the files tell; empty at the end.
  Batch next() {
    Batch batch;
    std::int64_t pixels = 0;
    const std::int64_t most = job_.options.max_memory / 4 / kBytesOfDecoding;
    while (next_ < rows_.size() && batch.size() < kMostAtOnce) {
      if (!held_) held_ = load(rows_[next_]);
      const std::int64_t own = io::claimed_pixels(held_->bytes);
      if (!batch.empty() && pixels + own > most) break;
      pixels += own;
      batch.push_back(std::move(*held_));
      held_.reset();
      ++next_;
    }
    runtime::parallel_for(static_cast<int>(batch.size()),
                          [&](int i) { decode(batch[static_cast<std::size_t>(i)]); });
    return batch;
  }

 private:
  Loaded load(PhotographRow row) const {
    Loaded loaded{std::move(row), {}, {}};
    try {
      loaded.bytes =
          read_file(job_.photographs.files[static_cast<std::size_t>(loaded.row.number)].file,
                    kMaxPictureBytes);
    } catch (const Error& e) {
      leave_out(job_, loaded, e.what());
    }
    return loaded;
  }
  // All of it, since a damaged photograph is no use to who maps the database.
  void decode(Loaded& loaded) const {
    if (loaded.row.state == PhotographState::left_out) return;
    try {
      loaded.row.info = decode_photograph(loaded.bytes, loaded.row.name).info;
    } catch (const Error& e) {
      leave_out(job_, loaded, e.what());
    }
    std::string().swap(loaded.bytes);
  }

  const Job& job_;
  std::vector<PhotographRow> rows_;
  std::size_t next_ = 0;
  std::optional<Loaded> held_;  // read, but too large for the last batch
};

class GivenReader {
 public:
  GivenReader(const Job& job, std::optional<DescriptorKind> kind)
      : job_(job), source_(job.options.given.source), kind_(kind) {}

  void read(Loaded& loaded) {
    if (loaded.row.state == PhotographState::left_out) return;
    try {
      GivenImage given = source_.read(loaded.row.name, loaded.row.info);
      if (!kind_) kind_ = given.kind;
      if (given.kind != *kind_) {
        leave_out(job_, loaded,
                  fmt::format("{}: has descriptors of {}, those before have {}", loaded.row.name,
                              to_string(given.kind), to_string(*kind_)));
        return;
      }
      loaded.features = std::move(given.features);
      loaded.row.features = loaded.features.size();
      loaded.row.state = PhotographState::done;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
      leave_out(job_, loaded, e.what());
    }
  }
  [[nodiscard]] const std::optional<DescriptorKind>& kind() const { return kind_; }

 private:
  const Job& job_;
  const GivenSource source_;
  std::optional<DescriptorKind> kind_;  // that of the first
};

}  // namespace

void read_given_features(const Job& job) {
  WorkFile work(job.work_file, WorkFile::Mode::open);
  std::vector<PhotographRow> rows = work.photographs();
  const auto all = static_cast<std::int64_t>(rows.size());
  std::erase_if(rows, [](const PhotographRow& r) { return r.state != PhotographState::waiting; });
  StageProgress progress(job.options, "features", "photographs", all,
                         all - static_cast<std::int64_t>(rows.size()));
  if (rows.empty()) return;
  GivenReader reader(job, work.given());
  Looker looker(job, std::move(rows));
  runtime::Background writer(1);
  while (true) {
    auto batch = std::make_shared<Batch>(looker.next());
    if (batch->empty()) break;
    for (Loaded& loaded : *batch) reader.read(loaded);
    writer.run([&work, batch, kind = reader.kind()] {
      work.together([&] {
        if (kind) work.set_given(*kind);
        for (const Loaded& loaded : *batch) work.finish(loaded.row, loaded.features);
      });
    });
    progress.add(static_cast<std::int64_t>(batch->size()));
  }
  writer.finish();
}

}  // namespace bifocal::collection
