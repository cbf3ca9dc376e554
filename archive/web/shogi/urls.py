"""The pages that only shogi has."""

from archive.http.limits.rules import editor, reading, search
from archive.web.lists.feeds import feed_of
from archive.web.routes import account_page, cached_page, page
from archive.web.shogi import browser_engine, editing, entering, formations, patterns, problems

urlpatterns = [
    page("games/new/", entering.new_game, "game-new", cost=1),
    account_page("games/<int:game_id>/edit/", entering.correct, "game-edit", cost=1),
    account_page("drafts/", entering.drafts, "drafts", cost=1),
    account_page("drafts/<int:draft_id>/", entering.draft, "draft", cost=1),
    cached_page("formations/", formations.formations, "formations", cost=2),
    cached_page("formations/<slug:formation>/", formations.one_formation, "formation", cost=2),
    cached_page("problems/", problems.shogi_problems, "problems", cost=search),
    page("problems/daily/", problems.problem_of_day, "problem-of-day", cost=2),
    page("problems/known/", problems.known, "problems-known", cost=reading),
    account_page("problems/progress/", problems.progress, "problem-progress", cost=2),
    cached_page("problems/<int:problem_id>/", problems.problem, "problem", cost=2),
    page("problems.atom", feed_of(problems.feed), "problems-feed", cost=5, access="anybody"),
    page("engine/<str:path>", browser_engine.engine_file, "engine-file", access="anybody"),
    page("patterns/", patterns.patterns, "patterns", cost=20, cached=True),
    page("positions/shogi/edit/", editing.edit, "position-edit", cost=editor),
    page("positions/shogi/<str:code>/bod/", editing.bod, "position-bod", cost=1),
]
