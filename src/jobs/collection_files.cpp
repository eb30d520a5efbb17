// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/jobs.hpp>

#include <iterator>

#include "jobs/contradictions.hpp"

namespace bifocal::jobs {
namespace {

ModelFiles model_files_of(const CollectionFiles& files) {
  ModelFiles models = files.models;
  models.database = files.database;
  models.photographs = files.photographs.folder;
  models.names.clear();
  for (const PhotographFile& file : files.photographs.files) models.names.push_back(file.name);
  return models;
}

}  // namespace

WrittenCollection collect_and_map(const DeviceSet& devices, const CollectionFiles& files) {
  const ModelFiles models = model_files_of(files);
  if (!models.out.empty()) check_model_files(models);
  WrittenCollection out;
  out.result = collect(devices, files.photographs, files.database, files.collect);
  out.contradicting = found_contradictions(files.database, files.drops_contradicting);
  if (files.drops_contradicting) out.result.verified -= std::ssize(out.contradicting);
  if (files.collected) files.collected(out);
  if (models.out.empty() || out.result.verified == 0) return out;
  Queue queue(devices.devices().front());
  out.models = map_and_write(queue, models);
  return out;
}

}  // namespace bifocal::jobs
