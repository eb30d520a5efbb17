// SPDX-License-Identifier: BSD-3-Clause
#include "generate/macaulay.hpp"

#include <flint/nmod_mat.h>
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <numeric>

namespace bifocal::generate {
namespace {

constexpr int kMostColumns = 600, kMostColumnDegree = 16;

// Graded reverse lexicographic order: compares degrees, then the exponents of the last unknown,
// where the smaller exponent is greater.
bool grevlex_greater(const Monomial& a, const Monomial& b) {
  if (a[0] != b[0]) return a[0] > b[0];
  const std::size_t n = a.size();
  for (std::size_t k = n; k-- > 0;) {
    const int ea = a[k] - (k + 1 < n ? a[k + 1] : 0), eb = b[k] - (k + 1 < n ? b[k + 1] : 0);
    if (ea != eb) return ea < eb;
  }
  return false;
}

// The polynomials of the ideal up to a degree, as far as products up to that degree and quotients
// by unknowns that are not 0 determine them, in echelon form over columns in descending order.
class Space {
 public:
  Space(const Problem& problem, const Instance& instance, int degree)
      : n_(static_cast<int>(problem.unknowns.size())),
        prime_(instance.prime),
        monomials_(monomials_up_to(n_, degree)),
        columns_(monomials_.size()),
        place_(monomials_.size()) {
    std::iota(columns_.begin(), columns_.end(), 0);
    std::sort(columns_.begin(), columns_.end(),
              [&](int a, int b) { return grevlex_greater(monomial(a), monomial(b)); });
    for (std::size_t i = 0; i < columns_.size(); ++i) place_[at(columns_[i])] = i;
    add_equations(instance, rows_up_to(problem, degree));
    reduce();
    close(problem.nonzero);
  }

  // Returns the standard monomials: no leading monomial divides them.
  [[nodiscard]] std::vector<int> standard() const {
    std::vector<int> basis;
    Monomial rest;
    for (const int m : columns_) {
      const bool led = std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
        return monomial_quotient(monomial(m), monomial(columns_[leading(row)]), rest);
      });
      if (!led) basis.push_back(m);
    }
    return basis;
  }

  // Returns the monomials without a pivot when monomials of the largest weighted
  // degree are eliminated first. They are also a basis if their number equals the
  // number of standard monomials.
  [[nodiscard]] std::vector<int> open_monomials(const std::vector<int>& weights) const {
    std::vector<std::size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto weight = [&](std::size_t c) {
      return weighted_degree(monomial(columns_[c]), weights);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    std::vector<bool> open(columns_.size(), true);
    for (const auto& row : reduced(order)) {
      open[*std::find_if(order.begin(), order.end(), [&](std::size_t c) { return row[c] != 0; })] =
          false;
    }
    std::vector<int> found;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (open[c]) found.push_back(columns_[c]);
    }
    return found;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] const Monomial& monomial(int i) const { return monomials_[at(i)]; }
  static std::size_t leading(const std::vector<Element>& row) {
    return static_cast<std::size_t>(
        std::find_if(row.begin(), row.end(), [](Element e) { return e != 0; }) - row.begin());
  }

