// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/rotation_cycles.hpp>
#include <bifocal/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "collection/colmap/pair.hpp"
#include "collection/colmap/rows_of_pairs.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

constexpr std::size_t kEdgesAtOnce = 64;  // of one thread

// Three pairs that connect three images, and the likelihood ratio of the cycle's residual angle:
// all pairs correct against at least one wrong.
struct Triplet {
  std::array<std::uint32_t, 3> pairs;
  double ratio;
};

double angle_deg(const Mat3& R) {
  const double cosine = 0.5 * (R[0] + R[4] + R[8] - 1);
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

// Returns the likelihood ratio of a residual angle in degrees. For correct rotations the angle has
// an exponential distribution, otherwise a uniform one.
double likelihood_ratio(double angle) {
  constexpr double kScaleDeg = 2;
  return 180 / kScaleDeg * std::exp(-angle / kScaleDeg);
}

// A pair by its smaller and larger image, and its place in the list of pairs.
struct Edge {
  Id a, b;
  std::uint32_t pair;
};

std::vector<Edge> edges_of(std::span<const PairRotation> pairs) {
  std::vector<Edge> edges;
  edges.reserve(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [a, b] = std::minmax(pairs[k].image1, pairs[k].image2);
    edges.push_back({a, b, static_cast<std::uint32_t>(k)});
  }
  std::ranges::sort(edges, {}, [](const Edge& e) { return std::pair(e.a, e.b); });
  return edges;
}

// Returns the triplets in the order of their images.
std::vector<Triplet> triplets_of(std::span<const PairRotation> pairs) {
  const std::vector<Edge> edges = edges_of(pairs);
  const auto of_image = [&](Id a) { return std::ranges::equal_range(edges, a, {}, &Edge::a); };
  const auto rotation = [&](std::size_t k) {
    return pairs[k].image1 < pairs[k].image2 ? pairs[k].R : transposed(pairs[k].R);
  };
  std::vector<std::vector<Triplet>> of_edge(edges.size());
  runtime::parallel_each(
      edges.size(),
      [&](std::size_t e) {
        const Edge& ab = edges[e];
        const auto of_a = of_image(ab.a);
        auto ac = of_a.begin();
        for (const Edge& bc : of_image(ab.b)) {
          while (ac != of_a.end() && ac->b < bc.b) ++ac;
          if (ac == of_a.end()) break;
          if (ac->b != bc.b) continue;
          const Mat3 loop =
              times(transposed(rotation(ac->pair)), times(rotation(bc.pair), rotation(ab.pair)));
          of_edge[e].push_back({{ab.pair, bc.pair, ac->pair}, likelihood_ratio(angle_deg(loop))});
        }
      },
      kEdgesAtOnce);
  std::vector<Triplet> triplets;
  for (const auto& some : of_edge) triplets.insert(triplets.end(), some.begin(), some.end());
  return triplets;
}

// The triplets of each pair.
class TripletsOfPairs {
 public:
  // The other two pairs of a triplet, and its likelihood ratio.
  struct Others {
    std::uint32_t one, two;
    double ratio;
  };
  explicit TripletsOfPairs(std::span<const PairRotation> pairs) : begins_(pairs.size() + 1) {
    const std::vector<Triplet> triplets = triplets_of(pairs);
    for (const Triplet& t : triplets)
      for (const std::uint32_t pair : t.pairs) ++begins_[pair + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    others_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (const auto& [own, ratio] : triplets)
      for (std::size_t i = 0; i < 3; ++i)
        others_[next[own[i]]++] = {own[(i + 1) % 3], own[(i + 2) % 3], ratio};
  }
  [[nodiscard]] std::span<const Others> of(std::size_t pair) const {
    return std::span(others_).subspan(begins_[pair], begins_[pair + 1] - begins_[pair]);
  }

 private:
  std::vector<std::size_t> begins_;  // of each pair in others_
  std::vector<Others> others_;
};

std::vector<ContradictingPair> contradicting_pairs(const Database& database,
                                                   std::span<const VerifiedRotation> verified) {
  std::vector<PairRotation> rotations;
  rotations.reserve(verified.size());
  for (const VerifiedRotation& v : verified) rotations.push_back({v.image1, v.image2, v.R});
  std::vector<RowFault> ignored;
  std::map<Id, std::string> names;
  for (const Image& image : database.images(&ignored)) names[image.id] = image.name;
  const std::vector<double> probabilities = rotation_probabilities(rotations);
  std::vector<ContradictingPair> out;
  for (std::size_t k = 0; k < verified.size(); ++k) {
    if (probabilities[k] >= 0.5) continue;
    const VerifiedRotation& v = verified[k];
    out.push_back(
        {v.image1, v.image2, names[v.image1], names[v.image2], v.inliers, probabilities[k]});
  }
  return out;
}

}  // namespace

std::vector<double> rotation_probabilities(std::span<const PairRotation> pairs) {
  constexpr double kPrior = 0.7;
  constexpr int kRounds = 60;
  const TripletsOfPairs triplets(pairs);
  std::vector<double> probability(pairs.size(), kPrior), next(pairs.size());
  for (int round = 0; round < kRounds; ++round) {
    check_cancelled();
    runtime::parallel_each(
        pairs.size(),
        [&](std::size_t k) {
          double log_odds = std::log(kPrior / (1 - kPrior));
          for (const auto& [one, two, ratio] : triplets.of(k)) {
            const double others = probability[one] * probability[two];
            log_odds += std::log(std::max(1e-9, others * ratio + 1 - others));
          }
          next[k] = 0.5 * (probability[k] + 1 / (1 + std::exp(-log_odds)));
        },
        kEdgesAtOnce);
    probability.swap(next);
  }
  return probability;
}

std::vector<ContradictingPair> contradicting_pairs(const Database& database) {
  return contradicting_pairs(database, verified_rotations(database, all_pair_ids(database)));
}

std::vector<ContradictingPair> contradicting_pairs(const std::filesystem::path& file) {
  const Database database(file, quiet_access(file));
  return contradicting_pairs(database,
                             rows_of_pairs(file, all_pair_ids(database), verified_rotations));
}

void erase_geometries(Database& database, std::span<const ContradictingPair> pairs) {
  Transaction transaction(database);
  for (const ContradictingPair& p : pairs) database.erase_geometry(p.image1, p.image2);
  transaction.commit();
}

}  // namespace bifocal::colmap
