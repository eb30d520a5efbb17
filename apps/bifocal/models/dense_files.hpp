// SPDX-License-Identifier: BSD-3-Clause
// Progress and results of dense_model(), for the commands dense and collect, and
// the command that shows them.
#pragma once

#include <bifocal/dense.hpp>
#include <bifocal/jobs.hpp>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli.hpp"
#include "progress.hpp"

namespace bifocal::cli {

// Shows progress of dense_model() on stderr.
class DenseConsole {
 public:
  // Sets the callback of `options`, and adds its stages to `times`. Both must outlive the job.
  DenseConsole(DenseOptions& options, StageTimes& times);
  DenseConsole(const DenseConsole&) = delete;
  DenseConsole& operator=(const DenseConsole&) = delete;
  // Called after the job.
  void finish();

 private:
  void report(const DenseProgress& p);

  StageTimes& times_;
  DenseStage stage_ = DenseStage::match;
  std::optional<Progress> progress_;
};

[[nodiscard]] Json json_of(const DenseFiles& files, const WrittenDense& written,
                           const std::string& device, const StageTimes& times);
// The result as sentences, a line each.
[[nodiscard]] std::string sentences_of(const DenseFiles& files, const WrittenDense& written);

// Returns the command that writes the page of a collection with its models and depth.
[[nodiscard]] std::string report_command(const CollectionFiles& files, bool has_dense);

}  // namespace bifocal::cli
