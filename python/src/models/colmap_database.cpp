// SPDX-License-Identifier: BSD-3-Clause
// Binds COLMAP databases: rows as NumPy arrays (_colmap_database.py converts the arguments).
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <bifocal/colmap/database.hpp>
#include <array>
#include <iterator>
#include <optional>

#include "../files.hpp"
#include "../options.hpp"

namespace bifocal::python {
namespace {

template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> values_of(const Rows<T>& rows) {
  return {rows.data(), rows.data() + rows.size()};
}

nb::object indices_array(const std::vector<colmap::IndexPair>& rows) {
  static_assert(sizeof(colmap::IndexPair) == 2 * sizeof(std::uint32_t));
  std::vector<std::uint32_t> values;
  values.reserve(2 * rows.size());
  for (const colmap::IndexPair& r : rows) values.insert(values.end(), {r.index1, r.index2});
  return array_from(std::move(values), {rows.size(), 2});
}

std::vector<colmap::IndexPair> indices_of(const Rows<std::uint32_t>& rows) {
  if (rows.size() > 0 && rows.shape(1) != 2)
    value_error(
        fmt::format("matches: shape ({}, {}), must be (N, 2)", rows.shape(0), rows.shape(1)));
  std::vector<colmap::IndexPair> out;
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2)
    out.push_back({rows.data()[i], rows.data()[i + 1]});
  return out;
}

nb::object matrix_or_none(const std::optional<Mat3>& m) {
  return m ? copy_of(*m, {3, 3}) : nb::none();
}

std::optional<Mat3> matrix_if(nb::handle object, const char* name) {
  if (object.is_none()) return {};
  return mat3_of(object, name);
}

// A connection to a database, empty after close().
class OpenDatabase {
 public:
  OpenDatabase(nb::handle given, const std::string& mode) : file_(file_of(given, "database")) {
    const auto access = mode == "r"    ? colmap::quiet_access(file_.path)
                        : mode == "r+" ? colmap::Access::write
                        : mode == "x"  ? colmap::Access::create
                                       : throw_mode(mode);
    try {
      database_.emplace(file_.path, access);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::input && mode != "x") raise_refused_reading({&file_});
      if (e.code() == ErrorCode::input) raise_refused_writing(file_);
      throw;
    }
  }
  colmap::Database& get() {
    if (!database_) value_error(fmt::format("{}: the database is closed", file_.path.string()));
    return *database_;
  }
  void begin() {
    if (transaction_)
      value_error(fmt::format("{}: a transaction is open already", file_.path.string()));
    transaction_.emplace(get());
  }
  void end(bool is_good) {
    if (!transaction_) return;
    if (is_good) transaction_->commit();
    transaction_.reset();
  }
  void close() {
    end(false);
    database_.reset();
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("<Database {}{}>", file_.path.string(), database_ ? "" : ", closed");
  }

 private:
  [[noreturn]] static colmap::Access throw_mode(const std::string& mode) {
    value_error(fmt::format("mode: '{}', must be 'r', 'r+' or 'x'", mode));
  }
  FileName file_;
  std::optional<colmap::Database> database_;
  std::optional<colmap::Transaction> transaction_;
};

nb::object geometry_of(colmap::Database& database, colmap::Id image1, colmap::Id image2) {
  const std::optional<colmap::TwoViewGeometry> g = database.geometry(image1, image2);
  if (!g) return nb::none();
  nb::object R = nb::none(), t = nb::none();
  if (g->cam2_from_cam1)
    R = copy_of(g->cam2_from_cam1->R, {3, 3}), t = copy_of(g->cam2_from_cam1->t, {3});
  return nb::make_tuple(static_cast<int>(g->configuration),
                        std::string(colmap::to_string(g->configuration)), indices_array(g->inliers),
                        matrix_or_none(g->F), matrix_or_none(g->E), matrix_or_none(g->H), R, t);
}

