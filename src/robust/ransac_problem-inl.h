// SPDX-License-Identifier: BSD-3-Clause
// The steps of RANSAC for one problem on SIMD registers. This is the body of a compiled unit for
// each problem (CMakeLists.txt). The unit defines PROBLEM, the index of the problem, and
// PROBLEM_STEPS, the function that returns the steps. Included again for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "robust/ransac_problem-inl.h"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "lane/simd-inl.h"
#include "robust/ransac.hpp"
#include "robust/pair_points.hpp"
#include "robust/sampling-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

using namespace robust;  // the structs of a pair

template <class Real>
struct ransac_source {
  using uniform = ransac_source<double>;
#include "lane/cpp_begin.h"

#include "robust/ransac/ransac.list"

#include "lane/cpp_end.h"
};

struct steps {
  using SimdDouble = ransac_source<simd<double>>;
  using SimdFloat = ransac_source<simd<float>>;
  using ScalarDouble = ransac_source<double>;
  static constexpr int width = SimdFloat::group_width;
  static constexpr int blocks = (SimdDouble::SAMPLE_SIZE + 3) / 4;  // of random numbers, usually

  template <class L, class T>
  static typename L::pair_view view(const PairPoints& pair) {
    typename L::pair_view v;
    L::pair_open(pair.columns<T>().data(), pair.count(), pair.stride, &pair.info, &v);
    if constexpr (sizeof(T) == 4)
      L::pair_open_priors(pair.float_weights.data(), nullptr, &pair.info, &v);
    else
      L::pair_open_priors(pair.prior(PRIOR_WEIGHTS), pair.prior(PRIOR_RANKS), &pair.info, &v);
    return v;
  }

  static std::uint32_t low(std::uint64_t seed) { return static_cast<std::uint32_t>(seed); }
  static std::uint32_t high(std::uint64_t seed) { return static_cast<std::uint32_t>(seed >> 32); }

  static void prepare(const robust::GivenPair& given, const RobustOptions& options,
                      PairPoints& pair) {
    const auto& [weights, qualities] = given.priors;
    const typename ScalarDouble::given_pair input = {.points = given.points,
                                                     .count = given.count,
                                                     .cameras = given.cameras.data(),
                                                     .has_weights = !weights.empty(),
                                                     .has_qualities = !qualities.empty(),
                                                     .weights = weights.data(),
                                                     .qualities = qualities.data()};
    const typename ScalarDouble::pair_arrays arrays = {.stride = pair.stride,
                                                       .kept = pair.kept.data(),
                                                       .order = pair.order.data(),
                                                       .points = pair.f64.data(),
                                                       .float_points = pair.f32.data(),
                                                       .priors = pair.priors.data(),
                                                       .float_weights = pair.float_weights.data(),
                                                       .ranking = pair.ranking.data(),
                                                       .tables = pair.tables.data(),
                                                       .inliers = pair.inliers.data(),
                                                       .info = &pair.info,
                                                       .work = &pair.work,
                                                       .state = &pair.state};
    const typename ScalarDouble::prepare_options how = {
        .threshold = options.threshold,
        .seed0 = low(options.seed),
        .seed1 = high(options.seed),
        .first_round = 0,
        .log10_alarms = log10_alarms_of(ScalarDouble::LOG10_FALSE_ALARMS, options)};
    double shared[ScalarDouble::PREPARE_SHARED];
    ScalarDouble::pair_prepare(&input, &how, &arrays, shared);
    constexpr int columns = ScalarDouble::COLUMNS, row = row_size(columns);
    pair.rows.resize(static_cast<size_t>(row) * pair.kept.size());
    for (int c = 0; c < columns; ++c)
      for (int i = 0; i < pair.count(); ++i)
        pair.rows[size_t(i * row + c)] = pair.f32[size_t(c * pair.stride + i)];
  }

  // Draws samples [SAMPLE_SIZE][width] of matches with weights or qualities.
  static void draw_with_priors(const PairPoints& pair, std::uint64_t seed, std::uint32_t first,
                               std::uint32_t last, std::uint32_t* samples) {
    constexpr int size = SimdDouble::SAMPLE_SIZE;
    const typename ScalarDouble::sample_source source = {
        pair.count(), pair.info.weighted > 0, pair.info.ranked > 0,
        pair.prior(PRIOR_CUMULATIVE_WEIGHTS), pair.ranking.data()};
    std::uint32_t numbers[4 * blocks * width], ready[4 * blocks];
    sampling_lanes::random_numbers<blocks>(low(seed), high(seed), first, last, numbers);
    for (int l = 0; l < width; ++l) {
      int sample[size];
      for (int i = 0; i < 4 * blocks; ++i) ready[i] = numbers[i * width + l];
      const int iteration = static_cast<int>(std::min(first + static_cast<std::uint32_t>(l), last));
      ScalarDouble::prior_draw(low(seed), high(seed), iteration, &source, ready, blocks, sample);
      for (int k = 0; k < size; ++k) samples[k * width + l] = static_cast<std::uint32_t>(sample[k]);
    }
  }

