// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.hpp"
#include "cli.hpp"
#include "contradictions.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "verify_options.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string database, out, features, matches;
  VerifyFlags verify;
  bool drops_contradicting = false;
  CommonOptions common;
};

std::string summary(const colmap::VerifyProgress& done, const std::string& device, double seconds) {
  std::string text =
      fmt::format("{} of {} pairs verified in {:.1f} s", verified_pairs(done), done.done, seconds);
  if (done.done > 0) text += fmt::format(", {:.0f} a second", double(done.done) / seconds);
  text += " on " + device;
  text += fmt::format("\n{} inliers\n", done.inliers);
  const Json counts = counts_json(done);
  for (const auto& [name, count] : counts.items())
    text += fmt::format("{}: {}\n", name, count.dump());
  if (done.verified_before > 0) text += fmt::format("verified before: {}\n", done.verified_before);
  if (done.left_out > 0) text += fmt::format("left out: {}\n", done.left_out);
  if (done.unmatched > 0) text += fmt::format("without matches: {}\n", done.unmatched);
  return text;
}

void check(const Options& o, bool reads_hloc) {
  const bool from_hloc = !o.features.empty();
  if (from_hloc && (!o.database.empty() || o.out.empty()))
    throw Error(ErrorCode::usage,
                "--features: the database is named by --database\nSee bifocal verify --help");
  if (from_hloc && o.verify.pairs.empty())
    throw Error(ErrorCode::usage, "--features needs --pairs\nSee bifocal verify --help");
  if (from_hloc && !reads_hloc)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: hloc's files are read by the Python package, with h5py (pip install "
                    "h5py): python -m bifocal verify --features {} --matches {} --pairs {} "
                    "--database {}",
                    o.features, o.features, o.matches, o.verify.pairs, o.out));
  if (!from_hloc && o.database.empty() == o.out.empty())
    throw Error(ErrorCode::usage, "DATABASE is required, once\nSee bifocal verify --help");
}

void print_result(const Options& o, const DeviceSet& devices, const std::string& file,
                  const colmap::VerifyProgress& done, const Contradictions& contradictions,
                  double seconds, const StageTimes& times) {
  if (!o.common.json) return print_out(summary(done, devices.id(), seconds));
  Json json = verified_json(file, done);
  json["device"] = devices.id();
  for (std::size_t i = 0; i < done.by_device.size(); ++i)
    json["pairs_by_device"].push_back(
        {{"device", devices.devices()[i].info().id}, {"pairs", done.by_device[i]}});
  json["seed"] = o.verify.run.options.seed;
  json["seconds"] = seconds;
  json["timings_ms"] = times_json(times.times());
  json["contradicting"] = contradictions.pairs;
  print_out(to_text(json));
}

// Imports hloc's files and verifies their pairs. Pairs that the import leaves out are counted so.
colmap::VerifyProgress verify_hloc(const DeviceSet& devices, const Options& o,
                                   const colmap::VerifyRun& work, const HlocImport& import_hloc) {
  std::vector<colmap::OddRow> odd =
      import_hloc({o.features, o.matches, o.verify.pairs, o.out, work.overwrite});
  colmap::VerifyProgress done = colmap::verify(devices, o.out, work);
  for (const colmap::OddRow& row : odd) {
    if (row.use != colmap::RowUse::left_out) continue;
    done.left_out += row.pairs;
    done.unmatched -= row.pairs;  // they have no row of matches
  }
  done.odd_rows.insert(done.odd_rows.begin(), odd.begin(), odd.end());
  return done;
}

void run(const Options& o, Context& context) {
  using Clock = std::chrono::steady_clock;
  check(o, context.import_hloc != nullptr);
  if (o.verify.run.overwrite)
    announce_interruption("the same command starts again; pairs not verified yet keep their rows");
  else
    announce_interruption(kResumes);
  context.times.end("start");
  const DeviceSet devices = chosen_devices(o.common);
  context.times.end("device");
  const ThreadLimit limit(o.common.threads);
  const std::string& file = o.database.empty() ? o.out : o.database;
  std::optional<Progress> progress;
  colmap::VerifyRun work = o.verify.run;
  work.pairs = o.verify.pairs;
  work.progress = [&](const colmap::VerifyProgress& p) {
    if (!progress) progress.emplace(double(p.pairs), "pairs");
    progress->update(double(p.done), file);
    return true;
  };
  const Clock::time_point start = Clock::now();
  const colmap::VerifyProgress done = o.features.empty()
                                          ? colmap::verify(devices, file, work)
                                          : verify_hloc(devices, o, work, context.import_hloc);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  progress.reset();
  context.times.end("verification");
  print_odd_rows(done.odd_rows);
  const Contradictions contradictions = print_contradictions(
      found_contradictions(file, o.drops_contradicting), o.drops_contradicting);
  context.times.end("contradictions");
  print_result(o, devices, file, done, contradictions, seconds, context.times);
  if (done.left_out > 0 && done.done + done.verified_before == 0) {
    print_note(fmt::format("{}: no pair could be verified", file));
    context.exit_code = kExitInput;
  }
}

}  // namespace

void add_verify(Program& program, Context& context) {
  const Command command =
      program.command("verify", "Verify the matches in a database of COLMAP, or from hloc");
  const auto o = std::make_shared<Options>();
  command.option("DATABASE", o->database, "COLMAP database with keypoints and matches");
  const Option out =
      command.option("--database", o->out, "the same; created if missing with hloc's files");
  const Option features =
      command.option("--features", o->features,
                     "hloc's features.h5, imported into the database first (python -m "
                     "bifocal verify only)");
  const Option matches =
      command.option("--matches", o->matches, "hloc's matches.h5, imported into the database first")
          .needs(features);
  features.needs(matches).needs(out);
  add_verify_options(command, o->verify);
  command.flag("--drop-contradicting", o->drops_contradicting, kDropContradictingHelp);
  add_common_of_many(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
