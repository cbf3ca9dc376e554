"""The neural network of miniosl: the value of a position and the likelihood of each move, without search.

The extra `network` installs it: `miniosl` (BSD), which has the weights and makes the input, and `onnxruntime`
(MIT). A position takes one to ten milliseconds on one processor. The network was trained with the last moves
before a position as a part of its input, so its verdicts have a history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from math import atanh
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from archive.derive.chances import PONANZA
from archive.derive.verdicts import Line, NewVerdict
from archive.models import Engine
from archive.store import EngineIdentity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from archive.analysis.usi import SearchedPosition

CANDIDATES: Final = 5
"""Moves of a verdict: with these the network names the played move in five of six cases."""
LEAST_POLICY: Final = 10
"""The likelihood in thousandths from which a move other than the best one is a candidate."""
SURE: Final = 0.999
"""The largest value with a score of its own: those of 1 and -1 would be infinite."""
_BATCH: Final = 32
"""Positions of one run; larger batches take more memory, and no less time."""


class Network:
    """The network, loaded in this process: 200 MB."""

    def __init__(self) -> None:
        import minioslcc
        import onnxruntime

        path = _weights()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            path.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
        self.states = minioslcc
        self.identity = EngineIdentity(
            "miniosl",
            Engine.Source.NETWORK,
            version("miniosl"),
            network=blake2b(path.read_bytes(), digest_size=6).hexdigest(),
        )

    def verdicts(self, positions: Sequence[SearchedPosition]) -> list[NewVerdict | None]:
        """Return the verdict on each position, None where no move is legal or the network cannot read it.

        A mate in one is stated instead of a score.
        """
        result: list[NewVerdict | None] = []
        for first in range(0, len(positions), _BATCH):
            result += self._batch([self._read(one) for one in positions[first : first + _BATCH]])
        return result

    def _read(self, searched: SearchedPosition) -> _Input | None:
        states = self.states
        try:
            start = states.usi_state(f"position sfen {searched.start}")
            state, history = states.usi_state(f"position sfen {searched.start}"), states.MoveVector()
            for name in searched.moves:
                move = state.to_move(name)
                history.append(move)
                state.make_move(move)
            planes = start.export_features(history)
        except (RuntimeError, ValueError):
            return None
        moves = {move.to_usi(): move.policy_move_label for move in state.genmove_full()}
        mate = state.try_checkmate_1ply()
        white = state.turn == states.white
        return _Input(planes, moves, mate.to_usi() if mate.is_normal() else "", white) if moves else None

    def _batch(self, inputs: Sequence[_Input | None]) -> Iterable[NewVerdict | None]:
        readable = [one for one in inputs if one is not None]
        if not readable:
            return [None] * len(inputs)
        policies, values, *_others = self.session.run(
            None, {"input": np.stack([one.planes for one in readable])}
        )
        verdicts = iter(
            one.verdict(policy, float(value[0]))
            for one, policy, value in zip(readable, policies, values, strict=True)
        )
        return [None if one is None else next(verdicts) for one in inputs]


class _Input(NamedTuple):
    """The planes of a position, the index of each legal move in the network's policy, a mate in one if there
    is any, and whether White is to move."""

    planes: NDArray[np.float32]
    moves: dict[str, int]
    mate: str
    white: bool

    def verdict(self, policy: NDArray[np.float32], value: float) -> NewVerdict:
        """Return the verdict by the logits of moves, and the value from -1 to 1 for the side to move."""
        shares = _softmax(policy[list(self.moves.values())])
        ranked = sorted(zip(shares, self.moves, strict=True), reverse=True)
        candidates = [(name, round(1000 * float(share))) for share, name in ranked[:CANDIDATES]]
        if self.mate:
            best = Line(None, int(self.white), 1, (self.mate,), 1000)
            candidates = []
        else:
            score = score_of(value)
            best = Line(-score if self.white else score, moves=(candidates[0][0],), policy=candidates[0][1])
        others = [
            Line(None, moves=(name,), policy=share) for name, share in candidates[1:] if share >= LEAST_POLICY
        ]
        return NewVerdict((best, *others), nodes=1, history=True)


def score_of(value: float) -> int:
    """Return the score of a value from -1, lost, to 1, won: the inverse of `chances.chance`.

    >>> score_of(0.0), score_of(0.5), score_of(-1.0)
    (0, 659, -4560)
    """
    return round(2 * PONANZA * atanh(min(max(value, -SURE), SURE)))


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(logits - logits.max())
    shares: NDArray[np.float32] = powers / powers.sum()
    return shares


@cache
def network() -> Network:
    """Return the network of this process, loaded at the first call."""
    return Network()


def _weights() -> Path:
    """Return the file of the weights. The package itself is not imported: it would want torch."""
    spec: Any = find_spec("miniosl")
    return Path(spec.origin).parent / "pretrained" / "eval.onnx"
