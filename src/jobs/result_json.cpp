// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/result_json.hpp"

#include <nlohmann/json.hpp>

namespace bifocal::jobs {

std::string symbol(ModelKind kind) { return std::string(problem_info(kind).symbol); }

Json model_json(ModelKind kind, const Mat3& model) {
  return {{"kind", to_string(kind)}, {symbol(kind), model}};
}

Json pose_json(const Pose& pose) { return {{"R", pose.R}, {"t", pose.t}}; }

Json intrinsics_json(const Intrinsics& camera) {
  return {{"fx", camera.fx}, {"fy", camera.fy}, {"cx", camera.cx}, {"cy", camera.cy}};
}

Json repetition_json(const Repetition& r) {
  Json json = {{"is_doubted", r.is_doubted},
               {"rival_inliers", r.rival_inliers},
               {"rival_ratio", r.rival_ratio}};
  if (r.is_doubted) json["reason"] = r.reason;
  if (r.evidence > 0 || r.twin_distance > 0) {
    json["evidence"] = r.evidence;
    json["twin_distance"] = r.twin_distance;
    json["unique_ratio"] = r.unique_ratio;
  }
  return json;
}

}  // namespace bifocal::jobs
