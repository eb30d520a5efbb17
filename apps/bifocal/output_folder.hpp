// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interrupt.hpp"

namespace bifocal::cli {

// The output folder of a command, all or nothing: files are written to a hidden folder inside it
// and moved to their places by commit(). Without a commit nothing changes, and a folder made for
// the purpose is removed again; also when the process is interrupted.
class OutputFolder {
 public:
  // `names` are all the files that the command may make, the one that every run makes first;
  // `inputs` are the files it reads. Throws Error(usage) when a result would replace an input,
  // Error(input) naming the folder when it can't be written to.
  OutputFolder(std::filesystem::path folder, std::vector<std::string> names,
               const std::vector<std::string>& inputs);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // The file is to be written here now.
  [[nodiscard]] std::filesystem::path staged(const std::string& name) const {
    return staging_ / name;
  }
  // Moves every file in. Where an earlier run left its first file, also removes those of `names`
  // that this run didn't make: results of two runs don't mix, and other people's files stay.
  void commit();
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  // A message about staged files, with the names that they would have had.
  [[nodiscard]] static std::string with_final_names(std::string message);

 private:
  std::filesystem::path folder_, staging_;
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> created_;  // folders that this object made, innermost first
  bool committed_ = false;
  InterruptGuard interrupted_{[this] { undo(); }};

  void undo();
};

}  // namespace bifocal::cli
