// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobs/interrupt_guard.hpp"
#include "jobs/json.hpp"

namespace bifocal::jobs {

// Returns the path of a file from a folder, both of which may be missing. Records have such paths,
// so they stay true if both are moved.
[[nodiscard]] std::string path_from(const std::filesystem::path& folder,
                                    const std::filesystem::path& file);

// Files of a command by the rule of bifocal/io.hpp.
struct OutputFiles {
  // All files that the command may write. The first one is written by every run and is its record:
  // JSON with the member "files", as record() returns it.
  std::vector<std::string> names;
  std::vector<std::string> inputs;  // files that it reads; empty names are none
  bool overwrite = false;
  bool inputs_are_files = true;     // false: inputs in memory, which can't be compared
  bool has_record = true;           // without one only `overwrite` replaces files
  std::string argument = "folder";  // name of the folder in messages
};

// The output folder of a command, written completely or not at all. Files are written to a hidden
// folder inside it and moved to their places by commit(). Without a commit the folder keeps its
// files, and a newly created folder is removed, also if the process is interrupted.
class OutputFolder {
 public:
  // Throws Error(usage) if a result would replace an input, or a file that no earlier run with
  // these inputs has written and `overwrite` is false; Error(input) with the folder if it is not
  // writable.
  OutputFolder(std::filesystem::path folder, OutputFiles files);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Returns the temporary path where a file has to be written.
  [[nodiscard]] std::filesystem::path staged(const std::string& name) const {
    return staging_ / name;
  }
  // Returns {"read": inputs, relative to the folder, "written": the files staged so far and the
  // record}.
  [[nodiscard]] Json record() const;
  // Moves every file to its place. Removes files of the earlier run that this run did not write, so
  // results of two runs are never mixed, and unrelated files stay.
  void commit();
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  // Replaces the temporary names in a message by the final names.
  [[nodiscard]] static std::string with_final_names(std::string message);

 private:
  std::filesystem::path folder_, staging_;
  OutputFiles files_;
  std::vector<std::string> earlier_;            // files of the earlier run
  std::vector<std::filesystem::path> created_;  // folders created by this object, innermost first
  bool committed_ = false;
  InterruptGuard interrupted_{[this] { undo(); }};

  void undo();
  [[nodiscard]] std::vector<std::string> inputs() const;
  void find_earlier();
  void check() const;
  [[noreturn]] void fail(const std::filesystem::path& folder, const std::string& why) const;
};

}  // namespace bifocal::jobs
