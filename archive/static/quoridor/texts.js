// @ts-check
/** Written by `python -m tools.texts` from the catalogue of the pages and from kifu_core. */

/** Texts of the modules of this folder: English to Japanese. @type {Record<string, string>} */
export const TRANSLATIONS = {
  "Arrow keys move; H, V and P choose a horizontal wall, a vertical wall, the pawn; Enter plays.": "矢印キーで移動、H・V・Pで横の板・縦の板・駒を選び、Enterで指す。",
  "B and N go back and on, U takes back.": "B・Nで戻る・進む、Uで取り消し。",
  "Black's name": "黒の対局者",
  "Board": "盤面",
  "Code": "コード",
  "Copy the link": "リンクをコピー",
  "Copy the link from the field.": "欄のリンクをコピーしてください。",
  "It could not be saved.": "保存できませんでした。",
  "Loaded. Moves: {count}.": "読み込みました（{count}手）。",
  "Look this position up": "この局面を調べる",
  "Move {ply}: {reason}": "{ply}手目：{reason}",
  "No walls left": "板は残っていません",
  "Nothing was played, so nothing is recorded.": "記録する手がありません。",
  "Open in the archive": "アーカイブで開く",
  "Place {move}": "{move} を置く",
  "Quoridor board": "コリドールの盤",
  "Recording": "記録中",
  "Save": "保存する",
  "Save the game": "棋譜を保存",
  "Saved.": "保存しました。",
  "See the saved record": "保存した棋譜を見る",
  "The game is over": "勝負はついています",
  "The link is copied.": "リンクをコピーしました。",
  "This code cannot be shown: {reason}": "このコードは表示できません：{reason}",
  "White's name": "白の対局者",
  "all walls in one colour": "板の色を区別しない",
  "back to the start position, all moves cleared": "最初の配置に戻す",
  "begin and end recording moves": "手順の記録を始める・終える",
  "load the code": "コードを読み込む",
  "mark the last move": "最後の手を示す",
  "no way": "道なし",
  "one move back": "一手戻る",
  "one move on": "一手進む",
  "take the last action back": "直前の操作を取り消す",
  "turn the board": "盤を回転する",
  "write the code of the position": "局面のコードを書き出す",
  "{place}: another wall is in the way": "{place} には置けません（他の板と重なる）",
  "{place}: it would close {side}'s last way": "{place} は置けません（{side}の道が全てふさがる）",
  "{place}: the pawn cannot go there": "{place} へは動けません",
  "{steps} to go": "あと{steps}歩",
};

/** What is wrong with a code, or odd. @type {Record<string, Record<"ja" | "en", string>>} */
export const MESSAGES = {
  "after-win": {"ja": "{ply}手目は決着後の手です", "en": "ply {ply} was played after the game was won"},
  "bad-char": {"ja": "コードに使えない文字があります: {char}", "en": "a character that is not allowed in a code: {char}"},
  "dropped-characters": {"ja": "コードに使えない文字 {count} 個を取り除きました", "en": "characters that are not allowed in a code were dropped: {count}"},
  "empty": {"ja": "コードが空です", "en": "the code is empty"},
  "illegal-move": {"ja": "{ply}手目 {move} は駒の動きではありません", "en": "ply {ply}: the pawn cannot move to {move}"},
  "last-move-wall": {"ja": "最後に置いたはずの板 {place} がありません", "en": "the wall {place} was placed last, but is not there"},
  "no-content": {"ja": "局面も棋譜も含まないコードです", "en": "the code holds neither a position nor a record"},
  "no-path": {"ja": "ゴールへの道がなくなっています（{ply}手目）", "en": "after ply {ply}, a pawn has no path to its goal"},
  "nonzero-padding": {"ja": "コードの終わりのビットが 0 ではありません", "en": "the bits after the end of the code are not zero"},
  "off-board": {"ja": "{ply}手目は盤の外へ出ます", "en": "ply {ply} leaves the board"},
  "parity": {"ja": "手番と手数の番号 {number} が合いません", "en": "the turn number {number} does not fit the side to move"},
  "pawn-overlap": {"ja": "二つの駒が同じマスにあります", "en": "both pawns are on one square"},
  "pawn-range": {"ja": "駒の位置 {square} は盤の外です", "en": "a pawn on {square}, which is not a square"},
  "start-snapshot": {"ja": "初期配置のスナップショットを白番の開始局面として読みました", "en": "a snapshot of the start was read with White to move"},
  "too-long": {"ja": "コードが長すぎます（{length} 文字）", "en": "the code is too long ({length} characters)"},
  "too-many-plies": {"ja": "{count} 手は長すぎてコードにできません（上限 {limit} 手）", "en": "{count} moves are more than a code holds ({limit})"},
  "trailing-chars": {"ja": "コードの後ろに余分な文字があります", "en": "there are characters after the end of the code"},
  "truncated": {"ja": "コードが途中で切れています。最後までコピーされているか確かめてください", "en": "the code ends inside {field}; was it copied to its end?"},
  "turn-range": {"ja": "手数の番号 {number} は 0～1023 ではありません", "en": "the turn number {number} is not one of 0 to 1023"},
  "unsorted": {"ja": "板の並びが昇順ではなかったので直しました", "en": "the walls were not listed in order; they are now"},
  "wall-conflict": {"ja": "板 {move} がほかの板と重なるか交差しています", "en": "the wall {move} overlaps or crosses another"},
  "wall-count": {"ja": "板は一人10枚までです", "en": "a player has only ten walls"},
};

/** By colour. */
export const SIDES = {
  "ja": ["白", "黒"],
  "en": ["White", "Black"],
};

/** Words for describing positions. */
export const PHRASES = {
  "ja": {"to_move": "{side}番", "won": "{side}の勝ち", "side": "{side}：駒{square}、残りの板{left}枚、置いた板：{walls}", "comma": "、", "none": "なし"},
  "en": {"to_move": "{side} to move", "won": "{side} has won", "side": "{side}: pawn {square}, walls left: {left}, walls placed: {walls}", "comma": ", ", "none": "none"},
};
