// SPDX-License-Identifier: BSD-3-Clause
// Cases of src/scene and src/stereo.

// Applies a moderate lens to a point, with its Jacobian, and inverts it; the disc has the
// radius 1.2.
lane_fn void case_lens(const real* in, real* out) {
  real k[8];
  for (index i = 0; i < 8; ++i) k[i] = in[i] * lane(i == 2 || i == 3 ? 1e-3 : 0.02);
  real x = in[8] * lane(0.3), y = in[9] * lane(0.3), J[3];
  brown_map(k, x, y, out, J);
  for (index i = 0; i < 3; ++i) out[2 + i] = J[i];
  brown_distort(k, lane(1.44), x, y, out);
  brown_ray(k, lane(1.44), out[0], out[1], out + 5);
}

// A camera with a moderate lens of the kind, and a point in front of it.
lane_fn void case_camera_of(index kind, const real* in, real* X, camera_lane* camera) {
  X[0] = in[8] * lane(0.3), X[1] = in[9] * lane(0.3), X[2] = lane(1) + fabs(in[10]);
  camera->fx = lane(800), camera->fy = lane(810), camera->cx = lane(500), camera->cy = lane(400);
  camera->kind = lane(kind);
  for (index i = 0; i < LENS_SIZE; ++i) camera->k[i] = in[i] * lane(0.01);
  if (kind == LENS_FOV) {
    real w = lane(0.8) + camera->k[0], tangent = lane_tan(w / lane(2));
    camera->k[0] = w;
    camera->k[1] = lane(2) * tangent, camera->k[2] = lane(1) + tangent * tangent;
  }
  if (kind == LENS_EUCM) {
    camera->k[0] = lane(0.6) + camera->k[0], camera->k[1] = lane(1.1) + camera->k[1];
  }
}

// Projects by each kind of lens: 2 numbers of the distorted point, 6 derivatives by the point, and
// the sum of the derivatives by the parameters.
lane_fn void case_camera(const real* in, real* out) {
  for (index kind = 0; kind < LENS_COUNT; ++kind) {
    camera_lane camera;
    lens_image image;
    real X[3], by[2];
    case_camera_of(kind, in, X, &camera);
    camera_project(&camera, 1 << kind, (1 << LENS_SIZE) - 1, X, &image, out + 2);
    out[0] = select(image.is_seen, image.x, lane(9)), out[1] = image.y;
    out[8] = lane(0), out[9] = lane(0);
    for (index column = 0; column < COLUMN_NONE; ++column) {
      camera_column(&camera, 1 << kind, &image, column, by);
      out[8] = out[8] + by[0], out[9] = out[9] + by[1];
    }
    out += 10;
  }
}

// Projects by a kind of lens that differs between lanes.
lane_fn void case_camera_kinds(const real* in, real* out) {
  camera_lane eucm, camera;
  lens_image image;
  real X[3], by[2];
  case_camera_of(LENS_BROWN, in, X, &camera);
  case_camera_of(LENS_EUCM, in, X, &eucm);
  const mask is_eucm = in[0] > lane(0.5), is_pinhole = in[0] < lane(-1);
  camera.kind = select(is_eucm, eucm.kind, select(is_pinhole, lane(LENS_PINHOLE), camera.kind));
  for (index i = 0; i < LENS_SIZE; ++i) {
    camera.k[i] = select(is_eucm, eucm.k[i], camera.k[i]);
  }
  camera_project(&camera, 1 << LENS_PINHOLE | 1 << LENS_BROWN | 1 << LENS_EUCM,
                 (1 << LENS_SIZE) - 1, X, &image, out + 2);
  out[0] = image.x, out[1] = image.y;
  camera_column(&camera, 1 << LENS_PINHOLE | 1 << LENS_BROWN | 1 << LENS_EUCM, &image,
                COLUMN_LENS + 1, by);
  out[8] = by[0], out[9] = by[1];
}

// Finds the ray of a distorted point for each kind of lens.
lane_fn void case_lens_ray(const real* in, real* out) {
  for (index kind = 0; kind < LENS_COUNT; ++kind) {
    camera_lane camera;
    lens_image image;
    real X[3];
    case_camera_of(kind, in, X, &camera);
    const real reach = lane(1.44);  // squared radius of BROWN, angle of FISHEYE
    lens_image_of(kind, camera.k, (1 << LENS_SIZE) - 1, reach, X[0], X[1], &image);
    lens_ray_of(kind, camera.k, reach, image.x, image.y, out);
    out += 2;
  }
}

// Results are integers, equal in every lane.
lane_fn void case_disparity(const real* in, real* out) {
  out[0] = in[0] * lane(0) + lane(jump_penalty(100, 7, 12));
  out[1] = lane(census_margin(255, 1) + 100 * census_margin(65535, 0));
  out[2] = lane(brightness_of(40000, 65535) + 1000 * brightness_of(77, 255));
  out[3] = lane(subpixel_offset(400, 250, 350, 72));
  out[4] = lane(subpixel_offset(310, 250, 500, 72));
  out[5] = lane(parabola_offset(62000000, 100, 31000000));
  out[6] = lane(is_unique(90, 100, 10) + 2 * is_unique(91, 100, 10));
  out[7] = lane(winner_confidence(90, 100) + 1000 * directions_agree(70, 2, 16));
}
