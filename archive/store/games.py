"""Deletes and reindexes stored games."""

from collections.abc import Iterable

from django.db.models import F

from archive.derive import formations, series, text
from archive.derive.game import index_rows
from archive.models import Entry, Game
from archive.store import apply, deletion, taken_down
from archive.store.change import Change, run
from archive.store.game_analyses import renew_analyses
from archive.store.verdicts import write_record_verdicts


def delete_games(ids: Iterable[int], *, hide_bytes: bool = False) -> int:
    """Delete games; return their number.

    Their entries stay with their records, marked as deleted; their bytes stay readable, or are hidden.
    Entries that bring these games again are held; the games can be restored (`archive.store.taken_down`).
    Raises IndexDamagedError, UndecidedError.
    """
    ids = list(ids)

    def work(change: Change) -> int:
        games = _locked(ids)
        taken_down.remember(games, hidden=hide_bytes)
        hidden = {"hidden": True} if hide_bytes else {}
        apply.keep_own_records(games)
        entries = Entry.objects.filter(game__in=games)
        entries.update(taken_from=F("game"), game=None, state=Entry.State.DELETED, **hidden)
        deletion.drop(change, games)
        change.write_counters()
        apply.count_departures(game.space for game in games)
        return len(games)

    return run((), work, decided=True)


def _locked(ids: Iterable[int]) -> list[Game]:
    return list(Game.objects.select_for_update().filter(pk__in=ids).order_by("pk"))


def reindex_games(ids: Iterable[int], *, scan: bool = False) -> int:
    """Reindex stored games from their records, in new slots; return their number.

    With `scan` the old rows are searched in complete segments, which repairs IndexDamagedError; raises
    UndecidedError then.
    """
    ids = list(ids)

    def work(change: Change) -> int:
        games = _locked(ids)
        for game in games:
            record = game.jkf
            indexed = index_rows(record, game.kind, game.space)
            apply.reindex_game(change, game, indexed, scan=scan)
            game_series = series.series_of(record, game.header_data)
            apply.write_series({game.pk: series.pack(game_series)})
            write_record_verdicts([(game, record, game_series.evaluations)])
            apply.write_texts({game.pk: text.text(record)})
            apply.write_formations({game.slot: formations.formation_rows(record, game.record_kind)})
            analysed = renew_analyses([game.pk]) > 0
            features = text.features(record, evaluated=bool(game_series.evaluations) or analysed)
            if features != game.features:
                change.note(game.space, game.pk)
            game.features = features
            game.formations_version = formations.VERSION
            game.save(update_fields=["features", "formations_version"])
        change.write_rows()
        change.write_counters()
        return len(games)

    return run((), work, decided=scan)


def find_formations(ids: Iterable[int]) -> int:
    """Find the castles and openings of stored games again; return the number of games."""
    ids = list(ids)

    def work(_change: Change) -> int:
        games = _locked(ids)
        apply.write_formations(
            {game.slot: formations.formation_rows(game.jkf, game.record_kind) for game in games}
        )
        Game.objects.filter(pk__in=[game.pk for game in games]).update(formations_version=formations.VERSION)
        return len(games)

    return run((), work)
