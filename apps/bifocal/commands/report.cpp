// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/jobs.hpp>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "jobs/contradictions.hpp"
#include "models/control_text.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string database, images, model, dense, run, out;
  std::uint64_t max_size = std::uint64_t{24} << 20;
  ControlArguments control;
  int threads = 0;
  bool json = false, overwrite = false;
};

void run(const Options& o, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const CollectionPageSummary page = write_collection_page({.database = o.database,
                                                            .out = o.out,
                                                            .images = o.images,
                                                            .model = o.model,
                                                            .dense = o.dense,
                                                            .control = o.control.control,
                                                            .check = o.control.names(),
                                                            .run_file = o.run,
                                                            .command_line = context.command_line,
                                                            .max_bytes = o.max_size,
                                                            .threads = o.threads,
                                                            .overwrite = o.overwrite});
  announce_interruption(kFilesWritten);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Json result = {{"report", o.out},
                       {"bytes", page.bytes},
                       {"images", page.images},
                       {"verified", page.verified},
                       {"contradicting", described(page.contradicting).pairs},
                       {"components", page.components},
                       {"edges", page.edges},
                       {"pairs", page.pairs},
                       {"pictures", page.pictures},
                       {"depths", page.depths},
                       {"seconds", seconds}};
  if (o.json) return print_out(to_text(result));
  print_out(fmt::format(
      "{}: {:.1f} MB; {} images, {} verified pairs, {} with details, {} thumbnails{}; {:.1f} s\n",
      o.out, static_cast<double>(page.bytes) / 1e6, page.images, page.verified, page.pairs,
      page.pictures, o.dense.empty() ? "" : fmt::format(", {} depth maps", page.depths), seconds));
}

}  // namespace

void add_report(Program& program, Context& context) {
  const Command command = program.command(
      "report",
      "Write an HTML page of a database: view graph, pairs, and rejected images and pairs");
  const auto o = std::make_shared<Options>();
  command.option("DATABASE", o->database, "COLMAP database, as written by collect and verify")
      .required();
  command.option("--out", o->out, "output page, one self-contained file").required();
  command.flag("--overwrite", o->overwrite,
               "replace --out if it is not an earlier page of this database");
  command.option("--images", o->images, "folder of the photographs, for thumbnails");
  const Option model = command.option(
      "--model", o->model, "folder of a sparse model, or of the models of bifocal map, to show");
  add_control_options(command, o->control,
                      "file of control points to show, as of bifocal map --control")
      .needs(model);
  command.option("--dense", o->dense,
                 "output folder of bifocal dense, to show its cloud and depth maps");
  command.option("--run", o->run,
                 "output of collect --json or verify --json: durations, photographs left out");
  command
      .option("--max-size", o->max_size,
              "size limit of the page; pairs and thumbnails fill the space left by the overview")
      .size_in_bytes()
      .shows_default();
  command
      .option("--threads", o->threads,
              "largest number of threads for decoding photographs, 0: all cores")
      .in_range(Range::within(0, 4096))
      .shows_default();
  command.flag("--json", o->json, "print the result as JSON on stdout");
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
