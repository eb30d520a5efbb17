"""The pairs of planes of the Oxford set (Mikolajczyk et al.): grey images and the homography between them."""

from dataclasses import dataclass

import numpy as np

SETS = ("graf", "boat", "bark", "wall", "leuven", "bikes", "ubc")
RIGHT_PX = 3.0  # the given homographies are accurate to about 1 px


@dataclass
class Pair:
    name: str
    first: str
    second: str
    H: np.ndarray

    def right(self, x1, x2):
        """Returns the mask of correct matches: x2 within RIGHT_PX of the true image of x1."""
        mapped = np.c_[x1, np.ones(len(x1))] @ self.H.T
        return np.linalg.norm(mapped[:, :2] / mapped[:, 2:] - x2, axis=1) < RIGHT_PX


def grey(file):
    """Converts colours to grey as Bifocal does; every project gets the same image."""
    import bifocal

    picture = bifocal.read_image(str(file))
    return np.ascontiguousarray(picture if picture.ndim == 2 else ((picture[..., :3].astype(np.int32) @ [77, 150, 29] + 128) >> 8).astype(np.uint8))


def read(folder):
    """Returns the pairs, and their images {name: uint8 [H, W]} in the order in which pairs need them."""
    pairs, pictures = [], {}
    for scene in SETS:
        for k in range(2, 7):
            file = folder / scene / f"H1to{k}p"
            here = {f"{scene}{i}": next((folder / scene).glob(f"img{i}.*"), None) for i in (1, k)}
            if not file.exists() or None in here.values():
                continue
            for name, picture in here.items():
                if name not in pictures:
                    pictures[name] = grey(picture)
            pairs.append(Pair(f"{scene} 1-{k}", *here, np.loadtxt(file).reshape(3, 3)))
    return pairs, pictures
