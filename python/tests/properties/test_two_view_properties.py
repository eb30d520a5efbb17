"""Single steps of two-view geometry: residuals, refinement, decompositions, triangulation, covariances."""

import numpy as np
import pytest
from registry import TwoViews, cross_matrix, holds, off_rotation, projected, random_rotation, rotation_of

import bifocal
import bifocal.cv
import bifocal.poselib


def not_ideal_E(rng):
    """Returns a matrix with singular values (1, s, e), s from 0.2 to 1, in any scale and sign."""
    U, V = random_rotation(rng), random_rotation(rng)
    s = rng.choice([1.0, 0.98, 0.9, 0.6, rng.uniform(0.2, 1)])
    return U @ np.diag([1, s, rng.choice([0, 0, 1e-3, 0.05]) * s]) @ V.T * np.exp(rng.uniform(-20, 20)) * rng.choice([-1, 1])


def poses_by_svd(E):
    U, _, Vt = np.linalg.svd(E)
    U, Vt = U * np.linalg.det(U), Vt * np.linalg.det(Vt)
    W = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    return U @ W @ Vt, U @ W.T @ Vt, U[:, 2]


@holds("two_view.decompose_essential", reference="SVD of NumPy", cases=400)
def test_decompose_essential_gives_the_poses_of_the_nearest_essential_matrix(rng):
    """Both matrices are rotations to 1e-12, for any singular values and any scale, and the same as by the singular value decomposition."""
    E = not_ideal_E(rng)
    found = bifocal.two_view.decompose_essential(E)
    R1, R2, t = poses_by_svd(E)
    assert max(off_rotation(found.R1), off_rotation(found.R2)) < 1e-12, f"R R' - I is {off_rotation(found.R1)}, {off_rotation(found.R2)}"
    same = max(np.abs(found.R1 - R1).max(), np.abs(found.R2 - R2).max())
    swapped = max(np.abs(found.R1 - R2).max(), np.abs(found.R2 - R1).max())
    assert min(same, swapped) < 1e-9 and np.linalg.norm(np.cross(found.t, t)) < 1e-9, f"{min(same, swapped)}"


@holds("two_view.decompose_essential", "cv.decomposeEssentialMat", reference="OpenCV", cases=200)
def test_decompositions_of_E_are_those_of_opencv(rng):
    """The two rotations equal OpenCV's, in either order."""
    cv2 = pytest.importorskip("cv2")
    E = not_ideal_E(rng)
    E /= np.linalg.norm(E)
    a, b, _ = cv2.decomposeEssentialMat(E)
    for found in (bifocal.two_view.decompose_essential(E)[:2], bifocal.cv.decomposeEssentialMat(E)[:2]):
        assert min(np.abs(found[0] - a).max() + np.abs(found[1] - b).max(), np.abs(found[0] - b).max() + np.abs(found[1] - a).max()) < 1e-7


@holds("bifocal.recover_pose", "cv.recoverPose", reference="truth and an identity", cases=150)
def test_recover_pose_returns_a_rotation_near_the_true_one(rng):
    """The result is a rotation to 1e-12 and differs from the truth by at most the disturbance of E, also if E has unequal singular values."""
    s = TwoViews(rng)
    size = rng.choice([0, 1e-3, 0.03])
    E = s.E + size * rng.normal(size=(3, 3)) * np.abs(s.E).max()
    found = bifocal.recover_pose(E, s.clean1, s.clean2, s.K1, s.K2)
    assert off_rotation(found.R) < 1e-12 and abs(np.linalg.norm(found.t) - 1) < 1e-12
    assert np.abs(found.R - s.R).max() < 1e-9 + 8 * size, f"{np.abs(found.R - s.R).max()} at {size}"
    assert size > 1e-3 or found.t @ s.t > 0
    _, R, _, _ = bifocal.cv.recoverPose(E, s.clean1, s.clean2, s.K1)
    assert off_rotation(R) < 1e-12


