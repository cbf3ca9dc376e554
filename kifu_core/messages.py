"""The text of every issue and error code, in Japanese and English, filled from the finding's params."""

from typing import Final, Literal

from kifu_core.errors import Issue, KifuError, Params
from kifu_core.rule_names import listed

Language = Literal["ja", "en"]

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # bytes and formats
    "too-large": (
        "ファイルが大きすぎます（{bytes} バイト、上限 {limit} バイト）",
        "the file is too large ({bytes} bytes, at most {limit})",
    ),
    "bad-bytes": (
        "文字化けした部分があります（{text} として読みました）",
        "some bytes are not valid text (read as {text})",
    ),
    "double-encoded": (
        "文字コードを {text} と取り違えて保存し直されたテキストを元に戻しました",
        "the text had been misread as {text} and saved again; it was repaired",
    ),
    "misread": (
        "文字コードを {text} と取り違えて保存し直され、文字が失われたテキストのようです",
        "this looks like text that was misread as {text} and saved again, with characters lost",
    ),
    "bad-characters": (
        "使えない文字 {text} 個を置き換えました",
        "{text} invalid characters were replaced",
    ),
    "empty-file": ("ファイルが空です", "the file is empty"),
    "unknown-format": ("棋譜の形式がわかりません: {text}", "the record format was not recognised: {text}"),
    "is-address": (
        "これはページのアドレスです。そのページで棋譜をコピーして、貼り付けてください",
        "this is the address of a page; copy the record from that page and paste it",
    ),
    "is-picture": (
        "これは画像です（{text}）。棋譜として読めるのは文字のファイルだけで、画像の盤面は読めません",
        "this is a picture ({text}); records are texts, boards in pictures cannot be read",
    ),
    "is-document": (
        "これは {text} のファイルです。棋譜の文字をコピーして貼り付けてください",
        "this is a file for another program ({text}); copy the text of the record out of it and paste that",
    ),
    "is-container": (
        "これは書庫です（{text}）。中のファイルを取り出してから指定してください",
        "this is an archive ({text}); take the files out of it first",
    ),
    "no-files": ("フォルダーにファイルがありません", "there are no files in the folder"),
    "empty-container": ("書庫にファイルがありません", "there are no files in the container"),
    "bomb": (
        "圧縮率が異常に高いため展開しませんでした（上限 {ratio} 倍）",
        "it unpacks to more than {ratio} times its size and was not read",
    ),
    "entry-too-large": (
        "展開後のファイルが大きすぎます（上限 {limit} バイト）",
        "unpacked, the file is too large (at most {limit} bytes)",
    ),
    "too-many-entries": (
        "件数が多すぎるため、ここから先は読みませんでした（上限 {limit} 件）",
        "there are too many entries: nothing was read from here on (at most {limit})",
    ),
    "nested-too-deep": (
        "書庫の入れ子が深すぎます（上限 {limit} 段）",
        "containers are nested too deep (at most {limit} levels)",
    ),
    "encrypted": ("暗号化されているため読めません", "the file is encrypted"),
    "damaged": ("ファイルが壊れています: {text}", "the file is damaged: {text}"),
    "link": ("リンクは読みません", "links are not followed"),
    "unknown-compression": (
        "対応していない圧縮方式です: {text}",
        "this kind of compression cannot be read: {text}",
    ),
    "too-many-games": (
        "対局が多すぎるため、ここから先は読みませんでした（上限 {limit} 局）",
        "there are too many games: nothing was read from here on (at most {limit})",
    ),
    "more-issues": ("ほかに {count} 件の指摘があります", "{count} more findings"),
    # structure
    "no-moves": ("指し手も局面もありません", "there are no moves and no position"),
    "unknown-line": (
        "読めない行です: {text}（書けるもの: {expected}）",
        "this line cannot be read: {text} (expected: {expected})",
    ),
    "no-line-ends": (
        "改行がありません。行の始まりと思われるところで分けて読みました",
        "the text has no line ends; lines were taken to begin where they seem to",
    ),
    "rows-missing": (
        "手数が飛んでいます: {first}手目から{last}手目までの行がありません",
        "the numbers jump: the rows from {first} to {last} are missing",
    ),
    "bad-board-piece": (
        "局面図に駒以外の文字があります: {text}",
        "the drawn board has a text that is not a piece: {text}",
    ),
    "row-order": (
        "手数が戻っています: {due}手目の次が{number}手目です",
        "the numbers go back: {number} where {due} should be",
    ),
    "game-without-head": (
        "前の棋譜が終わらないうちに1手目に戻っているので、別の棋譜として読みました",
        "the numbers begin again although the game before has no ending: read as another game",
    ),
    "start-among-moves": (
        "前の棋譜が終わらないうちに対局者か開始局面の行があるので、別の棋譜として読みました",
        "a player or a start follows moves without an ending: read as another game",
    ),
    "repeated-header": (
        "「{name}」が2回以上あるので、改行でつなぎました",
        "{name} is given more than once: the values were joined",
    ),
    "no-board": (
        "手合割「{name}」に局面図がないため平手として読みました",
        "the handicap {name} has no board; read as an even game",
    ),
    "unknown-handicap": (
        "手合割「{name}」がわからず、局面図もありません（平手から指せる棋譜だけを平手として読みます）",
        "the handicap {name} is unknown and there is no board; only what fits an even game is read",
    ),
    "bad-board": (
        "局面図の {count} か所が正しくありません",
        "the drawn board is wrong at {count} places",
    ),
    "bad-board-rank": ("{rank} 段目のマスが {count} 個です", "rank {rank} has {count} squares"),
    "other-move-count": (
        "指し手は {said} 手のはずですが、{count} 手あります",
        "{said} moves are stated, but there are {count}",
    ),
    "book-move": (
        "定跡の手 {text} は指せません（{reason}）",
        "the book's move {text} cannot be played ({reason})",
    ),
    "packed-position": (
        "{number} 番目の局面が読めません（{bit} ビット目）",
        "position {number} cannot be read (bit {bit})",
    ),
    "packed-move": ("最善手 {text} は指せません", "the best move {text} cannot be played"),
    "packed-rest": ("最後に {count} バイト余りがあります", "{count} bytes are left over at the end"),
    "other-board": (
        "{width}×{height} の盤は本将棋のものではありません",
        "a board of {width} by {height} squares is not one of shogi",
    ),
    "unreadable-rank": ("{rank} 段目が読めません: {text}", "rank {rank} cannot be read: {text}"),
    "bad-position-object": ("局面のオブジェクトが正しくありません", "this object is not a position"),
    "bad-hand": ("持駒が読めません: {text}", "not a hand: {text}"),
    "bad-piece": ("駒の配置が正しくありません: {text}", "not a valid placement of pieces: {text}"),
    "side-mark": ("{ply}手目の手番の記号が逆です", "the side written at ply {ply} is not the side to move"),
    "variation-past-end": (
        "変化：{number}手 は本譜の続きです",
        "variation {number} continues its own line",
    ),
    "variation-without-move": (
        "変化：{number}手 に当たる手がありません",
        "there is no move {number} to vary",
    ),
    "variation-too-deep": (
        "変化：{number}手 は変化の入れ子が深すぎます",
        "variation {number} is nested too deep",
    ),
    # what is kept of a game
    "main-line-limit": (
        "本譜が長すぎるため、{ply}手目から先は読まずに文字のまま残しました（上限 {limit} 手）",
        "the main line is too long: from ply {ply} on it is kept as text only (at most {limit} plies)",
    ),
    "forks-limit": (
        "変化が多すぎるため、一部は読まずに文字のまま残しました（上限 {limit} 個）",
        "there are too many variations: some are kept only as text (at most {limit})",
    ),
    "fork-moves-limit": (
        "変化の手数の合計が多すぎるため、一部は読まずに文字のまま残しました（上限 {limit} 手）",
        "the variations hold too many moves: some are kept as text only (at most {limit} moves together)",
    ),
    "comments-limit": (
        "コメントが多すぎるため、一部は読み取れなかった部分に残しました（合計の上限 {limit} バイト）",
        "there are too many comments: some are kept with the unread text (at most {limit} bytes together)",
    ),
    "unknown-ending": ("終局の記号がわかりません: {word}", "an ending of an unknown kind: {word}"),
    "bad-time": ("消費時間が読めません: {text}", "not a time: {text}"),
    "total-mismatch": (
        "{ply}手目の累計時間が消費時間の合計と合いません（全{count}か所）",
        "ply {ply}: the total is not the sum of the side's times (number of such plies: {count})",
    ),
    "result-mismatch": (
        "結果の行「{text}」が終局と合いません",
        "the result line {text} contradicts the ending",
    ),
    # JSON
    "json": ("JSON として読めません: {text}", "not JSON: {text}"),
    "jkf-type": ("{path} の型が違います（{value}）", "{path} is of the wrong type ({value})"),
    "jkf-missing": ("{path} がありません", "{path} is missing"),
    "jkf-value": (
        "{path} の値が正しくありません（{value}）",
        "{path} has a value that is not allowed ({value})",
    ),
    "jkf-depth": ("{path} は入れ子が深すぎます", "{path} is nested too deep"),
    # moves
    "unreadable-move": (
        "{ply}手目の指し手が読めません: {text}（書けるもの: 指し手または終局）",
        "ply {ply} cannot be read: {text} (expected: a move or an ending)",
    ),
    "same-without-move": (
        "{ply}手目の「同」の前に指し手がありません",
        "ply {ply} says 同, but there is no move before it",
    ),
    "no-piece": ("{ply}手目の移動元に駒がありません", "ply {ply}: there is no such piece to move"),
    "wrong-side": ("{ply}手目は相手の駒を動かしています", "ply {ply} moves a piece of the other side"),
    "occupied": ("{ply}手目の移動先に駒があります", "ply {ply}: the square is taken"),
    "not-in-hand": ("{ply}手目に打つ駒が持駒にありません", "ply {ply} drops a piece that is not in hand"),
    "bad-drop": ("{ply}手目の駒は打てません", "ply {ply} drops a piece that cannot be dropped"),
    "bad-move": ("{ply}手目は指し手ではありません", "ply {ply} is not a move"),
    "ambiguous": ("{ply}手目に動ける駒が複数あります", "more than one piece can make the move of ply {ply}"),
    "source-inferred": (
        "{ply}手目に動ける駒が複数ありますが、後の指し手が続くのは{square}の駒だけなので、その駒が動いたとしました",
        "more than one piece can make the move of ply {ply}; only that on {square} lets the game go on",
    ),
    "piece-mismatch": (
        "{ply}手目の駒は「{written}」でなく「{found}」です",
        "ply {ply} is written as {written}, but {found} stands there",
    ),
    "unreachable": ("{ply}手目の駒はそこへ動けません", "ply {ply}: the piece does not move like that"),
    "bad-promote": ("{ply}手目は成れません", "ply {ply} promotes where it cannot"),
    "must-promote": ("{ply}手目は成らなければなりません", "ply {ply} must promote"),
    "dead-drop": ("{ply}手目は行き所のない駒です", "ply {ply} drops a piece that could never move"),
    "nifu": ("{ply}手目は二歩です", "ply {ply} drops a second pawn on a file (nifu)"),
    "king-taken": ("{ply}手目は玉を取っています", "ply {ply} captures a king"),
    "self-check": ("{ply}手目は自玉に王手がかかります", "ply {ply} leaves its own king in check"),
    "uchifuzume": ("{ply}手目は打ち歩詰めです", "ply {ply} mates with a dropped pawn (uchifuzume)"),
    "fourfold": (
        "{ply}手目で同一局面が4回現れ、千日手です",
        "ply {ply} repeats a position for the fourth time",
    ),
    "perpetual-check": (
        "{ply}手目で連続王手の千日手です",
        "ply {ply} repeats a position for the fourth time by perpetual check",
    ),
    # writing
    "unencodable-character": (
        "「{text}」は {encoding} にない文字です",
        "{text} does not exist in {encoding}",
    ),
    "no-such-ply": (
        "{number}手目はありません（{last}手まで）",
        "there is no ply {number}, the last is {last}",
    ),
    "one-game-a-file": (
        "{format} 形式のファイルには 1 局しか書けません。--output でフォルダーを指定してください",
        "a {format} file holds one game only: name a folder with --output",
    ),
    "would-overwrite": (
        "元のファイル {path} を上書きするため書きませんでした",
        "{path} is one of the sources and was not overwritten",
    ),
    "same-output": (
        "{other} と出力ファイル名が同じ {path} になるため、何も書きませんでした",
        "its output would have the name {path}, like that of {other}: nothing was written",
    ),
    "file-exists": (
        "{path} はすでにあります。上書きするには --force を付けてください",
        "{path} exists and was not overwritten (--force overwrites)",
    ),
    # what a format has no place for
    "lost-headers": ("{format} 形式では {count} 個のヘッダーが失われます", "{format} loses {count} headers"),
    "lost-moves": ("{format} 形式では {count} 手の指し手が失われます", "{format} loses {count} moves"),
    "lost-times": ("{format} 形式では {count} 手の消費時間が失われます", "{format} loses {count} times"),
    "lost-totals": (
        "{format} 形式では消費時間の合計と合わない累計時間 {count} 個が失われます",
        "{format} loses {count} totals that are not the sums of the times",
    ),
    "lost-fractions": (
        "{format} 形式では {count} 手の秒未満の時間が失われます",
        "{format} loses fractions of seconds of {count} times",
    ),
    "lost-comments": (
        "{format} 形式では {count} 行のコメントが失われます",
        "{format} loses {count} comments",
    ),
    "lost-bookmarks": (
        "{format} 形式では {count} 個のしおりが失われます",
        "{format} loses {count} bookmarks",
    ),
    "lost-forks": ("{format} 形式では {count} 個の変化が失われます", "{format} loses {count} variations"),
    "lost-ending": (
        "{format} 形式では {count} 個の終局について、種類・勝者・位置のどれかが失われます",
        "{format} cannot tell {count} of the endings, who won by them, or where they stood",
    ),
    "ending-in-remark": (
        "{format} 形式では {count} 個の終局が注記（#）になります。他のソフトは読みません",
        "{format} tells {count} of the endings in remarks, which other programs do not read",
    ),
    # position codes, SFEN, USI, USEN
    "empty": ("コードが空です", "the code is empty"),
    "too-long": ("コードが長すぎます（{length} 文字）", "the code is too long ({length} characters)"),
    "bad-char": (
        "コードに使えない文字があります: {char}",
        "a character that is not allowed in a code: {char}",
    ),
    "truncated": (
        "コードが途中で切れています。最後までコピーされているか確かめてください",
        "the code ends inside {field}; was it copied to its end?",
    ),
    "trailing-chars": (
        "コードの後ろに余分な文字があります",
        "there are characters after the end of the code",
    ),
    "nonzero-padding": (
        "コードの終わりのビットが 0 ではありません",
        "the bits after the end of the code are not zero",
    ),
    "noncanonical-mode": (
        "この局面のコードは別の書き方をします",
        "Mixed mode for a position that does not need it",
    ),
    "king-range": ("玉の座標 {coordinate} は盤の外です", "a king on {coordinate}, which is not a square"),
    "overlap": ("{square} に駒が重なっています", "two pieces on {square}"),
    "unencodable": ("この局面はコードで表せません", "the position has no code"),
    "sfen-fields": ("SFEN の項目の数が違います（{count}）", "an SFEN has 3 or 4 fields, not {count}"),
    "sfen-board": ("SFEN の盤面が正しくありません: {text}", "not an SFEN board: {text}"),
    "sfen-turn": ("SFEN の手番が正しくありません: {text}", "the side to move is b or w, not {text}"),
    "sfen-hands": ("SFEN の持駒が正しくありません: {text}", "not an SFEN hand: {text}"),
    "sfen-number": ("SFEN の手数が正しくありません: {text}", "not a move number: {text}"),
    # qf_code and the other formats of Quoridor
    "other-game": ("{game} の棋譜は {format} 形式では書けません", "{format} is not a format of {game}"),
    "no-content": ("局面も棋譜も含まないコードです", "the code holds neither a position nor a record"),
    "pawn-range": ("駒の位置 {square} は盤の外です", "a pawn on {square}, which is not a square"),
    "pawn-overlap": ("二つの駒が同じマスにあります", "both pawns are on one square"),
    "wall-count": ("板は一人10枚までです", "a player has only ten walls"),
    "wall-conflict": (
        "板 {move} がほかの板と重なるか交差しています",
        "the wall {move} overlaps or crosses another",
    ),
    "last-move-wall": (
        "最後に置いたはずの板 {place} がありません",
        "the wall {place} was placed last, but is not there",
    ),
    "off-board": ("{ply}手目は盤の外へ出ます", "ply {ply} leaves the board"),
    "illegal-move": (
        "{ply}手目 {move} は駒の動きではありません",
        "ply {ply}: the pawn cannot move to {move}",
    ),
    "turn-range": (
        "手数の番号 {number} は 0～1023 ではありません",
        "the turn number {number} is not one of 0 to 1023",
    ),
    "too-many-plies": (
        "{count} 手は長すぎてコードにできません（上限 {limit} 手）",
        "{count} moves are more than a code holds ({limit})",
    ),
    "not-a-position": ("局面だけのコードではありません", "the code is not that of a position alone"),
    "start-snapshot": (
        "初期配置のスナップショットを白番の開始局面として読みました",
        "a snapshot of the start was read with White to move",
    ),
    "no-path": (
        "ゴールへの道がなくなっています（{ply}手目）",
        "after ply {ply}, a pawn has no path to its goal",
    ),
    "after-win": ("{ply}手目は決着後の手です", "ply {ply} was played after the game was won"),
    "unsorted": (
        "板の並びが昇順ではなかったので直しました",
        "the walls were not listed in order; they are now",
    ),
    "parity": (
        "手番と手数の番号 {number} が合いません",
        "the turn number {number} does not fit the side to move",
    ),
    "from-mismatch": (
        "{ply}手目の移動元は {written} でなく {found} です",
        "ply {ply} is written as coming from {written}, but the pawn stands on {found}",
    ),
    "after-ending": ("{ply}手目より前に終局しています", "the record ended before ply {ply}"),
    "origin-unclear": (
        "左下 a1・左上 a1 のどちらとしても読めるため {text} として読みました",
        "readable with a1 at the lower left and at the upper left; read as {text}",
    ),
    "top-left-origin": ("a1 を左上とする表記として読みました", "read as written with a1 at the upper left"),
    "dropped-characters": (
        "コードに使えない文字 {count} 個を取り除きました",
        "{count} characters that are not allowed in a code were dropped",
    ),
    "unclosed": ("{text} が閉じられていません", "{text} is never closed"),
    "bad-quoridor-move": ("マスでも板でもありません: {text}", "neither a square nor a wall: {text}"),
    "usen-line": ("USEN の手順ではありません: {text}", "not a line of play in USEN: {text}"),
    "bad-usi-move": ("USI の指し手ではありません: {text}", "not a USI move: {text}"),
    # patterns
    "pattern-long": (
        "部分図の文が長すぎます（上限 {limit} 文字）",
        "the pattern is too long (at most {limit} characters)",
    ),
    "pattern-nothing": ("ここに駒か条件が必要です", "expected: a piece on a square or a condition"),
    "pattern-steps": ("ステップが多すぎます（上限 {limit}）", "too many steps (at most {limit})"),
    "pattern-item": (
        "部分図として読めません: {text}（例: 9九玉、K9i、-5e、hand:B、turn:own）",
        "not a part of a pattern: {text} (such as K9i, -5e, hand:B, turn:own)",
    ),
    "pattern-open": (
        "「{text}」が閉じられていません（{{金,銀}}7八 のように、途中に空白を入れずに書きます）",
        "{text} is never closed (write {{G,S}}7h, without blanks)",
    ),
    "pattern-empty": (
        "「{text}」の後に書くものがありません（書けるもの: {values}）",
        "nothing follows “{text}”, which takes {values}",
    ),
    "pattern-pieces": (
        "駒ではありません: {text}（大文字は自分、小文字は相手、X は自分の駒、x は相手の駒、- は空き）",
        "not a piece: {text} (upper case is yours, lower case the opponent's, X and x any piece, - empty)",
    ),
    "pattern-square": (
        "マスではありません: {text}（1一 から 9九、1a から 9i）",
        "not a square: {text} (1a to 9i)",
    ),
    "pattern-counts": (
        "駒と枚数ではありません: {text}（例: B、P>=3、r=0）",
        "not a piece and its number: {text} (such as B, P>=3, r=0)",
    ),
    "pattern-value": ("ここに書けるのは {values} です: {text}", "expected {values}, not {text}"),
    "pattern-twice": ("条件 {text} が二度書かれています", "the condition {text} is given twice"),
    "pattern-never": ("満たせない条件です: {text}", "nothing can fulfil this: {text}"),
}
"""Code -> (Japanese, English). `{ply}` is the finding's own, the other fields are its params."""


class _Params(dict[str, str | int]):
    """Params in which a missing field shows as `?`: a text must never fail to appear."""

    def __missing__(self, key: str) -> str:
        return "?"


def message(finding: Issue | KifuError | str, params: Params | None = None, language: Language = "ja") -> str:
    """Return the text of an issue, an error or a bare code.

    A code without a text (a newer writer's) is shown as it is, so that no finding is ever hidden.
    """
    code = finding if isinstance(finding, str) else finding.code
    values = params if params is not None or isinstance(finding, str) else finding.params
    filled = _Params(values or {})
    if "expected" in filled:
        filled["expected"] = listed(str(filled["expected"]), language)
    if not isinstance(finding, str) and finding.ply is not None:
        filled.setdefault("ply", finding.ply)
    texts = TEXTS.get(code)
    if texts is None:
        return code
    return texts[0 if language == "ja" else 1].format_map(filled)