  // Loads the points of the samples first + l, l < count, into one lane each: p
  // [COLUMNS][SAMPLE_SIZE]. Lanes beyond `count` repeat the last sample.
  static void gather(const PairPoints& pair, std::uint64_t seed, int first, int count,
                     typename SimdFloat::real* p) {
    constexpr int size = SimdDouble::SAMPLE_SIZE;
    std::uint32_t samples[size * width];
    const auto from = static_cast<std::uint32_t>(first),
               to = static_cast<std::uint32_t>(first + count - 1);
    if (!(pair.info.weighted > 0) && !(pair.info.ranked > 0)) {
      sampling_lanes::draw<size>(low(seed), high(seed), from, to,
                                 static_cast<std::uint32_t>(pair.count()), samples);
    } else {
      draw_with_priors(pair, seed, from, to, samples);
    }
    sampling_lanes::load_sample_points<size, SimdDouble::COLUMNS>(pair.rows.data(), samples, p);
  }

  static void solve(const PairPoints& pair, std::uint64_t seed, int first, int count,
                    robust::Hypotheses& hypotheses) {
    constexpr int size = SimdFloat::SAMPLE_SIZE, numbers = size * SimdFloat::COLUMNS,
                  model_size = SimdFloat::MODEL_SIZE, slots = SimdFloat::SLOTS;
    typename SimdFloat::real rays[4], p[numbers], models[slots * model_size];
    for (int i = 0; i < 4; ++i) rays[i] = SimdFloat::lane(pair.info.rays[i]);
    for (int begin = 0; begin < count; begin += width) {
      const int some = count - begin < width ? count - begin : width;
      HWY_ALIGN float solved[slots * model_size * width], counts[width];
      gather(pair, seed, first + begin, some, p);
      const typename SimdFloat::real kept = SimdFloat::sample_models(p, rays, models);
      SimdFloat::lane_ops::store(kept, counts);
      const int most = static_cast<int>(SimdFloat::lane_ops::maximum(kept));
      for (int i = 0; i < most * model_size; ++i)
        SimdFloat::lane_ops::store(models[i], solved + i * width);
      for (int l = 0; l < some; ++l) {
        const int found = static_cast<int>(counts[l]);
        hypotheses.counts[size_t(begin + l)] = found;
        float* to = hypotheses.models.data() + (begin + l) * slots * model_size;
        for (int i = 0; i < found * model_size; ++i) to[i] = solved[i * width + l];
      }
    }
  }

  static void score(const PairPoints& pair, float floor, int count,
                    robust::Hypotheses& hypotheses) {
    constexpr int model_size = SimdDouble::MODEL_SIZE, slots = SimdDouble::SLOTS;
    auto v = view<SimdFloat, float>(pair);
    const double narrowed = pair.state.narrowed;
    v.threshold = static_cast<float>(pair.info.threshold * (narrowed > 0 ? narrowed : 1));
    typename SimdFloat::score_plan plan;
    float seen[4];
    for (size_t k = 0; k < 4; ++k) seen[k] = static_cast<float>(pair.info.seen[k]);
    const int stages = SimdFloat::score_stages(floor, v.n, seen, v.weighted, &plan);
    for (int i = 0; i < count; ++i) {
      float best = hypotheses.counts[size_t(i)] > 0 ? BELOW_FLOOR : NO_MODEL;
      int slot = 0;
      for (int s = 0; s < hypotheses.counts[size_t(i)]; ++s) {
        const float* model = hypotheses.models.data() + (i * slots + s) * model_size;
        const float score = SimdFloat::model_score(model, &v, &plan, stages);
        if (score > best) best = score, slot = s;
      }
      hypotheses.scores[size_t(i)] = best;
      hypotheses.slots[size_t(i)] = slot;
    }
    for (int i = count; i < (count + 63) / 64 * 64; ++i) hypotheses.scores[size_t(i)] = NO_MODEL;
  }

