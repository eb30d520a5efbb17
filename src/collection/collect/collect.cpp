// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "collection/collect/masks.hpp"
#include "collection/collect/stages.hpp"
#include "collection/collect/survey.hpp"

namespace bifocal {
namespace fs = std::filesystem;
namespace collection {
namespace {

// Opens a database for reading. A connection with write access removes SQLite's log on closing;
// without write permission the database is opened read-only and immutable ("frozen").
WorkDatabase opened(const fs::path& database) {
  try {
    return WorkDatabase(database, colmap::Access::write);
  } catch (const Error&) {
    return WorkDatabase(database, colmap::Access::frozen);
  }
}

class Collection {
 public:
  Collection(const DeviceSet& devices, const PhotographFiles& photographs, const fs::path& database,
             const CollectOptions& options)
      : database_(database),
        options_(options),
        job_{devices, photographs, options_, database.string() + ".part"} {}

  CollectResult run() {
    std::error_code none;
    const LockFile lock(database_, fs::exists(database_, none));
    choose_pairs();
    settings_ = settings_of(job_);
    if (is_complete()) {
      if (fs::exists(job_.work_file, none)) sqlite::remove_database(job_.work_file);
      result_.notes = read_collect_summary(database_).notes;
      const WorkDatabase done = opened(database_);
      std::vector<ScreenedPair> left_out = done.screened();
      const PairCounts matched = done.pair_counts();
      std::erase_if(left_out, [&](const ScreenedPair& s) {
        return std::ranges::binary_search(matched, s.pair, before, &WorkDatabase::PairCount::pair);
      });
      count(done.photographs(), matched, std::ssize(left_out));
      result_.focal_lengths = colmap::focal_lengths_of(done.database().cameras());
      end_stage("photographs");
      return result_;
    }
    job_.mosaics = mosaics_among(job_.photographs.files, heads());
    const SizeLimits limits = check_sizes(job_);
    job_.found = std::make_unique<FeatureStore>(memory_of_found(job_, limits.least_memory));
    open_work();
    end_stage("photographs");
    const std::vector<std::string> notes = fill(limits);
    stage("database", [&] {
      job_.found.reset();
      job_.kept.clear();
      StageProgress progress(job_.options, "database", "files", 1, 0);
      WorkDatabase(job_.work_file, colmap::Access::write).finish(notes);
      publish(job_.work_file, database_);
      progress.add(1);
    });
    result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
    return result_;
  }

 private:
  // Replaces PairChoice::automatic by `all` unless pairs are selected by positions. Begun work
  // keeps its choice.
  void choose_pairs();
  // Returns the value of the setting `pairs` of begun work; nullopt without it.
  [[nodiscard]] std::optional<std::string> recorded_pairs() const;
  [[nodiscard]] const Heads& heads() {
    if (!heads_) heads_ = heads_of(job_.photographs.files);
    return *heads_;
  }

  // Runs the stages on the work file and returns the notes.
  std::vector<std::string> fill(const SizeLimits& limits) {
    WorkDatabase work(job_.work_file, colmap::Access::write);
    work.set_cache(job_.options.max_memory / 32);
    job_.kept = kept_features(job_, limits.least_memory, limits.most_features);
    const bool shares_unknown = job_.options.cameras.sharing == CameraSharing::automatic &&
                                !job_.options.cameras.intrinsics;
    if (shares_unknown) unite_unknown_cameras(work, all_rows(work));
    stage("features", [&] { find_features(job_, work, all_rows(work)); });
    const std::vector<PhotographRow> rows = all_rows(work);
    const ChosenPairs chosen =
        match_chosen(job_, work, rows, [this](auto name, const auto& body) { stage(name, body); });
    count(rows, chosen.counts, chosen.left_out);
    std::vector<std::string> notes = notes_of(job_, rows, chosen.pairs);
    stage("cameras", [&] {
      if (shares_unknown)
        std::ranges::move(divide_unknown_cameras(work, rows), std::back_inserter(notes));
    });
    result_.focal_lengths = colmap::focal_lengths_of(work.database().cameras());
    return notes;
  }

  void stage(const char* name, const std::function<void()>& body) {
    body();
    end_stage(name);
  }
  // Adds the time since the end of the previous stage.
  void end_stage(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> took = now - std::exchange(stage_start_, now);
    const auto known = std::ranges::find(result_.seconds, name, &NamedSeconds::first);
    if (known == result_.seconds.end()) {
      result_.seconds.emplace_back(name, took.count());
    } else {
      known->second += took.count();
    }
  }

  // Returns whether the database exists with the same settings and photographs, and is not to be
  // overwritten. If photographs were added, a copy of the database becomes the unfinished work.
  // Throws Error(input) if the file is another database, has other settings or lost photographs, or
  // if a photograph has changed.
  bool is_complete();
  void open_work();
  void check_work_file() const;
  // Returns the photographs of the unfinished work, followed by the added photographs. Throws
  // Error(input) if a photograph of the work is missing or has changed.
  [[nodiscard]] std::vector<PhotographRow> all_rows(const WorkDatabase& work) const;
  [[nodiscard]] std::vector<PhotographRow> rows_of_files() const;
  [[nodiscard]] bool has_content(const PhotographRow& files, const std::string& content) const;
  void count(std::span<const PhotographRow> rows, const PairCounts& pairs, std::int64_t screened);

