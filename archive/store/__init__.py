"""The only code that writes and deletes uploads, entries, games and the position index.

Each function runs in a transaction of its own, or in several that the next call continues. Thus it may be
interrupted at any time, and called again after it has succeeded. Other packages use only the names in
`__all__`.
"""

from archive.store.abandoned import end_abandoned
from archive.store.apply import IndexDamagedError
from archive.store.batches import ClaimLostError, ReadBatch, StoredCounts, store_batches
from archive.store.changes import CHANGES_AT_ONCE, number_changes, number_committed, restart_changes
from archive.store.corrections import (
    Author,
    BatchMovedError,
    apply_correction,
    correct_games,
    propose_correction,
    undo_corrections,
    undo_games,
)
from archive.store.deletion import begin_deletion, delete_upload, unfinished_deletions
from archive.store.game_analyses import fit_engine, is_fit_due, mark_anew, write_analyses
from archive.store.games import delete_games, find_formations, reindex_games
from archive.store.leases import (
    MOST_QUEUE_PLACES,
    RenumberedError,
    claim,
    claim_others,
    finish,
    hand_over,
    holds,
    is_small,
    longest_waiting,
    queue,
    reread,
    reread_renumbered,
    retry,
    sweep,
    uncount_try,
    unfinished,
)
from archive.store.moving import TakenDownError, begin_move, move_game, move_upload, unfinished_moves
from archive.store.people import (
    accept_name,
    correct_name,
    restore_name,
    settle_names,
    undo_name,
    write_searched_names,
)
from archive.store.plan import SameGameError
from archive.store.problems import GameProblems, forget_problems, write_problems, write_soundness
from archive.store.restoring import Restored, UnknownIndexError, restore_records
from archive.store.taken_down import release_held, restore_games
from archive.store.uploads import (
    UploadEmpty,
    UploadTooLarge,
    add_paths,
    admit,
    create_upload,
    create_uploads,
)
from archive.store.verdicts import EngineIdentity, engine_of, write_first_opinion, write_verdicts

__all__ = [
    "CHANGES_AT_ONCE", "MOST_QUEUE_PLACES", "Author", "BatchMovedError", "ClaimLostError",
    "EngineIdentity", "GameProblems", "IndexDamagedError", "ReadBatch", "RenumberedError", "Restored",
    "SameGameError", "StoredCounts", "TakenDownError", "UnknownIndexError", "UploadEmpty",
    "UploadTooLarge", "accept_name", "add_paths", "admit", "apply_correction", "begin_deletion",
    "begin_move", "claim", "claim_others", "correct_games", "correct_name", "create_upload",
    "create_uploads", "delete_games", "delete_upload", "end_abandoned", "engine_of", "find_formations",
    "finish", "fit_engine", "forget_problems", "hand_over", "holds", "is_fit_due", "is_small",
    "longest_waiting", "mark_anew", "move_game", "move_upload", "number_changes", "number_committed",
    "propose_correction", "queue", "reindex_games", "release_held", "reread", "reread_renumbered",
    "restart_changes", "restore_games", "restore_name", "restore_records", "retry", "settle_names",
    "store_batches", "sweep", "uncount_try", "undo_corrections", "undo_games", "undo_name", "unfinished",
    "unfinished_deletions", "unfinished_moves", "write_analyses", "write_first_opinion", "write_problems",
    "write_searched_names", "write_soundness", "write_verdicts",
]  # fmt: skip
