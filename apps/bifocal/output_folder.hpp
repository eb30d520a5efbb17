// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interrupt.hpp"

namespace bifocal::cli {

// The output folder of a command, written completely or not at all. Files are written to a hidden
// folder inside it and moved to their places by commit(). Without a commit nothing changes and a
// newly created folder is removed, also if the process is interrupted.
class OutputFolder {
 public:
  // names: all files that the command may write, beginning with the file that every run writes.
  // inputs: the files that it reads. Throws Error(usage) if a result would replace an input, and
  // Error(input) with the folder if it is not writable.
  OutputFolder(std::filesystem::path folder, std::vector<std::string> names,
               const std::vector<std::string>& inputs);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Returns the temporary path where a file has to be written.
  [[nodiscard]] std::filesystem::path staged(const std::string& name) const {
    return staging_ / name;
  }
  // Moves every file to its place. If an earlier run left its first file, also removes the files
  // among `names` that this run did not write. Results of two runs are thus never mixed, and
  // unrelated files stay.
  void commit();
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  // Replaces the temporary names in a message by the final names.
  [[nodiscard]] static std::string with_final_names(std::string message);

 private:
  std::filesystem::path folder_, staging_;
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> created_;  // folders created by this object, innermost first
  bool committed_ = false;
  InterruptGuard interrupted_{[this] { undo(); }};

  void undo();
};

}  // namespace bifocal::cli
