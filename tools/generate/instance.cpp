// SPDX-License-Identifier: BSD-3-Clause
#include "generate/instance.hpp"

#include <map>

#include "generate/monomials.hpp"

namespace bifocal::generate {
namespace {

using Matrix = std::vector<Polynomial>;  // row-major

// Evaluates expressions on polynomials modulo the prime.
class Evaluator {
 public:
  Evaluator(const Problem& problem, Element prime, std::mt19937_64& random)
      : n_(static_cast<int>(problem.unknowns.size())), prime_(prime) {
    std::uniform_int_distribution<Element> any(1, prime - 1);
    for (const auto* list : {&problem.randoms, &problem.data}) {
      for (const Datum& d : *list) {
        if (d.expression) {
          values_[d.name] = evaluate(*d.expression);
          continue;
        }
        for (int i = 0; i < d.shape.count(); ++i) values_[d.name].push_back({any(random)});
      }
    }
    for (int k = 0; k < n_; ++k) {
      Polynomial x(static_cast<std::size_t>(n_) + 1);
      x[static_cast<std::size_t>(monomial_index(unknown_monomial(n_, k)))] = 1;
      values_[problem.unknowns[static_cast<std::size_t>(k)]] = {x};
    }
    for (const Definition& let : problem.lets) values_[let.name] = evaluate(let.expression);
  }

  Matrix evaluate(const Expression& e) const {
    switch (e.operation) {
      case Operation::number:
        return {{static_cast<Element>(e.number + static_cast<long>(prime_)) % prime_}};
      case Operation::name:
        return values_.at(e.name);
      case Operation::sum:
        return sum(evaluate(e.parts[0]), evaluate(e.parts[1]), 1);
      case Operation::difference:
        return sum(evaluate(e.parts[0]), evaluate(e.parts[1]), prime_ - 1);
      case Operation::product:
        return product(evaluate(e.parts[0]), e.parts[0].shape, evaluate(e.parts[1]), e.shape);
      case Operation::quotient:
        return product({{inverse(evaluate(e.parts[1])[0][0])}}, {1, 1, 0}, evaluate(e.parts[0]),
                       e.shape);
      case Operation::part: {
        const Matrix all = evaluate(e.parts[0]);
        const auto first = all.begin() + e.number;
        return {first, first + e.shape.count()};
      }
      case Operation::skew:
        return skew(evaluate(e.parts[0]));
      case Operation::row:
        return joined(e);
      case Operation::stack: {
        Matrix all;
        for (const Expression& part : e.parts) {
          for (Polynomial& p : evaluate(part)) all.push_back(std::move(p));
        }
        return all;
      }
      case Operation::transpose:
        return transpose(evaluate(e.parts[0]), e.parts[0].shape);
      case Operation::trace:
        return trace(evaluate(e.parts[0]), e.parts[0].shape.rows);
      case Operation::diagonal: {
        Matrix d(static_cast<std::size_t>(e.shape.count()), Polynomial(1));
        for (std::size_t i = 0; i < e.parts.size(); ++i)
          d[i * (e.parts.size() + 1)] = evaluate(e.parts[i])[0];
        return d;
      }
      case Operation::determinant:
        return {determinant(evaluate(e.parts[0]))};
    }
    return {};
  }

 private:
  Element times(Element a, Element b) const {
    return a * b % prime_;  // the prime has 31 bits
  }

  void add(Polynomial& to, const Polynomial& p, Element factor) const {
    if (to.size() < p.size()) to.resize(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) to[i] = (to[i] + times(factor, p[i])) % prime_;
  }

  Polynomial polynomial_product(const Polynomial& a, const Polynomial& b) const {
    int degree = 0;
    while (monomial_count(n_, degree) < static_cast<int>(a.size())) ++degree;
    int other = 0;
    while (monomial_count(n_, other) < static_cast<int>(b.size())) ++other;
    const std::vector<Monomial> monomials = monomials_up_to(n_, std::max(degree, other));
    Polynomial out(static_cast<std::size_t>(monomial_count(n_, degree + other)));
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        const int index = monomial_index(monomial_product(monomials[i], monomials[j]));
        Element& o = out[static_cast<std::size_t>(index)];
        o = (o + times(a[i], b[j])) % prime_;
      }
    }
    return out;
  }

