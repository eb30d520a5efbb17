// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "collection/collect/stages.hpp"

namespace bifocal {
namespace fs = std::filesystem;
namespace collection {
namespace {

constexpr const char* kOwnTable = "bifocal_collect";  // of a database that collect() made

class Collection {
 public:
  Collection(const DeviceSet& devices, const PhotographFiles& photographs, const fs::path& database,
             const CollectOptions& options)
      : database_(database),
        job_{devices, photographs, options, database.string() + ".part"},
        settings_(settings_of(job_)) {}

  CollectResult run() {
    const LockFile lock(database_.string() + ".lock");
    if (is_complete()) {
      remove_work();
      return result_;
    }
    check_sizes(job_);
    open_work();
    const bool given = !job_.options.given.source.empty();
    stage("features", [&] { given ? read_given_features(job_) : find_features(job_); });
    WorkFile work(job_.work_file, WorkFile::Mode::open);
    const std::vector<PhotographRow> rows = work.photographs();
    count_images(rows);
    std::vector<ImagePair> pairs;
    stage("pairs", [&] { pairs = choose_pairs(job_, work); });
    stage("matches", [&] {
      match_pairs(job_, rows, pairs);
      if (is_screened(job_.options)) match_links(work, rows, pairs);
      if (job_.options.pairs != PairChoice::retrieval) return;
      pairs = choose_more_pairs(job_, work, std::move(pairs));
      match_pairs(job_, rows, pairs);
    });
    result_.pairs = static_cast<std::int64_t>(pairs.size());
    count_pairs(work);
    const std::vector<std::string> notes = notes_of(job_, rows, pairs);
    stage("database", [&] { write_database(job_, database_, all_settings(rows, notes), result_); });
    remove_work();
    result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
    return result_;
  }

 private:
  template <class Body>
  void stage(const char* name, const Body& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    result_.seconds.emplace_back(name, took.count());
  }

  // Pairs that may link what is apart, round after round, enter `pairs`.
  void match_links(WorkFile& work, const std::vector<PhotographRow>& rows,
                   std::vector<ImagePair>& pairs) {
    for (int round = 1;; ++round) {
      const std::vector<ImagePair> links = choose_links(job_, work, round);
      if (links.empty()) return;
      pairs.insert(pairs.end(), links.begin(), links.end());
      tidy_pairs(pairs);
      match_pairs(job_, rows, pairs);
    }
  }

  // The database is there, made by the same settings of the same photographs.
  bool is_complete();
  void open_work();
  void check_work_file() const;
  void check_photographs(WorkFile& work) const;
  void begin_work();
  [[nodiscard]] std::vector<PhotographRow> waiting_rows() const;
  void remove_work() const { sqlite::remove_database(job_.work_file); }
  // Adds the photographs' names, the reasons why some were left out, and notes.
  [[nodiscard]] Settings all_settings(const std::vector<PhotographRow>& rows,
                                      const std::vector<std::string>& notes) const;
  void count_images(const std::vector<PhotographRow>& rows);
  void count_pairs(WorkFile& work);

  fs::path database_;
  Job job_;
  Settings settings_;
  CollectResult result_;
};

// "max-features was 8192 and is 4096"; empty when nothing differs.
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

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}\t{}\n", name, value);
  return text;
}
Settings settings_from(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    settings.emplace(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return settings;
}

constexpr std::string_view kPhotograph = "photograph ", kLeftOut = "left out ", kNote = "note ";

bool has_table(const sqlite::Connection& connection, std::string_view name) {
  sqlite::Statement there(connection, "SELECT 1 FROM sqlite_master WHERE name = ?");
  there.bind(1, name);
  return there.step("tables");
}

Settings settings_of_database(const fs::path& file) {
  const sqlite::Connection connection(file, sqlite::Mode::read);
  Settings settings;
  if (!has_table(connection, kOwnTable)) return settings;
  sqlite::Statement all(connection, "SELECT name, value FROM bifocal_collect");
  while (all.step("table bifocal_collect")) settings.emplace(all.text(0), all.text(1));
  return settings;
}

std::int64_t count_screened(const fs::path& file) {
  const sqlite::Connection connection(file, sqlite::Mode::read);
  if (!has_table(connection, "bifocal_screened")) return 0;  // of an earlier version
  sqlite::Statement count(connection, "SELECT count(*) FROM bifocal_screened");
  return count.step("table bifocal_screened") ? count.number(0) : 0;
}

bool Collection::is_complete() {
  std::error_code error;
  if (!fs::exists(database_, error) || job_.options.overwrite) return false;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::input,
                fmt::format("{}: exists already and {}; it is replaced with --overwrite",
                            database_.string(), why));
  };
  Settings there;
  try {
    there = settings_of_database(database_);
  } catch (const Error&) {
    refuse("is no database of photographs");
  }
  if (there.empty()) refuse("was not made by collecting photographs");
  std::vector<std::string> names;
  for (auto s = there.begin(); s != there.end();) {
    if (s->first.starts_with(kLeftOut))
      result_.left_out.push_back({s->first.substr(kLeftOut.size()), s->second});
    if (s->first.starts_with(kNote)) result_.notes.push_back(s->second);
    const bool is_own = s->first.starts_with(kLeftOut) || s->first.starts_with(kPhotograph) ||
                        s->first.starts_with(kNote);
    if (s->first.starts_with(kPhotograph)) names.push_back(s->first.substr(kPhotograph.size()));
    s = is_own ? there.erase(s) : std::next(s);
  }
  const std::string differs = difference(there, settings_);
  if (!differs.empty()) refuse("was made with other options: " + differs);
  std::vector<std::string> now;
  const auto made = fs::last_write_time(database_);
  for (const PhotographFile& f : job_.photographs.files) {
    now.push_back(f.name);
    if (fs::last_write_time(f.file, error) > made && !error)
      refuse(fmt::format("the photograph {} is newer", f.name));
  }
  std::sort(names.begin(), names.end());
  std::sort(now.begin(), now.end());
  if (names != now) refuse("was made of other photographs");
  result_.was_complete = true;
  colmap::Database done(database_);
  for (const colmap::Image& image : done.images()) {
    ++result_.images;
    result_.features += done.keypoint_count(image.id);
  }
  for (const colmap::PairRows& p : done.match_rows())
    ++result_.pairs, result_.matched += p.rows > 0;
  for (const colmap::PairRows& p : done.geometry_rows()) result_.verified += p.rows > 0;
  result_.screened_out = count_screened(database_);
  return true;
}

