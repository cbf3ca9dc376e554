"""The only code that writes and deletes uploads, entries, games and the position index.

Every function is a transaction of its own: killed anywhere, it leaves nothing behind; run again, it changes
nothing. Others use only the names listed here.
"""

from archive.store.abandoned import end_abandoned
from archive.store.apply import IndexDamagedError
from archive.store.batches import ClaimLostError, ReadBatch, StoredCounts, store_batches
from archive.store.deletion import begin_deletion, delete_upload, left_deleting
from archive.store.games import delete_games, find_formations, reindex_games
from archive.store.leases import (
    QUEUE_SHOWN,
    RenumberedError,
    claim,
    claim_others,
    finish,
    hand_over,
    holds,
    is_small,
    lives,
    longest_waiting,
    queue,
    reread,
    reread_renumbered,
    retry,
    sweep,
    unfinished,
)
from archive.store.moving import TakenDownError, begin_move, left_moving, move_game, move_upload
from archive.store.restoring import Restored, UnknownIndexError, restore_records
from archive.store.taken_down import let_in
from archive.store.uploads import (
    UploadEmpty,
    UploadTooLarge,
    admit,
    create_upload,
    create_uploads,
    keep_paths,
)

__all__ = [
    "QUEUE_SHOWN",
    "ClaimLostError",
    "IndexDamagedError",
    "ReadBatch",
    "RenumberedError",
    "Restored",
    "StoredCounts",
    "TakenDownError",
    "UnknownIndexError",
    "UploadEmpty",
    "UploadTooLarge",
    "admit",
    "begin_deletion",
    "begin_move",
    "claim",
    "claim_others",
    "create_upload",
    "create_uploads",
    "delete_games",
    "delete_upload",
    "end_abandoned",
    "find_formations",
    "finish",
    "hand_over",
    "holds",
    "is_small",
    "keep_paths",
    "left_deleting",
    "left_moving",
    "let_in",
    "lives",
    "longest_waiting",
    "move_game",
    "move_upload",
    "queue",
    "reindex_games",
    "reread",
    "reread_renumbered",
    "restore_records",
    "retry",
    "store_batches",
    "sweep",
    "unfinished",
]
