// SPDX-License-Identifier: BSD-3-Clause
// Pickled state of a Rectification: numbers as bytes, lenses as model and parameters.
#include "rectify_pickle.hpp"

#include <cstring>
#include <type_traits>

#include "results.hpp"

namespace bifocal::python {
namespace {

template <class T>
nb::bytes bytes_of_one(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return nb::bytes(&value, sizeof value);
}
template <class T>
T one_of(nb::handle state) {
  const auto bytes = nb::cast<nb::bytes>(state);
  T value;
  if (bytes.size() != sizeof value) value_error("this pickle is of another version of bifocal");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Members of a side other than its lens and its rows.
struct SideNumbers {
  Camera input;
  Mat3 H{}, R{};
  Intrinsics camera;
  Vec2 epipole{};
  bool is_inward = false;
};
// Members that both sides share.
struct Common {
  RectificationKind kind;
  int width, height, overlap;
  bool is_swapped, is_reversed, is_cyclic;
  RectifyOutcome outcome;
  double scale;
};

nb::tuple side_state(const RectifiedSide& s) {
  nb::object lens = nb::none();
  if (s.lens)
    lens = nb::make_tuple(
        std::string(s.lens->model()),
        bytes_of(std::vector<double>(s.lens->params().begin(), s.lens->params().end())));
  const SideNumbers numbers{s.input, s.H, s.R, s.camera, s.epipole, s.is_inward};
  return nb::make_tuple(bytes_of_one(numbers), lens, bytes_of(s.rows));
}

RectifiedSide side_of(nb::handle state) {
  const auto numbers = one_of<SideNumbers>(nb::object(state[0]));
  RectifiedSide s;
  s.input = numbers.input, s.H = numbers.H, s.R = numbers.R, s.camera = numbers.camera;
  s.epipole = numbers.epipole, s.is_inward = numbers.is_inward;
  s.rows = vector_of<PolarRow>(nb::cast<nb::bytes>(nb::object(state[2])));
  const nb::object lens = state[1];
  if (lens.is_none()) return s;
  const auto model = nb::cast<std::string>(nb::object(lens[0]));
  const auto params = vector_of<double>(nb::cast<nb::bytes>(nb::object(lens[1])));
  if (!model.empty()) {
    s.lens.emplace(model, params, s.input.width, s.input.height);
    return s;
  }
  if (params.size() != 12) value_error("this pickle is of another version of bifocal");
  Camera camera{{params[0], params[1], params[2], params[3]}, {}, s.input.width, s.input.height};
  camera.distortion = {params[4], params[5], params[6],  params[7],
                       params[8], params[9], params[10], params[11]};
  s.lens.emplace(camera);
  return s;
}

}  // namespace

nb::tuple state_of(const Rectification& r) {
  const Common common{r.kind,        r.width,     r.height,  r.overlap, r.is_swapped,
                      r.is_reversed, r.is_cyclic, r.outcome, r.scale};
  return nb::make_tuple(bytes_of_one(common), r.doubt, side_state(r.sides[0]),
                        side_state(r.sides[1]));
}

void restore(Rectification& r, const nb::tuple& state) {
  const auto c = one_of<Common>(nb::object(state[0]));
  Rectification made;
  made.kind = c.kind, made.width = c.width, made.height = c.height, made.overlap = c.overlap;
  made.is_swapped = c.is_swapped, made.is_reversed = c.is_reversed, made.is_cyclic = c.is_cyclic;
  made.outcome = c.outcome, made.scale = c.scale;
  made.doubt = nb::cast<std::string>(nb::object(state[1]));
  made.sides = {side_of(nb::object(state[2])), side_of(nb::object(state[3]))};
  new (&r) Rectification(std::move(made));
}

}  // namespace bifocal::python