@holds("two_view.decompose_homography", "cv.decomposeHomographyMat", reference="truth and an identity", cases=200)
def test_decompose_homography_contains_the_truth(rng):
    """Each motion composes to H, each R is a rotation, and one motion is the truth, in any unit and scale of H."""
    s = TwoViews(rng, plane=True)
    H = s.H * np.exp(rng.uniform(-10, 10)) * rng.choice([-1, 1])
    motions = bifocal.two_view.decompose_homography(H, s.K1, s.K2)
    n = s.normal / np.linalg.norm(s.normal)
    t = s.t / (s.distance / np.linalg.norm(s.normal))
    errors = [np.abs(m.R - s.R).max() + min(np.abs(m.t - t).max(), np.abs(m.t + t).max()) + min(np.abs(m.normal - n).max(), np.abs(m.normal + n).max()) for m in motions]
    assert min(errors) < 1e-6, f"nearest motion is off by {min(errors)}"
    for m in motions:
        G = s.K2 @ (m.R + np.outer(m.t, m.normal)) @ np.linalg.inv(s.K1)
        G *= np.sign((G * H).sum()) / np.linalg.norm(G)
        assert off_rotation(m.R) < 1e-10 and np.abs(G - H / np.linalg.norm(H)).max() < 1e-9
    _, Rs, _, _ = bifocal.cv.decomposeHomographyMat(s.H, s.K1)
    assert max(off_rotation(R) for R in Rs) < 1e-9


@holds("bifocal.triangulate", reference="truth, and the optimality of Lindstrom's method in NumPy", cases=120)
def test_triangulated_points_are_optimal(rng):
    """Exact matches give the exact points; noisy matches give a point whose reprojection error no small step reduces."""
    s = TwoViews(rng, noise=0)
    exact = bifocal.triangulate(s.clean1, s.clean2, s.K1, s.K2, s.R, s.t)
    seen = np.isfinite(exact).all(1)
    assert seen.mean() > 0.95
    parallax = np.linalg.norm(s.t) / np.linalg.norm(s.X, axis=1)
    assert np.nanmax(np.linalg.norm(exact - s.X, axis=1) / np.linalg.norm(s.X, axis=1) * parallax) < 1e-7
    x1, x2 = s.clean1 + 0.5 * rng.normal(size=s.clean1.shape), s.clean2 + 0.5 * rng.normal(size=s.clean2.shape)
    found = bifocal.triangulate(x1, x2, s.K1, s.K2, s.R, s.t)
    ok = np.isfinite(found).all(1)

    def cost(X):
        return ((projected(X, s.K1) - x1[ok]) ** 2).sum(1) / s.K1[0, 0] ** 2 + ((projected(X @ s.R.T + s.t, s.K2) - x2[ok]) ** 2).sum(1) / s.K2[0, 0] ** 2

    if s.K1[0, 0] != s.K1[1, 1] or s.K2[0, 0] != s.K2[1, 1]:
        return  # the method measures in normalised coordinates, which differ from px here
    best = cost(found[ok])
    for k in range(3):
        for step in (-1e-4, 1e-4):
            moved = found[ok] + step * np.linalg.norm(found[ok], axis=1)[:, None] * np.eye(3)[k]
            assert (cost(moved) >= best * (1 - 1e-3)).all()


def sampson(F, x1, x2):
    p, q = np.c_[x1, np.ones(len(x1))], np.c_[x2, np.ones(len(x2))]
    l2, l1 = p @ F.T, q @ F
    return np.abs((q * l2).sum(1)) / np.sqrt((l2[:, :2] ** 2).sum(1) + (l1[:, :2] ** 2).sum(1))


@holds("two_view.residuals", reference="Sampson's formula in NumPy", cases=200)
def test_residuals_do_not_depend_on_the_scale_of_the_model(rng):
    """Residuals of F and E are Sampson distances in px, for models of any scale and sign; rows with NaN or infinity have NaN, all further rows keep their value."""
    s = TwoViews(rng, noise=2.0)
    scale = np.exp(rng.uniform(-30, 30)) * rng.choice([-1, 1])
    expected = sampson(s.F, s.x1, s.x2)
    x1 = s.x1.copy()
    bad = rng.integers(len(x1))
    x1[bad, rng.integers(2)] = rng.choice([np.nan, np.inf, -np.inf])
    good = np.arange(len(x1)) != bad
    for found in (bifocal.two_view.residuals("fundamental", s.F * scale, x1, s.x2), bifocal.two_view.residuals("essential", s.E * scale, x1, s.x2, camera1=s.K1, camera2=s.K2)):
        assert np.isnan(found[bad]) and np.allclose(found[good], expected[good], rtol=1e-6, atol=1e-9), np.abs(found[good] - expected[good]).max()


