"""The messages of game.proto, version 1. sdk/wire/game.proto describes them."""

from .protobuf import BOOL, DOUBLE, FIXED64, LINE, MAP, STRING, UINT, Message, Optional

# Enumerations.
INT, FLOAT, CHOICE, TEXT = 1, 2, 3, 4
ANSWERED, TIMEOUT, DISCONNECTED = 0, 1, 2
SEAT, SPECTATORS, ALL, OTHERS = 0, 1, 2, 3

Empty = Message()
Param = Message(
    name=(1, STRING), description=(2, STRING), default_value=(3, STRING), kind=(4, UINT),
    min=(5, DOUBLE), max=(6, DOUBLE), choices=(7, [STRING]),
)
Description = Message(
    name=(1, STRING), title=(2, STRING), rules=(3, STRING), min_players=(4, UINT), max_players=(5, UINT),
    max_bots=(6, UINT), timeout=(7, DOUBLE), params=(8, [Param]), delay=(9, DOUBLE), frames=(10, BOOL),
    ponder=(11, BOOL), max_line=(12, UINT),
)
PrepareRequest = Message(players=(1, Optional(UINT)), bots=(2, UINT), timeout=(3, Optional(DOUBLE)), args=(4, MAP))
PrepareReply = Message(refusal=(1, STRING), players=(2, UINT), timeout=(3, DOUBLE), params=(4, MAP))
Answer = Message(seat=(1, UINT), line=(2, LINE), outcome=(3, UINT), at_ms=(4, UINT), note=(5, STRING), left_ms=(6, UINT))
Seat = Message(name=(1, STRING), bot=(2, BOOL), bank=(3, DOUBLE), increment=(4, DOUBLE), level=(5, STRING), hints=(6, BOOL))
Start = Message(
    seed=(1, FIXED64), seats=(2, [Seat]), timeout=(3, DOUBLE), params=(4, MAP), rerun=(5, BOOL),
    judge_ms=(6, UINT), stall_ms=(7, UINT), id=(8, STRING), thoughts=(10, UINT), begin=(11, [Answer]), judge_after=(12, UINT),
)
HostFrame = Message(match=(1, UINT), start=(2, Start), answers=(3, [Answer]), stop=(4, BOOL))
Text = Message(to=(1, UINT), seat=(2, UINT), lines=(3, LINE))
Hint = Message(seat=(1, UINT), answers=(2, [LINE]), more=(3, BOOL), examples=(4, BOOL))
Ask = Message(seats=(1, [UINT]), seconds=(2, DOUBLE), resumed=(3, [UINT]), tick=(4, BOOL), hints=(5, [Hint]))
SeatResult = Message(score=(1, DOUBLE), rank=(2, UINT), ended=(3, STRING), team=(4, UINT))
End = Message(seats=(1, [SeatResult]), reason=(2, STRING), aborted=(3, BOOL), stuck=(4, BOOL))
Judgement = Message(value=(1, DOUBLE), best=(2, STRING))
GameFrame = Message(
    match=(1, UINT), bot_answers=(2, [Answer]), texts=(3, [Text]), ask=(4, Ask), pause_ms=(5, UINT), end=(6, End),
    judgement=(7, Judgement),
)
HostBatch = Message(frames=(1, [HostFrame]))
GameBatch = Message(frames=(1, [GameFrame]))

# grpc.health.v1
HealthCheckRequest = Message(service=(1, STRING))
HealthCheckResponse = Message(status=(1, UINT))
SERVING = 1
