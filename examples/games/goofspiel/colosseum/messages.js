// The messages of game.proto, version 1. sdk/wire/game.proto describes them.
'use strict';

const { message, optional } = require('./protobuf');

const Kind = { INT: 1, FLOAT: 2, CHOICE: 3, TEXT: 4 };
const Outcome = { ANSWERED: 0, TIMEOUT: 1, DISCONNECTED: 2 };
const To = { SEAT: 0, SPECTATORS: 1, ALL: 2, OTHERS: 3 };

const Empty = message({});

const Param = message({
  name: [1, 'string'],
  description: [2, 'string'],
  defaultValue: [3, 'string'],
  kind: [4, 'enum'],
  min: [5, 'double'],
  max: [6, 'double'],
  choices: [7, ['string']],
});

const Description = message({
  name: [1, 'string'],
  title: [2, 'string'],
  rules: [3, 'string'],
  minPlayers: [4, 'uint32'],
  maxPlayers: [5, 'uint32'],
  maxBots: [6, 'uint32'],
  timeout: [7, 'double'],
  params: [8, [Param]],
  delay: [9, 'double'],
  frames: [10, 'bool'],
  ponder: [11, 'bool'],
  maxLine: [12, 'uint32'],
});

const PrepareRequest = message({
  players: [1, optional('uint32')],
  bots: [2, 'uint32'],
  timeout: [3, optional('double')],
  args: [4, 'map'],
});

const PrepareReply = message({
  refusal: [1, 'string'],
  players: [2, 'uint32'],
  timeout: [3, 'double'],
  params: [4, 'map'],
});

const Answer = message({
  seat: [1, 'uint32'],
  line: [2, 'text'],
  outcome: [3, 'enum'],
  atMs: [4, 'uint64'],
  note: [5, 'string'],
  leftMs: [6, 'uint64'],
});

const Seat = message({ name: [1, 'string'], bot: [2, 'bool'], bank: [3, 'double'], increment: [4, 'double'], level: [5, 'string'], hints: [6, 'bool'] });

const Start = message({
  seed: [1, 'fixed64'],
  seats: [2, [Seat]],
  timeout: [3, 'double'],
  params: [4, 'map'],
  rerun: [5, 'bool'],
  judgeMs: [6, 'uint32'],
  stallMs: [7, 'uint64'],
  id: [8, 'string'],
  thoughts: [10, 'uint32'],
  begin: [11, [Answer]],
  judgeAfter: [12, 'uint32'],
});

const HostFrame = message({
  match: [1, 'uint64'],
  start: [2, Start],
  answers: [3, [Answer]],
  stop: [4, 'bool'],
});

const Text = message({ to: [1, 'enum'], seat: [2, 'uint32'], lines: [3, 'text'] });

const Hint = message({ seat: [1, 'uint32'], answers: [2, ['text']], more: [3, 'bool'], examples: [4, 'bool'] });

const Ask = message({ seats: [1, ['uint32']], seconds: [2, 'double'], resumed: [3, ['uint32']], tick: [4, 'bool'], hints: [5, [Hint]] });

const SeatResult = message({ score: [1, 'double'], rank: [2, 'uint32'], ended: [3, 'string'], team: [4, 'uint32'] });

const End = message({ seats: [1, [SeatResult]], reason: [2, 'string'], aborted: [3, 'bool'], stuck: [4, 'bool'] });

const Judgement = message({ value: [1, 'double'], best: [2, 'string'] });

const GameFrame = message({
  match: [1, 'uint64'],
  botAnswers: [2, [Answer]],
  texts: [3, [Text]],
  ask: [4, Ask],
  pauseMs: [5, 'uint64'],
  end: [6, End],
  judgement: [7, Judgement],
});

const HostBatch = message({ frames: [1, [HostFrame]] });
const GameBatch = message({ frames: [1, [GameFrame]] });

// grpc.health.v1
const HealthCheckRequest = message({ service: [1, 'string'] });
const HealthCheckResponse = message({ status: [1, 'enum'] });
const SERVING = 1;

module.exports = {
  Kind, Outcome, To, SERVING, Empty,
  Param, Description, PrepareRequest, PrepareReply, Answer, Seat, Start, HostFrame, HostBatch, Text, Hint, Ask, SeatResult, End, Judgement, GameFrame, GameBatch,
  HealthCheckRequest, HealthCheckResponse,
};