std::vector<PhotographRow> Collection::waiting_rows() const {
  std::vector<PhotographRow> rows;
  for (const PhotographFile& f : job_.photographs.files) {
    struct stat status {};
    if (stat(f.file.c_str(), &status) != 0) status = {};
    PhotographRow& r = rows.emplace_back();
    r.number = static_cast<int>(rows.size()) - 1;
    r.name = f.name;
    r.bytes = status.st_size;
    r.changed = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  }
  return rows;
}

// The file appears under its name with all that it needs to be gone on with.
void Collection::begin_work() {
  const fs::path fresh = job_.work_file.string() + ".new";
  sqlite::remove_database(fresh);
  {
    WorkFile work(fresh, WorkFile::Mode::create);
    work.together([&] {
      work.set("options", text_of(settings_));
      for (const PhotographRow& r : waiting_rows()) work.add(r);
    });
  }
  sqlite::fold_log(fresh);
  fs::rename(fresh, job_.work_file);
}

// Work that was stopped while its log was written into it is whole with its log alone. It never has
// a journal: that would be of another file.
void Collection::check_work_file() const {
  std::error_code none;
  fs::remove(job_.work_file.string() + "-journal", none);
  if (!fs::exists(job_.work_file.string() + "-wal", none)) sqlite::check_whole(job_.work_file);
}

void Collection::open_work() {
  std::error_code error;
  if (!fs::exists(job_.work_file, error)) {
    // A log without its file is of work that somebody took away.
    if (sqlite::remove_logs(job_.work_file))
      result_.notes.push_back(fmt::format(
          "{}: only the log of unfinished work was there: begun anew", job_.work_file.string()));
    return begin_work();
  }
  try {
    check_work_file();
    WorkFile work(job_.work_file, WorkFile::Mode::open);
    const std::string differs =
        difference(settings_from(work.get("options").value_or("")), settings_);
    if (!differs.empty())
      throw Error(ErrorCode::usage,
                  fmt::format("{}: unfinished work with other options: {}; give the same to go on "
                              "with it, or --overwrite to begin anew",
                              job_.work_file.string(), differs));
    check_photographs(work);
    result_.resumed = true;
  } catch (const Error&) {
    if (!job_.options.overwrite) throw;
    remove_work();
    begin_work();
  }
}

void Collection::check_photographs(WorkFile& work) const {
  const std::vector<PhotographRow> then = work.photographs(), now = waiting_rows();
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::input,
                fmt::format("{}: unfinished work of other photographs: {}; --overwrite begins anew",
                            job_.work_file.string(), what));
  };
  for (std::size_t i = 0; i < std::max(then.size(), now.size()); ++i) {
    if (i >= now.size()) refuse(then[i].name + " was among them");
    if (i >= then.size()) refuse(now[i].name + " was not among them");
    if (then[i].name != now[i].name)
      refuse(fmt::format("{} was there, {} is there now", then[i].name, now[i].name));
    if (then[i].bytes != now[i].bytes || then[i].changed != now[i].changed)
      refuse(now[i].name + " has changed since");
  }
}

Settings Collection::all_settings(const std::vector<PhotographRow>& rows,
                                  const std::vector<std::string>& notes) const {
  Settings all = settings_;
  for (std::size_t i = 0; i < notes.size(); ++i)
    all.emplace(fmt::format("{}{}", kNote, i + 1), notes[i]);
  for (const PhotographRow& r : rows) {
    all.emplace(std::string(kPhotograph) + r.name, "");
    if (r.state == PhotographState::left_out) all.emplace(std::string(kLeftOut) + r.name, r.reason);
  }
  return all;
}

void Collection::count_images(const std::vector<PhotographRow>& rows) {
  for (const PhotographRow& r : rows) {
    if (r.state == PhotographState::left_out) result_.left_out.push_back({r.name, r.reason});
    result_.images += r.state == PhotographState::done;
    result_.features += r.features;
  }
}

void Collection::count_pairs(WorkFile& work) {
  result_.screened_out = static_cast<std::int64_t>(work.left_out().size());
  for (const WorkFile::Count& pair : work.pair_counts()) {
    result_.matched += pair.matches > 0;
    result_.verified += pair.inliers > 0;
  }
}

}  // namespace
}  // namespace collection

CollectResult collect(const DeviceSet& devices, const PhotographFiles& photographs,
                      const fs::path& database, const CollectOptions& options) {
  collection::check_options(options);
  if (photographs.files.empty())
    throw Error(ErrorCode::input,
                fmt::format("{}: no photographs there", photographs.folder.string()));
  return collection::Collection(devices, photographs, database, options).run();
}

}  // namespace bifocal
