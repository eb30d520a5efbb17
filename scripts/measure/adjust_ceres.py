"""Solves one BAL file with the Ceres of pycolmap: adjust_ceres.py JOB, as scripts/measure/adjust calls it.

JOB is a JSON object: file, solver, preconditioner, explicit, threads, loss, tolerance, seconds, write (a BAL file for the solution, or empty) and reduced (a BAL
file for the problem without the points that the solution has behind a camera, or empty). The last line of the output is a JSON object with cost,
iterations, seconds and the history."""

import copy
import json
import os
import pathlib
import resource
import sys
import tempfile

import numpy as np
import pycolmap

FLIP = np.array([1.0, -1, -1])  # BAL's camera axes to COLMAP's


class Problem:
    def __init__(self, file: str):
        numbers = np.fromfile(file, sep=" ")
        cameras, points, observations = numbers[:3].astype(int)
        table = numbers[3:3 + 4 * observations].reshape(-1, 4)
        self.image, self.point = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
        self.xy = table[:, 2:] * [1, -1]
        rest = numbers[3 + 4 * observations:]
        self.cameras, self.points = rest[:9 * cameras].reshape(-1, 9), rest[9 * cameras:9 * cameras + 3 * points].reshape(-1, 3)

    def without(self, points: set) -> "Problem":
        result = copy.copy(self)
        kept = ~np.isin(np.arange(len(self.points)), list(points))
        seen = kept[self.point]
        result.points, result.image, result.xy = self.points[kept], self.image[seen], self.xy[seen]
        result.point = (np.cumsum(kept) - 1)[self.point[seen]]
        return result

    def write(self, file: str):
        with open(file, "w") as out:
            out.write(f"{len(self.cameras)} {len(self.points)} {len(self.image)}\n")
            for i, p, (x, y) in zip(self.image.tolist(), self.point.tolist(), (self.xy * [1, -1]).tolist()):
                out.write(f"{i} {p} {x!r} {y!r}\n")
            for value in [*self.cameras.ravel().tolist(), *self.points.ravel().tolist()]:
                out.write(f"{value!r}\n")


def quaternion(vector: np.ndarray) -> np.ndarray:
    """The rotation diag(1, -1, -1) exp([vector]x) as w, x, y, z."""
    angle = np.linalg.norm(vector)
    axis = vector / angle if angle > 0 else vector
    w, (x, y, z) = np.cos(angle / 2), np.sin(angle / 2) * axis
    return np.array([-x, w, -z, y])  # i times it


def scattered(out: np.ndarray, offsets: np.ndarray, fields: np.ndarray):
    """Copies records of bytes to their offsets."""
    step = 1 << 18
    for first in range(0, len(offsets), step):
        part = slice(first, first + step)
        out[offsets[part, None] + np.arange(fields.shape[1])] = fields[part]