  static int decide(PairPoints& pair, const robust::RansacLimits& limits, int count,
                    const robust::Hypotheses& hypotheses) {
    auto v = view<SimdDouble, double>(pair);
    SimdDouble::pair_narrow(&pair.state, &v);
    const typename SimdDouble::ransac_limits given = {limits.min_iterations, limits.max_iterations,
                                                      limits.log_failure, limits.min_inlier_ratio};
    typename SimdDouble::pair_shared shared;
    const typename SimdDouble::round_models round = {
        count,
        hypotheses.scores.data(),
        hypotheses.slots.data(),
        hypotheses.models.data(),
        int(SimdDouble::SLOTS) * int(SimdDouble::MODEL_SIZE),
        1};
    const typename SimdDouble::ready_candidates none = {};
    return SimdDouble::pair_decide(&v, &given, &round, &none, &pair.state, pair.weights.data(),
                                   &shared);
  }

  static void planes(PairPoints& pair, std::uint64_t seed, const robust::RansacLimits& limits) {
    if constexpr (SimdDouble::DOMINANT_PLANE == 1) {
      auto v = view<SimdDouble, double>(pair);
      SimdDouble::pair_narrow(&pair.state, &v);
      typename SimdDouble::pair_shared shared;
      SimdDouble::pair_planes(&v, low(seed), high(seed), limits.log_failure, &pair.state,
                              pair.weights.data(), &shared);
    }
  }

  static void mark_zero_weight(const robust::GivenPair& given, const ScalarDouble::pair_view& view,
                               PairPoints& pair, ransac_result& result) {
    const typename ScalarDouble::zero_weight_points points = {
        .count = pair.work.zero_weight,
        .given = given.points,
        .order = pair.order.data() + pair.count(),
        .cameras = given.cameras.data(),
        .info = &pair.info,
        .points = pair.f64.data(),
        .errors = pair.weights.data()};
    ScalarDouble::mark_zero_weight(&view, &points, &result, pair.inliers.data());
  }

  static void finish(const robust::GivenPair& given, PairPoints& pair, ransac_result& result) {
    const auto v = view<SimdDouble, double>(pair);
    const auto plain = view<ScalarDouble, double>(pair);
    typename SimdDouble::pair_shared shared;
    double* errors = pair.weights.data();
    SimdDouble::pair_finish(&v, &pair.state, errors, &result, &shared);
    if (result.outcome < double(FOUND_MODEL)) return;
    ScalarDouble::mark_inliers(&plain, pair.order.data(), errors, pair.inliers.data());
    ScalarDouble::count_distinct(&plain, pair.f32.data(), errors,
                                 static_cast<int>(result.support.inliers), pair.tables.data(),
                                 &pair.work);
    if constexpr (ScalarDouble::TWO_VIEWS == 1) {
      const double least =
          ScalarDouble::least_significant(plain.log10_alarms, pair.work.distinct_points,
                                          std::max(result.chance, plain.chance), result.tested);
      typename ScalarDouble::pair_shared shared_places;
      ScalarDouble::count_places(&plain, pair.f32.data(), errors, &pair.info, least,
                                 pair.tables.data(), &shared_places, &pair.work);
    }
    if (pair.work.zero_weight > 0) mark_zero_weight(given, plain, pair, result);
  }

  static float full_score(const PairPoints& pair, const float* model) {
    auto v = view<SimdFloat, float>(pair);
    v.weighted = 0;
    const typename SimdFloat::score_plan plan = {{v.n}, {-1}};
    return SimdFloat::model_score(model, &v, &plan, 1);
  }

  static constexpr robust::RansacSteps table = {robust::numbers_of_problem<SimdDouble>(),
                                                prepare,
                                                solve,
                                                score,
                                                decide,
                                                planes,
                                                finish,
                                                ScalarDouble::result_matrix,
                                                ScalarDouble::result_pose,
                                                ScalarDouble::model_focal,
                                                ScalarDouble::model_distortion,
                                                ScalarDouble::hypotheses_before_giving_up,
                                                full_score};
};

const robust::RansacSteps* steps_on_target() { return &steps::table; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(steps_on_target);

namespace robust {

const RansacSteps& PROBLEM_STEPS();
const RansacSteps& PROBLEM_STEPS() { return *HWY_DYNAMIC_DISPATCH(steps_on_target)(); }

}  // namespace robust
}  // namespace bifocal
#endif