  void add_equations(const Instance& instance, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const Polynomial& p = instance.equations[at(row.equation)];
      rows_.emplace_back(columns_.size());
      for (std::size_t i = 0; i < p.size(); ++i) {
        if (p[i] == 0) continue;
        const int m = monomial_index(monomial_product(monomials_[i], row.shift));
        rows_.back()[place_[at(m)]] = p[i];
      }
    }
  }

  // Returns the nonzero rows of the reduced echelon form for a given order of columns. Elements of
  // the rows stay in the order of columns_.
  [[nodiscard]] std::vector<std::vector<Element>> reduced(
      const std::vector<std::size_t>& order) const {
    nmod_mat_t matrix;
    nmod_mat_init(matrix, static_cast<slong>(rows_.size()), static_cast<slong>(order.size()),
                  prime_);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t c = 0; c < order.size(); ++c)
        nmod_mat_entry(matrix, r, c) = rows_[r][order[c]];
    }
    const auto rank = static_cast<std::size_t>(nmod_mat_rref(matrix));
    std::vector<std::vector<Element>> result(rank, std::vector<Element>(order.size()));
    for (std::size_t r = 0; r < rank; ++r) {
      for (std::size_t c = 0; c < order.size(); ++c)
        result[r][order[c]] = nmod_mat_entry(matrix, r, c);
    }
    nmod_mat_clear(matrix);
    return result;
  }

  void reduce() {
    std::vector<std::size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), 0U);
    rows_ = reduced(order);
  }

  // Adds rows times an unknown, or divided by it if it divides all their monomials. Leaves out rows
  // with a monomial beyond the columns.
  void add_multiples(const std::vector<std::vector<Element>>& rows, int unknown, bool divide) {
    const Monomial x = unknown_monomial(n_, unknown);
    std::vector<int> to;
    Monomial quotient;
    for (const int m : columns_) {
      const int product = monomial_index(monomial_product(monomial(m), x));
      if (divide)
        to.push_back(monomial_quotient(monomial(m), x, quotient) ? monomial_index(quotient) : -1);
      else
        to.push_back(product < static_cast<int>(monomials_.size()) ? product : -1);
    }
    for (const auto& row : rows) {
      std::vector<Element> moved(row.size());
      bool fits = true;
      for (std::size_t c = 0; c < row.size() && fits; ++c) {
        if (row[c] == 0) continue;
        fits = to[c] >= 0;
        if (fits) moved[place_[at(to[c])]] = row[c];
      }
      if (fits) rows_.push_back(std::move(moved));
    }
  }

  // Adds multiples by all unknowns and quotients by those in `nonzero` until the rank stays the
  // same.
  void close(const std::vector<int>& nonzero) {
    for (std::size_t before = 0; before != rows_.size();) {
      before = rows_.size();
      for (int k = 0; k < n_; ++k) {
        add_multiples(std::vector(rows_), k, false);
        reduce();
      }
      for (const int k : nonzero) {
        // Eliminate the columns that the unknown does not divide first.
        const Monomial x = unknown_monomial(n_, k);
        Monomial quotient;
        std::vector<std::size_t> order(columns_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_partition(order.begin(), order.end(), [&](std::size_t c) {
          return !monomial_quotient(monomial(columns_[c]), x, quotient);
        });
        add_multiples(reduced(order), k, true);
        reduce();
      }
    }
  }

  int n_;
  Element prime_;
  std::vector<Monomial> monomials_;
  std::vector<int> columns_;
  std::vector<std::size_t> place_;  // position of each monomial among the columns
  std::vector<std::vector<Element>> rows_;
};

// Returns the distinct bases of `size` monomials for all weights from 1 to 3 of the
// unknowns, equal weights included.
std::vector<std::vector<int>> other_bases(const Space& space, int unknowns, std::size_t size) {
  std::vector<std::vector<int>> bases;
  std::vector<int> weights(static_cast<std::size_t>(unknowns), 1);
  for (bool more = true; more;) {
    std::vector<int> basis = space.open_monomials(weights);
    if (basis.size() == size && std::find(bases.begin(), bases.end(), basis) == bases.end())
      bases.push_back(std::move(basis));
    more = false;
    for (int& weight : weights) {
      more = ++weight <= 3;
      if (more) break;
      weight = 1;
    }
  }
  return bases;
}

}  // namespace

// Equations of a degree above `degree` have no rows.
std::vector<Row> rows_up_to(const Problem& problem, int degree) {
  std::vector<Row> rows;
  int equation = 0;
  for (const Definition& e : problem.equations) {
    const Shape& shape = e.expression.shape;
    for (int i = 0; i < shape.count(); ++i, ++equation) {
      if (shape.degree > degree) continue;
      for (const Monomial& shift :
           monomials_up_to(static_cast<int>(problem.unknowns.size()), degree - shape.degree))
        rows.push_back({equation, shift});
    }
  }
  return rows;
}

Quotient find_quotient(const Problem& problem, const Instance& instance, const std::string& file) {
  const int n = static_cast<int>(problem.unknowns.size());
  std::vector<int> before;
  int degree = problem.degree();
  for (; degree < kMostColumnDegree && monomial_count(n, degree + 1) <= kMostColumns; ++degree) {
    const Space space(problem, instance, degree);
    std::vector<int> basis = space.standard();
    if (basis.empty())
      throw Error(ErrorCode::input, file + ": the equations contradict each other: no solution");
    const int below = monomial_count(n, degree - 1);
    const bool finite = std::all_of(basis.begin(), basis.end(), [&](int m) { return m < below; });
    if (finite && basis == before) return {degree - 1, basis, other_bases(space, n, basis.size())};
    before = finite ? basis : std::vector<int>{};
  }
  std::string text = fmt::format(
      "{}: infinitely many solutions: up to degree {} the equations leave ever more "
      "monomials open.",
      file, degree - 1);
  text +=
      " A set of solutions that no data exclude, such as those with an unknown equal to 0, "
      "has to be removed: saturate by ";
  text += problem.unknowns[0] + "? (add the line 'nonzero " + problem.unknowns[0] + "')";
  throw Error(ErrorCode::input, text);
}

}  // namespace bifocal::generate