  Matrix sum(Matrix a, const Matrix& b, Element factor) const {
    for (std::size_t i = 0; i < a.size(); ++i) add(a[i], b[i], factor);
    return a;
  }

  Matrix product(const Matrix& a, const Shape& shape, const Matrix& b, const Shape& out) const {
    const bool scalar = shape.count() == 1;
    Matrix c(static_cast<std::size_t>(out.count()));
    const int inner = scalar ? 1 : shape.columns;
    for (int i = 0; i < out.rows; ++i) {
      for (int j = 0; j < out.columns; ++j) {
        for (int k = 0; k < inner; ++k) {
          const int left = scalar ? 0 : i * inner + k;
          const int right = (scalar ? i : k) * out.columns + j;
          add(c[static_cast<std::size_t>(i * out.columns + j)],
              polynomial_product(a[static_cast<std::size_t>(left)],
                                 b[static_cast<std::size_t>(right)]),
              1);
        }
      }
    }
    return c;
  }

  static Matrix transpose(const Matrix& a, const Shape& shape) {
    Matrix t;
    for (int j = 0; j < shape.columns; ++j) {
      for (int i = 0; i < shape.rows; ++i)
        t.push_back(a[static_cast<std::size_t>(i * shape.columns + j)]);
    }
    return t;
  }

  Matrix trace(const Matrix& a, int n) const {
    Matrix t(1);
    for (int i = 0; i < n; ++i) add(t[0], a[static_cast<std::size_t>(i * n + i)], 1);
    return t;
  }

  // Returns the inverse of a by Fermat's theorem; 0 for a = 0.
  Element inverse(Element a) const {
    Element result = 1;
    for (Element power = prime_ - 2; power > 0; power /= 2, a = times(a, a)) {
      if (power % 2 == 1) result = times(result, a);
    }
    return result;
  }

  Matrix skew(const Matrix& v) const {
    Matrix s(9, Polynomial(1));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      add(s[3 * k + j], v[i], 1);
      add(s[3 * j + k], v[i], prime_ - 1);
    }
    return s;
  }

  Matrix joined(const Expression& e) const {
    Matrix row(static_cast<std::size_t>(e.shape.count()));
    std::size_t first = 0;
    const auto columns = static_cast<std::size_t>(e.shape.columns);
    for (const Expression& part : e.parts) {
      const Matrix own = evaluate(part);
      const auto width = static_cast<std::size_t>(part.shape.columns);
      for (std::size_t i = 0; i < own.size(); ++i)
        row[columns * (i / width) + first + i % width] = own[i];
      first += width;
    }
    return row;
  }

  Polynomial determinant(const Matrix& a) const {
    Polynomial d;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      Polynomial minor = polynomial_product(a[3 + j1], a[6 + j2]);
      add(minor, polynomial_product(a[3 + j2], a[6 + j1]), prime_ - 1);
      add(d, polynomial_product(a[j], minor), 1);
    }
    return d;
  }

  int n_;
  Element prime_;
  std::map<std::string, Matrix> values_;
};

}  // namespace

Instance random_instance(const Problem& problem, Element prime, std::mt19937_64& random) {
  const Evaluator evaluator(problem, prime, random);
  Instance instance{prime, problem.degree(), {}};
  const auto size = static_cast<std::size_t>(
      monomial_count(static_cast<int>(problem.unknowns.size()), problem.degree()));
  for (const Definition& equation : problem.equations) {
    for (Polynomial& p : evaluator.evaluate(equation.expression)) {
      p.resize(size);
      instance.equations.push_back(std::move(p));
    }
  }
  return instance;
}

}  // namespace bifocal::generate
