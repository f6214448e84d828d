"""Load built kernels with the published `kernels` package and hold them against a reference in torch.

    demo_load.py PROJECT...

The shapes are awkward on purpose: empty, one element, a tail after the vector width, strided, many dimensions.
"""

import sys
from pathlib import Path

import kernels
import torch

SHAPES = [(0, 8), (1, 2), (3, 34), (7, 2 * 129), (2, 3, 5, 2 * 17), (64, 2 * 1024)]
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def reference(x):
    """In twice the precision, rounded once."""
    gate, up = x.double().chunk(2, dim=-1)
    return (torch.nn.functional.silu(gate) * up).to(x.dtype)


def strided(x):
    """The same values with a gap after each."""
    wide = torch.zeros(*x.shape[:-1], 2 * x.shape[-1], dtype=x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]


def main():
    for project in sys.argv[1:]:
        kernel = kernels.get_local_kernel(Path(project).absolute(), backend="cpu")
        torch.manual_seed(0)
        calls = 0
        for dtype in DTYPES:
            for shape in SHAPES:
                dense = torch.randn(shape, dtype=torch.float64).to(dtype)
                for x in (dense, strided(dense)):
                    torch.testing.assert_close(kernel.silu_and_mul(x), reference(x))
                    calls += 1
        print(f"{project}: {kernel.__name__} agrees with the reference in {calls} calls")


if __name__ == "__main__":
    main()