def write_model(problem: Problem, folder: pathlib.Path):
    """A model in COLMAP's binary format; indices start at 1."""
    count = len(problem.cameras)
    camera = np.zeros(count, [("id", "<u4"), ("model", "<i4"), ("size", "<u8", 2), ("params", "<f8", 5)])
    camera["id"], camera["model"], camera["size"] = np.arange(1, count + 1), 3, (1600, 1200)
    camera["params"][:, 0], camera["params"][:, 3:] = problem.cameras[:, 6], problem.cameras[:, 7:]
    (folder / "cameras.bin").write_bytes(np.uint64(count).tobytes() + camera.tobytes())

    order = np.argsort(problem.image, kind="stable")
    starts = np.searchsorted(problem.image[order], np.arange(count + 1))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - starts[problem.image[order]]
    features = np.zeros(len(order), [("xy", "<f8", 2), ("point", "<u8")])
    features["xy"], features["point"] = problem.xy[order], problem.point[order] + 1
    with open(folder / "images.bin", "wb") as file:
        file.write(np.uint64(count).tobytes())
        for i, row in enumerate(problem.cameras):
            mine = features[starts[i]:starts[i + 1]]
            file.write(np.uint32(i + 1).tobytes() + quaternion(row[:3]).tobytes() + (row[3:6] * FLIP).tobytes())
            file.write(np.uint32(i + 1).tobytes() + b"%d\0" % i + np.uint64(len(mine)).tobytes() + mine.tobytes())

    order = np.argsort(problem.point, kind="stable")
    lengths = np.bincount(problem.point, minlength=len(problem.points))
    point = np.zeros(len(lengths), [("id", "<u8"), ("xyz", "<f8", 3), ("rgb", "u1", 3), ("error", "<f8"), ("length", "<u8")])
    point["id"], point["xyz"], point["length"] = np.arange(1, len(lengths) + 1), problem.points, lengths
    track = np.stack([problem.image[order] + 1, place[order]], axis=1).astype("<u4")
    header = point.dtype.itemsize
    ends = np.cumsum(header + 8 * lengths)
    out = np.empty(int(ends[-1]), np.uint8)
    offsets = ends - header - 8 * lengths
    scattered(out, offsets, point.view(np.uint8).reshape(-1, header))
    within = np.arange(len(order)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    scattered(out, np.repeat(offsets, lengths) + header + 8 * within, track.view(np.uint8).reshape(-1, 8))
    (folder / "points3D.bin").write_bytes(np.uint64(len(lengths)).tobytes() + out.tobytes())


def solution_of(problem: Problem, model: pycolmap.Reconstruction) -> Problem:
    result = copy.copy(problem)
    rows = []
    for i in range(len(problem.cameras)):
        pose, params = model.images[i + 1].cam_from_world(), model.cameras[i + 1].params
        x, y, z, w = pose.rotation.quat
        rows.append([*rotation_vector(-x, np.array([w, -z, y])), *(pose.translation * FLIP), params[0], *params[3:]])  # i times it, up to the sign
    result.cameras, result.points = np.array(rows), np.array([model.points3D[p + 1].xyz for p in range(len(problem.points))])
    return result


def points_behind(problem: Problem, model: pycolmap.Reconstruction, solution: Problem) -> set:
    """Points with an observation whose camera they are not in front of: COLMAP's cost function counts such observations as errors of 0."""
    rows = np.array([model.images[i + 1].cam_from_world().matrix()[2] for i in range(len(problem.cameras))])
    mine = rows[problem.image]
    depth = np.einsum("ij,ij->i", mine[:, :3], solution.points[problem.point]) + mine[:, 3]
    return set(problem.point[depth <= 0].tolist())


def rotation_vector(w: float, v: np.ndarray) -> np.ndarray:
    """Of the unit quaternion (w, v)."""
    length = np.linalg.norm(v)
    return v if length == 0 else v / length * 2 * np.arctan2(length if w >= 0 else -length, abs(w))


def options_of(job: dict) -> pycolmap.BundleAdjustmentOptions:
    options = pycolmap.BundleAdjustmentOptions()
    options.print_summary = False
    own = options.ceres
    own.loss_function_type = getattr(pycolmap.LossFunctionType, job["loss"])
    own.loss_function_scale = 1
    own.auto_select_solver_type = False
    own.min_num_residuals_for_cpu_multi_threading = 0
    solver = own.solver_options
    solver.linear_solver_type = getattr(type(solver.linear_solver_type), job["solver"])
    solver.preconditioner_type = getattr(type(solver.preconditioner_type), job["preconditioner"])
    solver.use_explicit_schur_complement = job.get("explicit", False)
    solver.num_threads = job["threads"]
    solver.function_tolerance, solver.gradient_tolerance, solver.parameter_tolerance = job["tolerance"], 1e-10, 1e-8
    solver.max_num_iterations, solver.max_linear_solver_iterations = 1000, 500
    solver.max_solver_time_in_seconds = job["seconds"]
    solver.logging_type = type(solver.logging_type).PER_MINIMIZER_ITERATION
    solver.minimizer_progress_to_stdout = True
    return options


def history_of(text: str) -> tuple:
    """Costs and seconds of the lines "iter cost cost_change |gradient| |step| tr_ratio tr_radius ls_iter iter_time total_time"; a rejected step
    shows its own cost."""
    costs, seconds = [], []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 10 and words[0].isdigit():
            cost = float(words[1])
            costs.append(min(cost, costs[-1]) if costs else cost)
            seconds.append(float(words[9]))
    return costs, seconds


def main():
    job = json.loads(sys.argv[1])
    if job["threads"] == 1:
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    problem = Problem(job["file"])
    with tempfile.TemporaryDirectory() as folder:
        write_model(problem, pathlib.Path(folder))
        model = pycolmap.Reconstruction(folder)
    if not job["write"]:
        del problem
    config = pycolmap.BundleAdjustmentConfig()
    for image in model.images:
        config.add_image(image)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryFile("w+") as log:
        kept = os.dup(1)
        os.dup2(log.fileno(), 1)
        summary = pycolmap.create_default_ceres_bundle_adjuster(options_of(job), config, model).solve().ceres_summary
        os.dup2(kept, 1)
        log.seek(0)
        costs, seconds = history_of(log.read())
    behind = set()
    if job["write"]:
        solution = solution_of(problem, model)
        solution.write(job["write"])
        behind = points_behind(problem, model, solution)
        if behind and job["reduced"]:
            problem.without(behind).write(job["reduced"])
    print(json.dumps({"cost": summary.final_cost, "cost_start": summary.initial_cost, "seconds": summary.total_time_in_seconds,
                      "iterations": summary.num_successful_steps + summary.num_unsuccessful_steps, "reason": str(summary.termination_type),
                      "message": summary.message, "solver": str(summary.linear_solver_type_used), "history_cost": costs, "history_s": seconds,
                      "points_behind": len(behind), "preprocess_s": summary.preprocessor_time_in_seconds, "threads": summary.num_threads_used,
                      "peak_bytes": 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)}))


main()
