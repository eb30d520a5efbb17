// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/rotation_cycles.hpp>
#include <bifocal/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

namespace bifocal::colmap {
namespace {

// Three pairs that connect three images, and the likelihood ratio of the cycle's residual angle:
// all pairs correct against at least one wrong.
struct Triplet {
  std::array<std::size_t, 3> pairs;
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

std::vector<Triplet> triplets_of(std::span<const PairRotation> pairs) {
  std::map<Id, std::map<Id, std::size_t>> later;  // pairs by their smaller, then larger image
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [a, b] = std::minmax(pairs[k].image1, pairs[k].image2);
    later[a][b] = k;
  }
  const auto rotation = [&](std::size_t k) {
    return pairs[k].image1 < pairs[k].image2 ? pairs[k].R : transposed(pairs[k].R);
  };
  std::vector<Triplet> triplets;
  for (const auto& [a, of_a] : later) {
    check_cancelled();
    for (const auto& [b, ab] : of_a) {
      const auto of_b = later.find(b);
      if (of_b == later.end()) continue;
      for (const auto& [c, bc] : of_b->second) {
        const auto ac = of_a.find(c);
        if (ac == of_a.end()) continue;
        const Mat3 loop =
            times(transposed(rotation(ac->second)), times(rotation(bc), rotation(ab)));
        triplets.push_back({{ab, bc, ac->second}, likelihood_ratio(angle_deg(loop))});
      }
    }
  }
  return triplets;
}

// Returns nullopt for a geometry without a pose and for a damaged row.
std::optional<Mat3> rotation_of(const Database& database, const PairRows& row) {
  try {
    const auto geometry = database.geometry(row.image1, row.image2);
    if (geometry && geometry->cam2_from_cam1) return geometry->cam2_from_cam1->R;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::input) throw;
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> rotation_probabilities(std::span<const PairRotation> pairs) {
  constexpr double kPrior = 0.7;
  constexpr int kRounds = 60;
  const std::vector<Triplet> triplets = triplets_of(pairs);
  std::vector<double> probability(pairs.size(), kPrior), log_odds(pairs.size());
  for (int round = 0; round < kRounds; ++round) {
    check_cancelled();
    std::fill(log_odds.begin(), log_odds.end(), std::log(kPrior / (1 - kPrior)));
    for (const auto& [own, ratio] : triplets) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double others = probability[own[(i + 1) % 3]] * probability[own[(i + 2) % 3]];
        log_odds[own[i]] += std::log(std::max(1e-9, others * ratio + 1 - others));
      }
    }
    for (std::size_t k = 0; k < pairs.size(); ++k)
      probability[k] = 0.5 * (probability[k] + 1 / (1 + std::exp(-log_odds[k])));
  }
  return probability;
}

std::vector<ContradictingPair> contradicting_pairs(const Database& database) {
  std::vector<PairRotation> rotations;
  std::vector<std::int64_t> inliers;
  std::vector<RowFault> faults;
  for (const PairRows& row : database.geometry_rows(&faults)) {
    if (row.rows == 0 || row.configuration == Configuration::uncalibrated) continue;
    if (const auto rotation = rotation_of(database, row)) {
      rotations.push_back({row.image1, row.image2, *rotation});
      inliers.push_back(row.rows);
    }
  }
  std::map<Id, std::string> names;
  for (const Image& image : database.images(&faults)) names[image.id] = image.name;
  const std::vector<double> probabilities = rotation_probabilities(rotations);
  std::vector<ContradictingPair> out;
  for (std::size_t k = 0; k < rotations.size(); ++k) {
    if (probabilities[k] >= 0.5) continue;
    const PairRotation& r = rotations[k];
    out.push_back(
        {r.image1, r.image2, names[r.image1], names[r.image2], inliers[k], probabilities[k]});
  }
  return out;
}

std::vector<ContradictingPair> contradicting_pairs(const std::filesystem::path& file) {
  return contradicting_pairs(Database(file, quiet_access(file)));
}

void erase_geometries(Database& database, std::span<const ContradictingPair> pairs) {
  Transaction transaction(database);
  for (const ContradictingPair& p : pairs) database.erase_geometry(p.image1, p.image2);
  transaction.commit();
}

}  // namespace bifocal::colmap
