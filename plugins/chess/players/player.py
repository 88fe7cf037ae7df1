#!/usr/bin/env python3
"""A player of chess that takes the best piece it can, and otherwise moves at random. It never
castles or captures en passant, and after 40 moves it offers draws."""

import os
import random
import sys

USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
VALUES = {"": 0, "P": 1, "N": 3, "B": 3, "R": 5, "Q": 9, "K": 100}
STRAIGHT = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
WAYS = {"N": JUMPS, "B": DIAGONAL, "R": STRAIGHT, "Q": STRAIGHT + DIAGONAL, "K": STRAIGHT + DIAGONAL}


def place(fen):
    """The piece on each square, "" if it is free, and the side to move."""
    board = {c + r: "" for c in "abcdefgh" for r in "12345678"}
    rows, turn = fen.split()[:2]
    for row, text in zip("87654321", rows.split("/")):
        for digit in "12345678":
            text = text.replace(digit, " " * int(digit))
        for column, piece in zip("abcdefgh", text):
            board[column + row] = piece.strip()
    return board, "wb".index(turn)


def beside(square, right, up):
    return chr(ord(square[0]) + right) + chr(ord(square[1]) + up)


def owner(piece):
    return 0 if piece.isupper() else 1


def targets(board, start):
    """The squares to which a piece can move, if its king does not matter."""
    piece, side = board[start].upper(), owner(board[start])
    if piece == "P":
        up = 1 if side == 0 else -1
        for right in (-1, 1):
            end = beside(start, right, up)
            if board.get(end) and owner(board[end]) != side:
                yield end
        end = beside(start, 0, up)
        if board[end] == "":
            yield end
            far = beside(end, 0, up)
            if start[1] == "27"[side] and board[far] == "":
                yield far
        return
    for right, up in WAYS[piece]:
        end = beside(start, right, up)
        while end in board:
            if board[end] == "" or owner(board[end]) != side:
                yield end
            if board[end] or piece in "KN":
                break
            end = beside(end, right, up)


def legal(board, side):
    """The moves after which the own king is not attacked."""
    for start in board:
        if board[start] and owner(board[start]) == side:
            for end in list(targets(board, start)):
                after = dict(board)
                after[start], after[end] = "", board[start]
                king = next(s for s in after if after[s] == "Kk"[side])
                if not any(after[s] and owner(after[s]) != side and king in targets(after, s) for s in after):
                    yield start, end


def play(board, words):
    """Makes an announced move."""
    promoted = {"queen": "Q", "rook": "R", "bishop": "B", "knight": "N"}.get(words[-1])
    squares = [w for w in words if w in board]
    for start, end in zip(squares[::2], squares[1::2]):  # castling has two moves
        piece = board[start]
        if promoted:
            piece = promoted if piece.isupper() else promoted.lower()
        if words[0] == "enpassant":
            board[end[0] + start[1]] = ""
        board[start], board[end] = "", piece


def main():
    if "COCO_PIPEIN" in os.environ:
        receive = open(os.environ["COCO_PIPEIN"])
        send = open(os.environ["COCO_PIPEOUT"], "w")
    else:
        receive, send = sys.stdin, sys.stdout

    def write(line):
        print(line, file=send, flush=True)

    receive.readline()  # name of White
    receive.readline()  # name of Black
    line = receive.readline().strip()
    board, side = place(USUAL)
    if line.startswith("START"):
        board, side = place(line[len("START <"):-1])
        line = receive.readline()
    me = int(line)
    moved, offered = 0, False
    while True:
        moves = list(legal(board, side)) if side == me else []
        if moves and moved >= 40 and not offered:
            write("DRAW")
            offered = True
        elif moves:
            random.shuffle(moves)
            start, end = max(moves, key=lambda move: VALUES[board[move[1]].upper()])
            last = board[start] in "Pp" and end[1] in "18"
            write(f"promote {start} {end} queen" if last else f"{start} {end}")
            moved, offered = moved + 1, False
        line = receive.readline().strip()
        while line == "DRAW <PROPOSED>":
            if side != me:
                write("DRAW")  # accept
            line = receive.readline().strip()
        if line.startswith("OK"):
            play(board, line[len("OK <"):-1].split("> <"))
            side = 1 - side
        elif line != "DRAW <REFUSED>":
            return  # the match is over


main()
