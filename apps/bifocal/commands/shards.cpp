// SPDX-License-Identifier: BSD-3-Clause
// The commands plan, run-shard and merge: verification in parts, for any workflow engine that can
// run a program.
#include <fmt/format.h>
#include <unistd.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include <charconv>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "verify_options.hpp"

namespace bifocal::cli {
namespace {

struct PlanOptions {
  std::string database, folder;
  double pairs_per_shard = 10000;
  bool json = false;
  VerifyFlags verify;
};
struct ShardOptions {
  std::string folder, database;
  std::optional<int> shard;
  bool serve = false;
  std::uint64_t max_memory = std::uint64_t{1} << 30;
  CommonOptions common;
};
struct MergeOptions {
  std::string folder, into;
  bool json = false;
};

// Runs `body`; a temporary failure gives its own exit code.
template <class Body>
void guarded(Context& context, const Body& body) {
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file beyond its size limit then gives a failed write with a message
  try {
    body();
  } catch (const TryAgain& error) {
    print_note(error.what());
    context.exit_code = kExitTryAgain;
  }
}

void make_plan(const PlanOptions& o) {
  const colmap::Plan plan =
      colmap::plan_shards(o.database, o.folder,
                          {o.verify.run.options, o.verify.pairs, o.verify.run.overwrite,
                           static_cast<std::int64_t>(o.pairs_per_shard)});
  print_odd_rows(plan.odd_rows);
  if (!o.json)
    return print_out(
        fmt::format("{} pairs in {} shards, {} matches\nverified before: {}\n"
                    "without matches: {}\n",
                    plan.pairs, plan.shards(), plan.matches, plan.verified_before, plan.unmatched));
  Json json = {{"folder", o.folder}};
  json["hash"] = plan.hash;
  json["pairs"] = plan.pairs;
  json["shards"] = plan.shards();
  json["matches"] = plan.matches;
  json["verified_before"] = plan.verified_before;
  json["unmatched"] = plan.unmatched;
  json["odd_rows"] = odd_rows_json(plan.odd_rows);
  print_out(to_text(json));
}

int code_of(colmap::ShardEnd end) {
  switch (end) {
    case colmap::ShardEnd::done:
      return kExitOk;
    case colmap::ShardEnd::try_again:
      return kExitTryAgain;
    case colmap::ShardEnd::poisoned:
      return kExitPoisoned;
  }
  return kExitInternal;
}

Json shard_json(int shard, const colmap::ShardResult& result, double seconds) {
  Json json = {{"shard", shard}};
  json["code"] = code_of(result.end);
  json["was_done"] = result.was_done;
  json["pairs"] = result.pairs;
  json["inliers"] = result.inliers;
  json["left_out"] = result.left_out;
  json["odd_rows"] = odd_rows_json(result.odd_rows);
  json["seconds"] = seconds;
  json["reason"] = result.reason;
  return json;
}

class Worker {
 public:
  explicit Worker(const ShardOptions& o)
      : plan_(colmap::read_plan(o.folder)),
        run_{o.database, static_cast<std::int64_t>(o.max_memory)},
        limit_(o.common.threads),
        devices_(chosen_devices(o.common)) {}

  Json run(int shard) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const colmap::ShardResult result = colmap::run_shard(devices_, plan_, shard, run_);
    print_odd_rows(result.odd_rows);
    return shard_json(shard, result, std::chrono::duration<double>(Clock::now() - start).count());
  }

