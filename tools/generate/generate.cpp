// SPDX-License-Identifier: BSD-3-Clause
#include "generate/generate.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include "generate/emit.hpp"

namespace bifocal::generate {
namespace {

// Primes below 2^31.
constexpr Element kPrime = 2147483647, kFreshPrime = 2147483629;
// Templates with more rows and polynomials of higher degree are rejected.
constexpr std::size_t kMostRows = 100;
constexpr int kMostDegree = 9, kMostTemplateDegree = 15;

// Returns the indices of the monomials that occur in an equation of either instance.
std::vector<int> used_monomials(const Instance& a, const Instance& b) {
  std::vector<int> used;
  for (std::size_t k = 0; k < a.equations[0].size(); ++k) {
    for (std::size_t i = 0; i < a.equations.size(); ++i) {
      if (a.equations[i][k] == 0 && b.equations[i][k] == 0) continue;
      used.push_back(static_cast<int>(k));
      break;
    }
  }
  return used;
}

// Throws Error(input) if a template is too large for a lane.
void check_sizes(const Problem& problem, const Template& t, const std::string& file) {
  int degree = 0;
  for (const Row& row : t.rows) degree = std::max(degree, problem.degree() + row.shift[0]);
  if (t.rows.size() > kMostRows)
    throw Error(
        ErrorCode::input,
        fmt::format("{}: a template of {} rows is too large for a lane: at most {} are supported",
                    file, t.rows.size(), kMostRows));
  if (degree > kMostTemplateDegree)
    throw Error(
        ErrorCode::input,
        fmt::format("{}: a template of degree {} is too large for a lane: at most {} is supported",
                    file, degree, kMostTemplateDegree));
}

}  // namespace

Generated generate_solver(std::string_view text, const std::string& file, std::uint64_t seed,
                          const Watch& watch) {
  const Problem problem = parse_problem(text, file);
  const int n = static_cast<int>(problem.unknowns.size());
  if (problem.degree() > kMostDegree)
    throw Error(ErrorCode::input, fmt::format("{}: an equation of degree {} is too large for a "
                                              "lane: at most {} is supported",
                                              file, problem.degree(), kMostDegree));
  std::mt19937_64 random(problem.seed + seed);
  const Instance instance = random_instance(problem, kPrime, random);
  const Quotient quotient = find_quotient(problem, instance, file);
  const Template t = find_template(problem, instance, quotient, random, file, watch);
  const bool stopped = watch.is_stopped();
  const Instance fresh = random_instance(problem, kFreshPrime, random);
  if (find_quotient(problem, fresh, file).basis != quotient.basis || !template_holds(t, fresh, n))
    throw Error(ErrorCode::input,
                fmt::format("{}: the template does not hold for other data modulo {}: an accident "
                            "of the random data; try another --seed",
                            file, kFreshPrime));
  check_sizes(problem, t, file);
  const int roots = static_cast<int>(quotient.basis.size());
  return {emit_solver(problem, t, roots, used_monomials(instance, fresh), stopped),
          n,
          roots,
          static_cast<int>(t.basis.size()),
          static_cast<int>(t.rows.size()),
          static_cast<int>(t.rows.size() + t.basis.size()),
          action_name(problem, t.action),
          stopped};
}

}  // namespace bifocal::generate
