"""The names of grammar rules in messages and in the documentation."""

from typing import Final

NAMES: Final[dict[str, tuple[str, str]]] = {
    # KIF, KI2, BOD
    "rows": ("指し手の行", "rows of moves"),
    "moves": ("指し手", "moves"),
    "row": ("指し手の行", "a row: a move or an ending with its number and time"),
    "number": ("手数", "the number of a move"),
    "text": ("指し手または終局", "a move or an ending"),
    "move": ("指し手", "a move"),
    "ending": ("終局", "an ending"),
    "clock": ("消費時間", "a time, with the side's total"),
    "time": ("消費時間", "a time"),
    "header": ("ヘッダー", "a header"),
    "comment": ("コメント", "a comment"),
    "blank": ("空行", "blank lines"),
    "variation": ("変化", "the line that begins a variation"),
    "result": ("結果", "the line with the result"),
    "remark": ("注記", "a line that is no part of the record"),
    "separator": ("見出しの行", "the line between headers and moves"),
    "bookmark": ("しおり", "a bookmark"),
    "hand": ("持駒", "the pieces in a hand"),
    "hand_item": ("持駒の一種", "a kind of piece in a hand, with its number"),
    "board": ("局面図", "a drawn board"),
    "board_row": ("局面図の段", "a rank of a drawn board"),
    "board_edge": ("局面図の枠", "the edge of a drawn board"),
    "cell": ("マス", "a square of a drawn board"),
    "side": ("対局者", "a side"),
    "side_to_move": ("手番", "the side to move"),
    "flip": ("盤面反転", "the direction of the board"),
    "move_counter": ("手数＝", "the caption of a diagram"),
    "line_end": ("行末", "the end of a line"),
    "unknown": ("その他の行", "any other line, which is reported"),
    # KI2
    "move_line": ("指し手の行", "a line of moves"),
    "bare_line": ("印のない指し手の行", "a line of moves without marks"),
    "token": ("指し手", "a move with its mark"),
    # CSA
    "version": ("バージョン", "the version"),
    "player": ("対局者名", "a player's name"),
    "information": ("棋譜情報", "information about the game"),
    "start_even": ("平手初期配置", "the even start, less some pieces"),
    "board_rank": ("一段分の配置", "a rank of the start"),
    "pieces": ("駒別の配置", "single pieces of the start"),
    "turn": ("手番", "the side that begins"),
    "statement": ("指し手と消費時間", "a move with its time"),
    "statement_end": ("区切り", "a comma or the end of a line"),
    "left": ("残り時間", "the seconds left on the clock"),
    "result_word": ("結果の語", "a word of a server for the result"),
    "late_time": ("消費時間", "a time on a line of its own"),
    # USI, USEN
    "game": ("局面と指し手", "a position with moves"),
    "next_game": ("対局の区切り", "the line between games"),
    # move lists of Quoridor
    "list_moves": ("指し手", "moves"),
    "list_comment": ("コメント", "a comment"),
    "qf_code": ("qf_code", "a qf_code"),
}
"""Rule -> (Japanese, English)."""


def listed(names: str, language: str) -> str:
    """Return rules in a reader's words, from their identifiers with commas between."""
    pairs = (NAMES.get(name, (name, name)) for name in names.split(","))
    texts = dict.fromkeys(pair[0 if language == "ja" else 1] for pair in pairs)
    return ("、" if language == "ja" else ", ").join(texts)