void write_geometry(OpenDatabase& d, colmap::Id image1, colmap::Id image2, int configuration,
                    const Rows<std::uint32_t>& inliers, const std::array<nb::handle, 3>& matrices,
                    const std::array<nb::handle, 2>& pose) {
  const auto& [F, E, H] = matrices;
  const auto& [R, t] = pose;
  colmap::TwoViewGeometry g;
  g.configuration = static_cast<colmap::Configuration>(configuration);
  g.inliers = indices_of(inliers);
  g.F = matrix_if(F, "F"), g.E = matrix_if(E, "E"), g.H = matrix_if(H, "H");
  if (R.is_none() != t.is_none()) value_error("R, t: one is given without the other");
  if (!R.is_none()) g.cam2_from_cam1 = Pose{mat3_of(R, "R"), vec3_of(t, "t")};
  d.get().write_geometry(image1, image2, g);
}

// Words of colmap::PriorCoordinates, from its first number, -1.
constexpr const char* kCoordinates[] = {"undefined", "wgs84", "cartesian"};

nb::list priors_of(const std::vector<colmap::PosePrior>& priors) {
  nb::list out;
  const auto vector_or_none = [](const std::optional<Vec3>& v) {
    return v ? copy_of(*v, {3}) : nb::none();
  };
  for (const colmap::PosePrior& p : priors)
    out.append(nb::make_tuple(p.image, kCoordinates[static_cast<int>(p.coordinates) + 1],
                              vector_or_none(p.position), matrix_or_none(p.covariance),
                              vector_or_none(p.gravity)));
  return out;
}

void write_prior(OpenDatabase& d, colmap::Id image, const std::string& coordinates,
                 nb::handle position, nb::handle covariance, nb::handle gravity) {
  const auto found = std::find(std::begin(kCoordinates), std::end(kCoordinates), coordinates);
  if (found == std::end(kCoordinates))
    value_error(
        fmt::format("coordinates: '{}', must be 'undefined', 'wgs84' or 'cartesian'", coordinates));
  colmap::PosePrior p{.image = image};
  p.coordinates = static_cast<colmap::PriorCoordinates>(found - std::begin(kCoordinates) - 1);
  if (!position.is_none()) p.position = vec3_of(position, "position");
  p.covariance = matrix_if(covariance, "covariance");
  if (!gravity.is_none()) p.gravity = vec3_of(gravity, "gravity");
  d.get().write(p);
}

nb::list rows_of(const std::vector<colmap::PairRows>& rows, bool are_geometries) {
  nb::list out;
  for (const colmap::PairRows& r : rows)
    if (are_geometries)
      out.append(nb::make_tuple(r.image1, r.image2, r.rows,
                                std::string(colmap::to_string(r.configuration))));
    else
      out.append(nb::make_tuple(r.image1, r.image2, r.rows));
  return out;
}

using colmap::Id;
using Class = nb::class_<OpenDatabase>;

void bind_reading(Class& c) {
  c.def(nb::init<nb::handle, const std::string&>(), nb::arg("file").none(), nb::arg("mode"));
  c.def("__repr__", &OpenDatabase::text);
  c.def("close", &OpenDatabase::close);
  c.def("begin", &OpenDatabase::begin);
  c.def("end", &OpenDatabase::end, nb::arg("is_good"));
  c.def(
      "cameras",
      [](OpenDatabase& d) {
        nb::list out;
        for (const colmap::ModelCamera& k : d.get().cameras())
          out.append(nb::make_tuple(k.id, std::string(colmap::model_name(k.model)), k.width,
                                    k.height, array_from(k.params, {k.params.size()}),
                                    k.has_prior_focal_length));
        return out;
      },
      nb::sig("def cameras(self) -> list[tuple[int, str, int, int, typing.Any, bool]]"));
  c.def(
      "images",
      [](OpenDatabase& d) {
        nb::list out;
        for (const colmap::Image& i : d.get().images())
          out.append(nb::make_tuple(
              i.id,
              nb::steal(PyUnicode_DecodeFSDefaultAndSize(i.name.data(), Py_ssize_t(i.name.size()))),
              i.camera_id));
        return out;
      },
      nb::sig("def images(self) -> list[tuple[int, str, int]]"));
}

