// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <bifocal/colmap/verify.hpp>

namespace bifocal::colmap {

// Rows with faults or warnings, each once, with the number of affected pairs.
class OddRows {
 public:
  void add(const OddRow& row) {
    const auto [at, is_new] = places_.emplace(row.row + '\n' + row.reason, rows_.size());
    if (is_new) rows_.push_back({row.row, row.reason, row.use, 0});
    rows_[at->second].pairs += row.pairs;
  }
  // Adds a row whose pair is left out.
  void add(const RowFault& fault) { add({fault.row, fault.reason, RowUse::left_out, 1}); }
  void add(const std::vector<OddRow>& rows) {
    for (const OddRow& row : rows) add(row);
  }
  [[nodiscard]] const std::vector<OddRow>& rows() const { return rows_; }
  void clear() {
    rows_.clear();
    places_.clear();
  }

 private:
  std::vector<OddRow> rows_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace bifocal::colmap