@holds("two_view.pose_residuals", reference="projection in NumPy", cases=200)
def test_pose_residuals_are_reprojection_errors(rng):
    """Residuals of a pose are distances in px in any unit of the scene; NaN behind the camera."""
    s = TwoViews(rng, noise=2.0)
    X = s.X.copy()
    X[0] = -s.R.T @ s.t - (s.R.T @ [0, 0, 1.0]) * np.linalg.norm(s.t)  # behind
    found = bifocal.two_view.pose_residuals(s.R, s.t, s.x2, X, s.K2)
    expected = np.linalg.norm(projected(X @ s.R.T + s.t, s.K2) - s.x2, axis=1)
    assert np.isnan(found[0]) and np.allclose(found[1:], expected[1:], rtol=1e-6, atol=1e-7)


@holds("two_view.refine_absolute_pose", reference="SciPy least_squares", cases=60)
def test_refine_absolute_pose_reaches_the_minimum(rng):
    """The refined pose is a rotation and has the cost of SciPy's minimum, from a start with an R that is off a rotation by rounding."""
    least_squares = pytest.importorskip("scipy.optimize").least_squares
    s = TwoViews(rng, noise=1.0)
    unit = np.linalg.norm(s.t)
    start = rotation_of(rng.normal(size=3) * 0.003) @ s.R
    found = bifocal.two_view.refine_absolute_pose(start + rng.normal(size=(3, 3)) * 1e-9, s.t + 0.01 * unit * rng.normal(size=3), s.x2, s.X, s.K2, max_steps=200)

    def errors(p):
        return (projected(s.X @ (rotation_of(p[:3]) @ s.R).T + s.t + p[3:] * unit, s.K2) - s.x2).ravel()

    best = least_squares(errors, np.zeros(6), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    rms = np.sqrt(2 * best.cost / len(s.X))
    assert off_rotation(found.model) < 1e-10 and found.rms < rms * (1 + 1e-5) + 1e-9, f"{found.rms}, SciPy {rms}"


@holds("two_view.refine", reference="SciPy least_squares over the same parameters", cases=25)
def test_refine_of_E_F_and_H_reaches_the_minimum(rng):
    """E keeps equal singular values, F keeps rank 2, an affine map keeps its third row, and the cost equals SciPy's minimum."""
    least_squares = pytest.importorskip("scipy.optimize").least_squares
    s = TwoViews(rng, noise=0.7)
    E = s.E + rng.normal(size=(3, 3)) * 1e-3 * np.abs(s.E).max()
    found = bifocal.two_view.refine("essential", E, s.x1, s.x2, camera1=s.K1, camera2=s.K2, max_steps=200)
    sv = np.linalg.svd(found.model, compute_uv=False)
    assert abs(sv[0] - sv[1]) < 1e-6 * sv[0] and sv[2] < 1e-6 * sv[0], sv
    iK1, iK2 = np.linalg.inv(s.K1), np.linalg.inv(s.K2)
    basis = np.linalg.svd(s.t[None])[2]

    def errors(p):
        t = basis.T @ [1, p[3], p[4]]
        return sampson(iK2.T @ cross_matrix(t) @ rotation_of(p[:3]) @ s.R @ iK1, s.x1, s.x2)

    rms = np.sqrt(2 * least_squares(errors, np.zeros(5), x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14).cost / len(s.x1))
    assert found.rms < rms * 1.001 + 1e-9, f"E {found.rms}, SciPy {rms}"
    F = s.F / np.linalg.norm(s.F)
    found = bifocal.two_view.refine("fundamental", F, s.x1, s.x2, max_steps=200)
    sv = np.linalg.svd(found.model / np.linalg.norm(found.model), compute_uv=False)
    assert sv[2] < 1e-9 and found.rms <= rms * 1.001
    A = np.array([[*rng.normal(size=2), 300], [*rng.normal(size=2), 200], [0, 0, 1]])
    x2 = s.x1 @ A[:2, :2].T + A[:2, 2] + 0.5 * rng.normal(size=s.x1.shape)
    start = A.copy()
    start[2, :2] = rng.normal(size=2) * 1e-4  # a projective row, which no affine map has
    found = bifocal.two_view.refine("affine", start, s.x1, x2)
    model = found.model / found.model[2, 2]
    Q = np.c_[s.x1, np.ones(len(s.x1))]
    fit = np.linalg.lstsq(Q, x2, rcond=None)[0].T
    assert np.abs(model[2, :2]).max() == 0, f"third row {model[2]}"
    expected = np.linalg.norm(Q @ fit.T - x2, axis=1)
    got = np.linalg.norm(Q @ model[:2].T - x2, axis=1)
    assert np.sqrt((got**2).mean()) < np.sqrt((expected**2).mean()) * 1.2, "affine"


def monte_carlo(fit, draws):
    samples = np.array([fit() for _ in range(draws)])
    samples -= samples.mean(0)
    return samples.T @ samples / draws


@holds("two_view.relative_pose_covariance", "two_view.absolute_pose_covariance", "two_view.covariance", reference="Monte Carlo over 60 noisy fits", cases=10)
def test_covariances_are_those_of_noisy_fits(rng):
    """The trace of a covariance is within a factor of 1.8 of the scatter of refined models over noise of known deviation."""
    s, noise = TwoViews(rng, n=80), 0.5
    near = lambda x: x + noise * rng.normal(size=x.shape)

    def small(R):
        D = R @ s.R.T
        return np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]]) / 2

    pose = bifocal.two_view.absolute_pose_covariance(s.R, s.t, s.clean2, s.X, s.K2, noise=noise).pose
    scatter = monte_carlo(lambda: (lambda r: np.r_[small(r.model), r.t])(bifocal.two_view.refine_absolute_pose(s.R, s.t, near(s.clean2), s.X, s.K2)), 60)
    for part in (slice(0, 3), slice(3, 6)):
        ratio = np.trace(pose[part, part]) / np.trace(scatter[part, part])
        assert 1 / 1.8 < ratio < 1.8, f"absolute pose {ratio}"
    stated = bifocal.two_view.covariance("fundamental", s.F, s.clean1, s.clean2, noise=noise).model
    F = s.F / np.linalg.norm(s.F)

    def fit():
        G = bifocal.two_view.refine("fundamental", s.F, near(s.clean1), near(s.clean2)).model
        return (G * np.sign((G * F).sum()) / np.linalg.norm(G)).ravel()

    ratio = np.trace(stated) / np.trace(monte_carlo(fit, 60))
    assert 1 / 1.8 < ratio < 1.8, f"fundamental {ratio}"
    relative = bifocal.two_view.relative_pose_covariance(s.R, s.t / np.linalg.norm(s.t), s.clean1, s.clean2, s.K1, s.K2, noise=noise)

    def fitted_R():
        E = bifocal.two_view.refine("essential", s.E, near(s.clean1), near(s.clean2), camera1=s.K1, camera2=s.K2).model
        return small(min(bifocal.two_view.decompose_essential(E)[:2], key=lambda R: np.abs(R - s.R).max()))

    ratio = np.trace(relative.pose[:3, :3]) / np.trace(monte_carlo(fitted_R, 60))
    assert 1 / 1.8 < ratio < 1.8, f"relative pose {ratio}"


@holds("two_view.choose_model", reference="truth", cases=12)
def test_a_plane_is_a_homography_and_depth_is_not(rng):
    """A homography is chosen for a plane and an epipolar model for depth, with the images in either order."""
    for plane in (True, False):
        s = TwoViews(rng, n=150, noise=0.4, plane=plane)
        if not plane and np.linalg.norm(s.t) < 0.5 * np.abs(s.X[:, 2]).min() / 3:
            continue  # too little parallax to be depth
        for a, b in ((s.x1, s.x2), (s.x2, s.x1)):
            choice = bifocal.two_view.choose_model(a, b, bifocal.estimate_homography(a, b), bifocal.estimate_fundamental(a, b))
            assert (choice.kind == "homography") == plane, f"plane {plane}: {choice.reason}"