void bind_reading_of_rows(Class& c) {
  c.def(
      "keypoints",
      [](OpenDatabase& d, Id image) {
        colmap::Keypoints k = d.get().keypoints(image);
        const std::size_t n = k.size(), columns = std::size_t(k.columns);
        return array_from(std::move(k.data), {n, columns});
      },
      nb::sig("def keypoints(self, image: int) -> numpy.typing.NDArray[numpy.float32]"));
  c.def(
      "descriptors",
      [](OpenDatabase& d, Id image) {
        colmap::Descriptors k = d.get().descriptors(image);
        const std::size_t n = k.size(), columns = std::size_t(k.columns);
        return array_from(std::move(k.data), {n, columns});
      },
      nb::sig("def descriptors(self, image: int) -> numpy.typing.NDArray[numpy.uint8]"));
  c.def(
      "match_rows", [](OpenDatabase& d) { return rows_of(d.get().match_rows(), false); },
      nb::sig("def match_rows(self) -> list[tuple[int, int, int]]"));
  c.def(
      "geometry_rows", [](OpenDatabase& d) { return rows_of(d.get().geometry_rows(), true); },
      nb::sig("def geometry_rows(self) -> list[tuple[int, int, int, str]]"));
  c.def(
      "matches",
      [](OpenDatabase& d, Id image1, Id image2) -> nb::object {
        const auto rows = d.get().matches(image1, image2);
        return rows ? indices_array(*rows) : nb::none();
      },
      nb::sig("def matches(self, image1: int, image2: int) -> "
              "numpy.typing.NDArray[numpy.uint32] | None"));
  c.def(
      "geometry",
      [](OpenDatabase& d, Id image1, Id image2) { return geometry_of(d.get(), image1, image2); },
      nb::sig("def geometry(self, image1: int, image2: int) -> typing.Any"));
  c.def(
      "pose_priors", [](OpenDatabase& d) { return priors_of(d.get().pose_priors()); },
      nb::sig("def pose_priors(self) -> list[tuple[int, str, typing.Any, typing.Any, "
              "typing.Any]]"));
}

void bind_writing(Class& c) {
  c.def("write_camera", [](OpenDatabase& d, Id id, const std::string& model, std::int64_t width,
                           std::int64_t height, std::vector<double> params, bool has_prior) {
    const int number = colmap::model_number(model);
    if (number < 0) value_error(fmt::format("model: '{}' is no camera model of COLMAP", model));
    return d.get().write(
        colmap::ModelCamera{id, number, width, height, std::move(params), has_prior});
  });
  c.def("write_image", [](OpenDatabase& d, Id id, nb::handle name, Id camera) {
    return d.get().write(colmap::Image{id, file_of(name, "name").path.string(), camera});
  });
  c.def("write_keypoints", [](OpenDatabase& d, Id image, const Rows<float>& rows) {
    d.get().write_keypoints(image, {static_cast<int>(rows.shape(1)), values_of(rows)});
  });
  c.def(
      "write_descriptors", [](OpenDatabase& d, Id image, const Rows<std::uint8_t>& rows, int type) {
        d.get().write_descriptors(image, {type, static_cast<int>(rows.shape(1)), values_of(rows)});
      });
  c.def("write_matches",
        [](OpenDatabase& d, Id image1, Id image2, const Rows<std::uint32_t>& rows) {
          d.get().write_matches(image1, image2, indices_of(rows));
        });
  c.def("write_geometry", &write_geometry, nb::arg("image1"), nb::arg("image2"),
        nb::arg("configuration"), nb::arg("inliers"), nb::arg("matrices"), nb::arg("pose"));
  c.def("write_pose_prior", &write_prior, nb::arg("image"), nb::arg("coordinates"),
        nb::arg("position").none(), nb::arg("covariance").none(), nb::arg("gravity").none());
  c.def("erase_keypoints", [](OpenDatabase& d, Id image) { d.get().erase_keypoints(image); });
  c.def("erase_geometry",
        [](OpenDatabase& d, Id image1, Id image2) { d.get().erase_geometry(image1, image2); });
}

}  // namespace

void bind_colmap_database(nb::module_& m) {
  Class c(m, "ColmapDatabase");
  bind_reading(c);
  bind_reading_of_rows(c);
  bind_writing(c);
}

}  // namespace bifocal::python
