"""Whether the neural network for first opinions is installed."""

from importlib.util import find_spec


def is_installed() -> bool:
    """Return whether this environment has the extra `network`."""
    return all(find_spec(name) is not None for name in ("minioslcc", "miniosl", "onnxruntime"))
