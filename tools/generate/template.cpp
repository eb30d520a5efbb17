// SPDX-License-Identifier: BSD-3-Clause
#include "generate/template.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "generate/solving_set.hpp"

namespace bifocal::generate {
namespace {

constexpr int kOrders = 8;              // random orders of pruning per start
constexpr int kStarts = 12;             // starts that are pruned per action
constexpr std::size_t kMostRows = 220;  // of a start
constexpr std::size_t kMostTimes = 8;   // rows of a start, relative to the best template
constexpr int kMostMonomials = 3000;

// One start of the search and its remaining rows.
class Pruning {
 public:
  Pruning(const RowPool& pool, std::size_t roots, std::mt19937_64& random, const Watch& watch)
      : pool_(pool), roots_(roots), random_(random), watch_(watch) {}

  bool start(const std::vector<int>& rows, Action action) {
    rows_ = rows;
    candidates_.assign(static_cast<std::size_t>(pool_.size()), true);
    best_.action = action;
    if (!pool_.settle(rows_, candidates_, roots_, best_)) return false;
    keep_basis();
    return true;
  }

  // Removes rows in random order, rows of high degree first, in blocks whose size is halved
  // repeatedly, as long as the template remains valid.
  void prune_rows() {
    order_rows();
    for (std::size_t block = std::max<std::size_t>(1, rows_.size() / 4);; block /= 2) {
      for (std::size_t i = 0; i < rows_.size();) {
        if (watch_.is_stopped()) return;
        const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(i);
        const auto to =
            rows_.begin() + static_cast<std::ptrdiff_t>(std::min(i + block, rows_.size()));
        std::vector<int> fewer(rows_.begin(), from);
        fewer.insert(fewer.end(), to, rows_.end());
        Template t;
        t.action = best_.action;
        if (pool_.settle(fewer, candidates_, roots_, t)) {
          rows_ = std::move(fewer);
          best_ = std::move(t);
          keep_basis();
        } else {
          i += block;
        }
      }
      if (block == 1) break;
    }
  }

  // Removes elements of B in random order until at most `most` remain.
  void prune_basis(std::size_t most) {
    std::vector<int> order = best_.basis;
    std::shuffle(order.begin(), order.end(), random_);
    for (const int b : order) {
      if (best_.basis.size() <= most || watch_.is_stopped()) return;
      if (!candidates_[static_cast<std::size_t>(b)]) continue;
      candidates_[static_cast<std::size_t>(b)] = false;
      Template t;
      t.action = best_.action;
      if (pool_.settle(rows_, candidates_, roots_, t)) best_ = std::move(t);
      keep_basis();
    }
  }

  // Sets B to the monomials, or for an inverse action to their products with the unknown.
  bool restrict_basis(const std::vector<int>& monomials) {
    candidates_.assign(static_cast<std::size_t>(pool_.size()), false);
    for (const int m : monomials) {
      const Action action = best_.action;
      const int b = action.inverse ? pool_.image(m, {action.unknown, false}) : m;
      if (b >= 0) candidates_[static_cast<std::size_t>(b)] = true;
    }
    Template t;
    t.action = best_.action;
    if (!pool_.settle(rows_, candidates_, roots_, t)) return false;
    best_ = std::move(t);
    return true;
  }

  // Returns whether the number of rows equals the number of columns to eliminate.
  [[nodiscard]] bool is_square() const {
    return best_.rows.size() == best_.excess.size() + best_.reducible.size();
  }
  [[nodiscard]] const Template& best() const { return best_; }

 private:
  void keep_basis() {
    candidates_.assign(static_cast<std::size_t>(pool_.size()), false);
    for (const int b : best_.basis) candidates_[static_cast<std::size_t>(b)] = true;
  }

  // Sorts rows by the degree of their shifts, with random weights of the unknowns.
  void order_rows() {
    std::uniform_int_distribution<int> any(1, 3);
    std::vector<int> weights;
    for (int k = 0; k < pool_.unknowns(); ++k) weights.push_back(any(random_));
    std::shuffle(rows_.begin(), rows_.end(), random_);
    const auto weight = [&](int r) { return weighted_degree(pool_.row(r).shift, weights); };
    std::stable_sort(rows_.begin(), rows_.end(),
                     [&](int a, int b) { return weight(a) > weight(b); });
  }

