// SPDX-License-Identifier: BSD-3-Clause
#include "bench.hpp"

namespace bifocal::bench {

// One line per suite. Each suite is defined in bench/suites/NAME.cpp (belief: in chance.cpp;
// hashes, scale, seeds: in bench/NAME/suite.cpp; adjust: in bench/adjustment/suite.cpp).
void run_adjust(Context& context);
void run_belief(Context& context);
void run_chance(Context& context);
void run_dense(Context& context);
void run_eig(Context& context);
void run_collection(Context& context);
void run_features(Context& context);
void run_hashes(Context& context);
void run_match(Context& context);
void run_pair(Context& context);
void run_poselib(Context& context);
void run_rectify(Context& context);
void run_robust(Context& context);
void run_scale(Context& context);
void run_score(Context& context);
void run_seeds(Context& context);
void run_solvers(Context& context);
void run_stereo(Context& context);
void run_svd(Context& context);
void run_tune(Context& context);
void run_verify(Context& context);

const std::vector<Suite>& suites() {
  static const std::vector<Suite> all = {
      {"adjust",
       "bundle adjustment of synthetic problems and BAL files: cost by time, memory, same bytes",
       run_adjust, true, false},
      {"belief", "levels of belief: scenes found, wrong models believed (half an hour of a core)",
       run_belief, false, false},
      {"chance",
       "how often geometry is believed where there is none, of 10,000 pairs a case "
       "(an hour of a core)",
       run_chance, true, false},
      {"collection", "features, all pairs matched and verified, of views of a few scenes",
       run_collection, true},
      {"dense", "depth of photographs of a made town: time of an image, errors", run_dense, true,
       false},
      {"eig", "real eigenpairs of many small unsymmetric matrices, us a matrix", run_eig, true},
      {"features", "SIFT: time, and correct matches on the Oxford pairs", run_features, true},
      {"hashes", "a hash of the results of every room over fixed inputs (scripts/determinism)",
       run_hashes, true, false},
      {"match", "brute-force matching of 8-bit descriptors, one pair and batches", run_match, true},
      {"pair",
       "two pictures to their homography on one device, stage by stage, by SURF and RootSIFT",
       run_pair, true},
#ifdef BIFOCAL_PEER_POSELIB
      {"poselib", "minimal solvers beside PoseLib's, one core, us a sample; misses of both",
       run_poselib},
#endif
      {"rectify", "resampling of a frame by a map, and making the map", run_rectify, true},
      {"robust", "every robust problem on synthetic scenes: time, and error from the truth",
       run_robust, true},
      {"scale", "one call of each room with 1, 2, 4, ... threads up to all cores", run_scale, false,
       false},
      {"score", "scoring of hypotheses, G point-hypotheses/s", run_score},
      {"seeds",
       "the systems Bifocal descends from, beside their recorded figures (docs/develop/seeds.md)",
       run_seeds, true},
      {"solvers", "minimal solvers, us a sample", run_solvers, true},
      {"stereo",
       "dense stereo; on the CPU time and bad pixels on the Middlebury pairs, on a GPU frames",
       run_stereo, true},
      {"svd", "singular values and vectors of many small matrices, us a matrix", run_svd, true},
      {"tune", "which mapping of an eigenproblem is the fastest on a GPU", run_tune, true},
      {"verify", "COLMAP's verification: E, F and H of many pairs, ms a pair; with its database",
       run_verify, true},
  };
  return all;
}

}  // namespace bifocal::bench