 private:
  const colmap::Plan plan_;
  const colmap::ShardRun run_;
  const ThreadLimit limit_;
  const DeviceSet devices_;
};

int run_one(const ShardOptions& o) {
  const Json done = Worker(o).run(*o.shard);
  const int code = done["code"].get<int>();
  if (code != kExitOk)
    print_note(fmt::format("shard {}: {}", *o.shard, done["reason"].get<std::string>()));
  if (o.common.json)
    print_out(to_text(done));
  else if (code == kExitOk)
    print_out(done["was_done"].get<bool>()
                  ? fmt::format("shard {} was done\n", *o.shard)
                  : fmt::format("shard {}: {} pairs in {:.1f} s\n", *o.shard,
                                done["pairs"].get<std::int64_t>(), done["seconds"].get<double>()));
  return code;
}

// Ends the process if its parent has ended, because no other process would stop it.
void end_with_parent() {
  std::thread([parent = ::getppid()] {
    while (::getppid() == parent) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::_exit(kExitTryAgain);
  }).detach();
}

// Reads shard numbers from stdin and writes results to stdout, one per line. The device stays open.
int serve(const ShardOptions& o) {
  end_with_parent();
  Worker worker(o);
  for (std::string line; std::getline(std::cin, line);) {
    line.resize(line.find_last_not_of(" \t\r") + 1);  // removes line ends of other systems
    int shard = -1;
    const auto [end, bad] = std::from_chars(line.data(), line.data() + line.size(), shard);
    if (bad != std::errc() || end != line.data() + line.size())
      throw Error(ErrorCode::usage, fmt::format("--serve: '{}' is not a shard number", line));
    const Json done = worker.run(shard);
    print_out(to_line(done) + "\n");
    // After a failure of the device only a new process can be sure that the device works.
    if (done["code"] == kExitTryAgain) return kExitTryAgain;
  }
  return kExitOk;
}

int run_shards(const ShardOptions& o) {
  if (o.serve == o.shard.has_value())
    throw Error(ErrorCode::usage,
                "K is required, unless --serve is given\nSee bifocal run-shard --help");
  announce_interruption(o.serve ? "finished shards are kept"
                                : "the same command computes this shard again; finished shards "
                                  "are kept");
  return o.serve ? serve(o) : run_one(o);
}

void merge(const MergeOptions& o) {
  announce_interruption(kResumes);
  const colmap::Plan plan = colmap::read_plan(o.folder);
  const std::string file = o.into.empty() ? plan.database.string() : o.into;
  std::optional<Progress> progress;
  const colmap::VerifyProgress done =
      colmap::merge_shards(plan, {o.into, [&](const colmap::VerifyProgress& p) {
                                    if (!progress) progress.emplace(double(p.pairs), "pairs");
                                    progress->update(double(p.done), file);
                                    return true;
                                  }});
  progress.reset();
  print_odd_rows(done.odd_rows);
  if (!o.json)
    return print_out(fmt::format("{} pairs written to {}, {} inliers\nverified before: {}\n",
                                 done.done, file, done.inliers, done.verified_before));
  Json json = verified_json(file, done);
  print_out(to_text(json));
}

void add_plan(Program& program, Context& context) {
  const Command command =
      program.command("plan", "Divide the verification of a database into shards");
  const auto o = std::make_shared<PlanOptions>();
  command.option("DATABASE", o->database, "COLMAP database with keypoints and matches").required();
  command.option("--out", o->folder, "folder for the plan, the shards and their results")
      .required();
  command
      .option("--pairs-per-shard", o->pairs_per_shard,
              "number of pairs; 30 to 120 s of work per shard are a good size")
      .in_range(Range::within(1, 1e9))
      .shows_default();
  add_verify_options(command, o->verify, FlagChanges().leave_out(o->verify.run.max_memory));
  command.flag("--json", o->json, "print the result as JSON on stdout");
  command.runs([o, &context] { guarded(context, [&] { make_plan(*o); }); });
}

void add_run_shard(Program& program, Context& context) {
  const Command command = program.command("run-shard", "Verify the pairs of one shard of a plan");
  const auto o = std::make_shared<ShardOptions>();
  command.option("DIR", o->folder, "folder of the plan").required();
  command.option("K", o->shard, "number of the shard, from 0");
  command.flag("--serve", o->serve,
               "read shard numbers from stdin, one per line, and print one line of JSON for each");
  command.option("--database", o->database,
                 "path of the database on this machine; default: as planned");
  command
      .option("--max-memory", o->max_memory, "memory for keypoints that later pairs need: 500M, 2G")
      .size_in_bytes()
      .shows_default();
  add_common_of_many(command, o->common);
  command.runs([o, &context] { guarded(context, [&] { context.exit_code = run_shards(*o); }); });
}

void add_merge(Program& program, Context& context) {
  const Command command =
      program.command("merge", "Write the results of a plan's shards into the database");
  const auto o = std::make_shared<MergeOptions>();
  command.option("DIR", o->folder, "folder of the plan").required();
  command.option("--into", o->into, "copy of the planned database; default: the planned one");
  command.flag("--json", o->json, "print the result as JSON on stdout");
  command.runs([o, &context] { guarded(context, [&] { merge(*o); }); });
}

}  // namespace

void add_shards(Program& program, Context& context) {
  add_plan(program, context);
  add_run_shard(program, context);
  add_merge(program, context);
}

}  // namespace bifocal::cli