  const RowPool& pool_;
  std::size_t roots_;
  std::mt19937_64& random_;
  const Watch& watch_;
  std::vector<int> rows_;
  std::vector<bool> candidates_;
  Template best_;
};

bool within(const Monomial& m, const std::vector<int>& caps) {
  for (std::size_t k = 0; k < m.size(); ++k) {
    if (m[k] - (k + 1 < m.size() ? m[k + 1] : 0) > caps[k]) return false;
  }
  return true;
}

// Returns growing sets of rows, the smallest first: all shifts up to a degree, or up to a degree of
// the product, with an upper limit for the exponent of each unknown.
std::vector<std::vector<int>> starts(const Problem& problem, const Quotient& quotient,
                                     RowPool& pool) {
  const int n = pool.unknowns(), top = std::max(quotient.degree, problem.degree() + 2) + 1;
  const int highest = std::min(n > 3 ? 2 : 3, top);
  std::set<std::vector<int>> found;
  std::vector<std::vector<int>> uncapped;
  for (int degree = problem.degree(); degree <= top; ++degree) {
    std::vector<int> by_product, by_shift;
    for (const Row& row : rows_up_to(problem, degree)) {
      by_product.push_back(pool.number_of(row));
      if (row.shift[0] <= degree - problem.degree()) by_shift.push_back(by_product.back());
    }
    uncapped.push_back(by_product);
    uncapped.push_back(by_shift);
  }
  std::vector<int> caps(static_cast<std::size_t>(n), 0);
  for (bool more = true; more;) {
    for (const std::vector<int>& all : uncapped) {
      std::vector<int> rows;
      for (const int r : all) {
        if (within(pool.row(r).shift, caps)) rows.push_back(r);
        if (rows.size() > kMostRows) break;
      }
      std::sort(rows.begin(), rows.end());
      if (rows.size() <= kMostRows) found.insert(rows);
    }
    more = false;
    for (int& cap : caps) {
      if (++cap <= highest) {
        more = true;
        break;
      }
      cap = 0;
    }
  }
  std::vector<std::vector<int>> list(found.begin(), found.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return list;
}

void take_better(const Pruning& pruned, Template& best) {
  if (pruned.is_square() && (best.rows.empty() || pruned.best().cost() < best.cost()))
    best = pruned.best();
}

// Prunes in several orders: rows first; or first elements of B, down to a random number or to
// the number of roots; or B starts as a basis of all polynomials (times the unknown for an
// inverse action).
void search_from(const Pruning& start, const Quotient& quotient, std::mt19937_64& random,
                 Template& best) {
  const std::size_t roots = quotient.basis.size();
  for (int order = 0; order < kOrders; ++order) {
    Pruning pruned = start;
    const std::size_t size = start.best().basis.size();
    if (order % 4 == 1) pruned.prune_basis(roots + random() % (size - roots + 1));
    if (order % 4 == 2) pruned.prune_basis(roots);
    if (order % 4 == 3) {
      const auto& basis = quotient.bases[random() % quotient.bases.size()];
      if (!pruned.restrict_basis(basis)) continue;
    }
    pruned.prune_rows();
    take_better(pruned, best);
    pruned.prune_basis(roots);
    pruned.prune_rows();
    take_better(pruned, best);
  }
}

std::string template_name(const Problem& problem, const Template& t) {
  return fmt::format("{} x {}, {} eigenpairs of {}", t.rows.size(), t.rows.size() + t.basis.size(),
                     t.basis.size(), action_name(problem, t.action));
}

// Returns the actions to search.
std::vector<Action> actions_of(const Problem& problem) {
  std::vector<Action> actions = problem.actions;
  for (int k = 0; k < static_cast<int>(problem.unknowns.size()) && problem.actions.empty(); ++k) {
    actions.push_back({k, false});
    actions.push_back({k, true});
  }
  return actions;
}

// Returns the completed fraction of the search before set `next`. It is the larger of two
// fractions: the starts used by all actions, and the number of rows to the third power, summed over
// the sets that are not too large compared with the best template.
double share_done(const std::vector<std::vector<int>>& sets, std::size_t next, const Template& best,
                  const std::vector<int>& tried) {
  const std::size_t most = best.rows.empty() ? kMostRows : kMostTimes * best.rows.size();
  double all = 0, done = 0;
  for (std::size_t s = 0; s < sets.size() && sets[s].size() <= most; ++s) {
    all += std::pow(sets[s].size(), 3);
    if (s < next) done = all;
  }
  const double starts = std::accumulate(tried.begin(), tried.end(), 0.0);
  return std::max(done / all, starts / (kStarts * static_cast<double>(tried.size())));
}

}  // namespace

// Returns the measured cost of eliminating r rows and computing B eigenpairs: the cube of the
// number of eigenpairs counts as 32 multiplications of the elimination.
double Template::cost() const {
  const auto r = static_cast<double>(rows.size()), n = static_cast<double>(basis.size());
  return 2 * r * r * r / 3 + 2 * r * r * n + 32 * n * n * n;
}

Template find_template(const Problem& problem, const Instance& instance, const Quotient& quotient,
                       std::mt19937_64& random, const std::string& file, const Watch& watch) {
  const int n = static_cast<int>(problem.unknowns.size());
  int degree = 2 * std::max(quotient.degree, problem.degree() + 2) + 2;
  while (monomial_count(n, degree) > kMostMonomials) --degree;
  RowPool pool(instance, n, degree);
  const std::vector<std::vector<int>> sets = starts(problem, quotient, pool);
  const std::size_t roots = quotient.basis.size();
  Template best;
  // No template is smaller than the equations alone, with as many eigenpairs as roots.
  const auto is_least = [&] {
    return best.rows.size() == instance.equations.size() && best.basis.size() == roots;
  };
  const std::vector<Action> actions = actions_of(problem);
  std::vector<int> tried(actions.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (!best.rows.empty() && sets[s].size() > kMostTimes * best.rows.size()) break;
    for (std::size_t a = 0; a < actions.size() && !is_least() && !watch.is_stopped(); ++a) {
      if (watch.report)
        watch.report(share_done(sets, s, best, tried),
                     best.rows.empty() ? "" : template_name(problem, best));
      Pruning start(pool, roots, random, watch);
      if (tried[a] == kStarts || !start.start(sets[s], actions[a])) continue;
      search_from(start, quotient, random, best);
      ++tried[a];
    }
  }
  if (best.rows.empty() && watch.is_stopped())
    throw Error(ErrorCode::input, file + ": stopped before a template was found");
  if (best.rows.empty())
    throw Error(
        ErrorCode::input,
        fmt::format("{}: neither an unknown nor its inverse is reduced by rows of degree "
                    "{}, or an unknown is a function of the others and cannot be computed from "
                    "eigenvectors: eliminate it by hand",
                    file, quotient.degree + 1));
  std::sort(best.rows.begin(), best.rows.end(), [](const Row& a, const Row& b) {
    return std::pair(monomial_index(a.shift), a.equation) <
           std::pair(monomial_index(b.shift), b.equation);
  });
  return best;
}

bool template_holds(const Template& t, const Instance& instance, int unknowns) {
  int degree = 0;
  for (const Row& row : t.rows) degree = std::max(degree, row.shift[0] + instance.degree);
  RowPool pool(instance, unknowns, degree);
  std::vector<int> rows;
  for (const Row& row : t.rows) rows.push_back(pool.number_of(row));
  std::vector<bool> candidates(static_cast<std::size_t>(pool.size()), false);
  for (const int b : t.basis) candidates[static_cast<std::size_t>(b)] = true;
  Template fresh;
  fresh.action = t.action;
  return pool.settle(rows, candidates, t.basis.size(), fresh) && fresh.basis == t.basis &&
         fresh.excess == t.excess && fresh.reducible == t.reducible;
}

}  // namespace bifocal::generate