  using NamedSeconds = std::pair<std::string, double>;
  fs::path database_;
  CollectOptions options_;
  Job job_;
  std::optional<Heads> heads_;
  Settings settings_;
  CollectResult result_;
  std::chrono::steady_clock::time_point stage_start_ = std::chrono::steady_clock::now();
  // Content hashes of files read so far, by name.
  mutable std::map<std::string, std::string> contents_;
};

// Returns the first difference between two settings, such as "max-features was 8192 and is 4096";
// empty if they are equal.
std::string difference(const Settings& then, const Settings& now) {
  for (const auto& [name, value] : now) {
    const auto old = then.find(name);
    if (old == then.end()) return fmt::format("{} was not given and is {}", name, value);
    if (old->second != value) return fmt::format("{} was {} and is {}", name, old->second, value);
  }
  for (const auto& [name, value] : then)
    if (!now.contains(name)) return fmt::format("{} was {} and is not given", name, value);
  return {};
}

// Adds size and time of change of a file to a row; a missing file is skipped.
void add_stamp(const fs::path& file, PhotographRow& row) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return;
  row.bytes += status.st_size;
  // The time of status change (ctime) is used, because copies and archives keep the original's
  // time of modification.
  row.changed = std::max(
      row.changed, std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec);
}

// Returns the time of modification in ns, or 0 if the file is missing.
std::int64_t modified(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

// Returns the rows by name. The pointers are valid as long as `rows`.
std::map<std::string, const PhotographRow*> by_name(std::span<const PhotographRow> rows) {
  std::map<std::string, const PhotographRow*> all;
  for (const PhotographRow& r : rows) all.emplace(r.name, &r);
  return all;
}

std::optional<std::string> Collection::recorded_pairs() const {
  std::error_code none;
  const bool is_finished = fs::exists(database_, none) && !options_.overwrite;
  const fs::path& file = is_finished ? database_ : job_.work_file;
  if (!fs::exists(file, none)) return {};
  try {
    for (const auto& [name, value] : read_collect_summary(file).settings)
      if (name == "pairs") return value;
  } catch (const Error&) {  // no database: reported later
  }
  return {};
}

void Collection::choose_pairs() {
  if (options_.pairs != PairChoice::automatic) return;
  const auto is_by_position = [&] {
    if (!options_.given.source.empty()) return false;  // the screen needs features found here
    if (const auto recorded = recorded_pairs())
      return *recorded == kPairChoiceWords[static_cast<std::size_t>(PairChoice::automatic)];
    const std::set<std::string> mosaics = mosaics_among(job_.photographs.files, heads());
    return is_map(job_.photographs.files, heads(), mosaics, options_.gps);
  };
  if (!is_by_position()) options_.pairs = PairChoice::all;
}

bool Collection::is_complete() {
  std::error_code error;
  if (!fs::exists(database_, error) || job_.options.overwrite) return false;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::input,
                fmt::format("{}: exists already and {}; it is replaced with --overwrite",
                            database_.string(), why));
  };
  bool is_ours = false;
  try {
    is_ours = WorkDatabase::is_one(database_);
  } catch (const Error&) {
    refuse("is no database of photographs");
  }
  if (!is_ours) refuse("was not made by collecting photographs");
  const std::vector<PhotographRow> files = rows_of_files();
  const auto named = by_name(files);
  std::vector<PhotographRow> rows;
  {
    const WorkDatabase done(database_, colmap::quiet_access(database_));
    const std::string differs = difference(done.settings(), settings_);
    if (!differs.empty()) refuse("was made with other options: " + differs);
    rows = done.photographs();
  }
  const std::int64_t made = modified(database_);
  bool is_newer = false;
  for (PhotographRow& r : rows) {
    const auto file = named.find(r.name);
    if (file == named.end()) refuse(r.name + " was among its photographs");
    is_newer = is_newer || file->second->changed > made;
    const bool has_changed =
        r.bytes != file->second->bytes ||
        (file->second->changed > made && !has_content(*file->second, r.content));
    if (has_changed) refuse(r.name + " has changed since");
    r.changed = file->second->changed;
  }
  if (rows.size() < files.size()) {
    if (!fs::exists(job_.work_file, error)) WorkDatabase::copy(database_, job_.work_file, rows);
    const std::size_t added = files.size() - rows.size();
    result_.notes.push_back(fmt::format("{} photograph{} new: added to the {} of {}", added,
                                        added == 1 ? " is" : "s are", rows.size(),
                                        database_.string()));
    return false;
  }
  // The new time of modification saves the next call from reading these files again.
  if (is_newer) fs::last_write_time(database_, fs::file_time_type::clock::now(), error);
  result_.was_complete = true;
  return true;
}

// Reads the files of a photograph and returns whether their content has the recorded hash.
bool Collection::has_content(const PhotographRow& files, const std::string& content) const {
  if (content.empty()) return false;
  std::string& known = contents_[files.name];
  if (known.empty()) {
    const std::string mask =
        files.mask.empty() ? std::string() : read_file(files.mask, kMaxImageBytes);
    known = content_of(read_file(files.file, kMaxImageBytes), mask);
  }
  return known == content;
}

// Returns a row for each photograph with the current size and time of its files.
std::vector<PhotographRow> Collection::rows_of_files() const {
  std::vector<PhotographRow> rows;
  for (const PhotographFile& f : job_.photographs.files) {
    PhotographRow& r = rows.emplace_back();
    r.number = r.place = static_cast<int>(rows.size()) - 1;
    r.name = f.name;
    r.file = f.file;
    add_stamp(r.file, r);
    if (job_.options.masks.empty()) continue;
    r.mask = mask_file(job_.options.masks, f.name);
    if (!r.mask.empty()) add_stamp(r.mask, r);
  }
  return rows;
}

std::vector<PhotographRow> Collection::all_rows(const WorkDatabase& work) const {
  std::vector<PhotographRow> rows = work.photographs(), files = rows_of_files();
  const auto refuse = [&](const std::string& what) {
    throw Error(
        ErrorCode::input,
        fmt::format("{}: unfinished run with other photographs: {}; use --overwrite to start again",
                    job_.work_file.string(), what));
  };
  const auto named = by_name(files);
  for (PhotographRow& r : rows) {
    const auto file = named.find(r.name);
    if (file == named.end()) refuse(r.name + " was among them");
    // finish() sets the times of change to 0. They are 0 here if a run stopped before the rename.
    const bool has_other_time = r.changed != 0 && file->second->changed != r.changed;
    if (file->second->bytes != r.bytes ||
        (has_other_time && !has_content(*file->second, r.content)))
      refuse(r.name + " has changed since");
    r.file = file->second->file, r.mask = file->second->mask;
    r.place = file->second->place;
  }
  const auto known = by_name(rows);
  std::vector<PhotographRow> all = rows;
  for (PhotographRow& f : files) {
    if (known.contains(f.name)) continue;
    f.number = static_cast<int>(all.size());
    all.push_back(std::move(f));
  }
  return all;
}

// Rejects a damaged work file. A file with a write-ahead log is complete only together with its
// log, so it is not tested. A work file never has a rollback journal: a journal belongs to a
// different file and is deleted.
void Collection::check_work_file() const {
  std::error_code none;
  fs::remove(job_.work_file.string() + "-journal", none);
  if (!fs::exists(job_.work_file.string() + "-wal", none)) sqlite::check_whole(job_.work_file);
}

void Collection::open_work() {
  std::error_code error;
  if (!fs::exists(job_.work_file, error)) {
    // A log without its file is left over from deleted work.
    if (sqlite::remove_logs(job_.work_file))
      result_.notes.push_back(
          fmt::format("{}: only the log of an unfinished run was found: started again",
                      job_.work_file.string()));
    return WorkDatabase::create(job_.work_file, settings_);
  }
  try {
    check_work_file();
    const WorkDatabase work(job_.work_file);
    const std::string differs = difference(work.settings(), settings_);
    if (!differs.empty())
      throw Error(ErrorCode::usage,
                  fmt::format("{}: unfinished run with other options: {}; give the same options to "
                              "resume it, or --overwrite to start again",
                              job_.work_file.string(), differs));
    (void)all_rows(work);
    work.check_rows();
    result_.resumed = true;
  } catch (const Error&) {
    if (!job_.options.overwrite) throw;
    sqlite::remove_database(job_.work_file);
    WorkDatabase::create(job_.work_file, settings_);
  }
}

// Fills the counts of the result from the rows of the database.
void Collection::count(std::span<const PhotographRow> rows, const PairCounts& pairs,
                       std::int64_t screened) {
  for (const PhotographRow& r : rows) {
    if (r.state == PhotographState::left_out) result_.left_out.push_back({r.name, r.reason});
    result_.images += r.state == PhotographState::done;
    result_.features += r.features;
  }
  for (const WorkDatabase::PairCount& pair : pairs) {
    ++result_.pairs;
    result_.matched += pair.matches > 0;
    result_.verified += pair.is_verified;
  }
  result_.screened_out = screened;
}

}  // namespace
}  // namespace collection

CollectResult collect(const DeviceSet& devices, const PhotographFiles& photographs,
                      const fs::path& database, const CollectOptions& options) {
  collection::check(options);
  if (photographs.files.empty())
    throw Error(ErrorCode::input,
                fmt::format("{}: no photographs there", photographs.folder.string()));
  std::vector<fs::path> inputs = {options.pairs_file, options.given.source, options.given.matches};
  for (const PhotographFile& file : photographs.files) inputs.push_back(file.file);
  require_no_input(database, inputs);
  return collection::Collection(devices, photographs, database, options).run();
}

}  // namespace bifocal
