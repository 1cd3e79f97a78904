import {
  type BreakerAct,
  type Decision,
  type Finding,
  type FindingKind,
  findingsOf,
  instant,
  isFindingKind,
  livenessOf,
  milliseconds,
  type PickedCheckpoint,
  type Promises,
  type Registration,
  type SignalBody,
  type Source,
} from '@holter/core';
import { parse as parseYaml } from 'yaml';
import { facts } from './facts.ts';
import { durationOf, nameOf, type Words, wordsOf } from './words.ts';
import type { StoryWorld } from './world.ts';

type Command = (world: StoryWorld, words: Words, raw: string) => void;

/** The commands of a story. Any other signal can be sent as `signal NAME {json}`. */
const commands: Readonly<Record<string, Command>> = {
  policy: (world, _words, raw) => world.configure(parseYaml(raw.slice('policy'.length))),
  agent: (world, words) => world.register(registrationOf(words)),
  agents: (world, words) => register(world, words),
  advance: (world, { rest }) => world.advance(durationOf(rest[0])),
  stall: (world) => world.stall(),
  wake: (world) => world.unstall(),
  hiccup: (world, { fields }) => hiccup(world, fields),
  beat: (world, words) => beat(world, words),
  call: (world, words) => call(world, words),
  signal: (world, _words, raw) => {
    const [, name = '', json = ''] = /^signal (\S+) (.*)$/s.exec(raw) ?? [];
    const {
      from = 'agent',
      incarnation,
      ...body
    } = JSON.parse(json) as { from?: Source; incarnation?: number } & SignalBody;
    signal(world, name, body as SignalBody, from, incarnation);
  },
  sense: (world, _words, raw) => {
    const [, name = '', json = ''] = /^sense (\S+) (.*)$/s.exec(raw) ?? [];
    signal(world, name, JSON.parse(json) as SignalBody, 'holter');
  },
  look: (world, words) => look(world, words),
  loop: (world, words) => loop(world, words),
  clear: (world, { rest: [name = '', kind = ''] }) =>
    signal(world, name, { kind: 'finding-cleared', findingKind: kindOf(kind) }, 'holter'),
  claim: (world, { rest: [name = '', effectId = ''], fields }) =>
    world.feed(name, {
      kind: 'claim',
      effect: world.effect(effectId),
      evidence: { spawnKey: `key:${effectId}`, ...(fields.evidence && JSON.parse(fields.evidence)) },
    }),
  receipt: (world, { rest: [name = '', effectId = '', outcome = 'delivered'] }) =>
    world.feed(name, {
      kind: 'receipt',
      effect: world.effect(effectId),
      outcome: outcome as 'delivered',
      detail: outcome,
    }),
  decide: (world, words) => decide(world, words),
  breaker: (world, words) => breaker(world, words),
  show: (world, { rest }) => show(world, nameOf(rest)),
};

export function runCommand(world: StoryWorld, line: string): string {
  const word = /^\S+/.exec(line)?.[0] ?? '';
  const words = wordsOf(line);
  const command = commands[word] ?? commandOf(word);
  if (!command) {
    const known = [...Object.keys(commands), ...Object.keys(facts)].join(', ');
    throw new Error(`a story can't say "${word}"; it can say ${known}`);
  }
  command(world, words, line);
  return world.takeLines() || 'ok';
}

/** A fact about one agent, or about every agent of a prefix: `exit bot* SIGKILL`. */
function commandOf(word: string): Command | undefined {
  const fact = facts[word];
  if (!fact) return undefined;
  return (world, { rest: [pattern = '', ...rest], fields }) => {
    for (const name of world.names(pattern)) {
      const { body, from } = fact(world, { rest, fields });
      signal(world, name, body, from, incarnationOf(fields));
    }
  };
}

const incarnationOf = ({ incarnation }: Words['fields']): number | undefined =>
  incarnation === undefined ? undefined : Number(incarnation);

/** Several agents: `agents bot 12 role=…` registers bot-1 to bot-12. */
function register(world: StoryWorld, { rest: [name = '', count = '1'], fields }: Words): void {
  for (let i = 1; i <= Number(count); i++) world.register(registrationOf({ rest: [`${name}-${i}`], fields }));
}

/** Holter itself stalls repeatedly: `hiccup gap=2.1s every=10s for=1h`. */
function hiccup(world: StoryWorld, { gap, every, for: length }: Words['fields']): void {
  const end = world.at + durationOf(length);
  while (world.at < end) {
    world.advance(durationOf(every) - durationOf(gap));
    world.stall();
    world.advance(durationOf(gap));
    world.unstall();
  }
}

function registrationOf({ rest, fields }: Words): Registration {
  const agentId = nameOf(rest);
  const promises = (fields.promises ?? '').split(',').filter(Boolean);
  return {
    agentId,
    instanceId: fields.instance ?? `${agentId}-1`,
    role: fields.role ?? 'default',
    group: fields.group ?? 'default',
    mode: (fields.mode ?? 'act') as Registration['mode'],
    promises: Object.assign({}, ...promises.map(promiseOf)) as Promises,
    can: (fields.can ?? 'nudge,terminate,spawn')
      .split(',')
      .filter((word) => word !== 'nothing') as Registration['can'],
    executor: fields.executor ?? null,
    ...(fields.task !== undefined && { taskId: fields.task }),
    ...(fields.key !== undefined && { spawnKey: fields.key }),
  };
}

function promiseOf(text: string): Partial<Promises> {
  const [word, value, more] = text.split(':');
  if (word === 'beats') return { beatEveryMs: milliseconds(durationOf(value)) };
  if (word === 'job')
    return { job: { everyMs: milliseconds(durationOf(value)), graceMs: milliseconds(durationOf(more)) } };
  if (word === 'calls') return { calls: { modelTimeoutMs: milliseconds(value ? durationOf(value) : 0) } };
  return { [String(word)]: true };
}

function signal(
  world: StoryWorld,
  name: string,
  body: SignalBody,
  origin: Source = 'agent',
  incarnation?: number,
): void {
  const current = world.agent(name).hard.incarnation;
  const envelope = { agentId: name, incarnation: incarnation ?? current };
  world.feed(name, { kind: 'signal', origin, signal: { ...envelope, ...body } });
}

/** `beat ada`, or `beat ada every=30s for=10m`, which moves the clock; `bot*` is every agent of a prefix. */
function beat(world: StoryWorld, { rest, fields }: Words): void {
  const names = world.names(nameOf(rest));
  const body: SignalBody = {
    kind: 'heartbeat',
    ...(fields.status !== undefined && { status: fields.status as 'busy' }),
    ...(fields.phase !== undefined && { phase: fields.phase }),
    ...(fields.errors !== undefined && { errorCount: Number(fields.errors) }),
    ...(fields.tokens !== undefined && { tokenCount: Number(fields.tokens) }),
  };
  again(world, fields, () => {
    for (const name of names) signal(world, name, body, 'agent', incarnationOf(fields));
  });
}

let calls = 0;

/**
 * `call ada Bash ok result=42`, `… error`, `… open`, `… close`; `for=` is its duration, `times=` how often it is
 * made.
 */
function call(world: StoryWorld, { rest, fields }: Words): void {
  for (let time = Number(fields.times ?? 1); time > 0; time--) callOnce(world, rest, fields);
}

function callOnce(world: StoryWorld, rest: Words['rest'], fields: Words['fields']): void {
  const [name = '', tool = 'Tool', how = 'ok'] = rest;
  calls += 1;
  const callId = fields.id ?? `call-${calls}`;
  if (how !== 'close') signal(world, name, { kind: 'call-begun', callId, tool });
  if (fields.for !== undefined) world.advance(durationOf(fields.for));
  if (how === 'open') return;
  const output = fields.result ?? (how === 'error' ? '' : callId);
  signal(world, name, { kind: 'call-ended', callId, tool, isError: how === 'error', output });
}

/** A probe of the operating system: `look ada cpu=1200 io=4096 children=0 every=60s for=10m`. */
function look(world: StoryWorld, { rest, fields }: Words): void {
  const body: SignalBody = {
    kind: 'process',
    state: (fields.state ?? 'running') as 'running',
    cpuMs: Number(fields.cpu ?? 0),
    ioBytes: Number(fields.io ?? 0),
    childrenAtWork: Number(fields.children ?? 0),
    memoryBytes: Number(fields.memory ?? 0),
  };
  again(world, fields, () => signal(world, nameOf(rest), body, 'holter'));
}

/** Once now, or `every=60s for=10m`, which moves the clock. */
function again(world: StoryWorld, fields: Words['fields'], act: () => void): void {
  if (fields.every === undefined) return act();
  const every = durationOf(fields.every);
  const end = world.at + durationOf(fields.for);
  while (world.at + every <= end) {
    world.advance(every);
    act();
  }
}

/** Feeds in a detector's finding: `loop ada repeated-call act count=5`. */
function loop(
  world: StoryWorld,
  { rest: [name = '', kind = 'repeated-call', severity = 'act'], fields }: Words,
): void {
  const count = Number(fields.count ?? 5);
  const finding: Finding = {
    kind: kindOf(kind),
    severity: severity as 'act',
    source: 'agent-reports',
    since: instant(world.at),
    evidence: `the same call ${count} times`,
    threshold: '5 times',
    count,
  };
  signal(world, name, { kind: 'finding', finding }, 'holter');
}

function kindOf(text: string): FindingKind {
  if (!isFindingKind(text)) throw new Error(`"${text}" is no kind of finding`);
  return text;
}

function decide(world: StoryWorld, { rest: [name = '', word = ''], fields }: Words): void {
  const decision = {
    decision: word,
    by: fields.by ?? 'olga',
    reason: fields.reason ?? 'because',
    ...(fields.for !== undefined && { forMs: milliseconds(durationOf(fields.for)) }),
    ...(fields.incident !== undefined && { incidentId: fields.incident }),
    ...(fields.finding !== undefined && { finding: kindOf(fields.finding) }),
    ...(fields.from !== undefined && { from: pickedOf(fields) }),
  } as Decision;
  world.feed(name, { kind: 'decision', decision });
}

/** `from=cp1`, the picked checkpoint as the shell found it: `hash=h`, or `flaw=missing`. */
const pickedOf = ({ from = '', hash = 'h', flaw }: Words['fields']): PickedCheckpoint => ({
  id: from,
  hash,
  ...(flaw !== undefined && { flaw: flaw as 'missing' }),
});

function show(world: StoryWorld, name: string): void {
  const { hard } = world.agent(name);
  const incident = hard.incident
    ? `, incident ${hard.incident.id} at ${hard.incident.step} ${hard.incident.attempt}`
    : '';
  const found = findingsOf(hard).map(({ kind, severity }) => `${kind} ${severity}`);
  world.say(`${name} ${hard.health}, ${livenessOf(hard)}, ${found.join(', ') || 'nothing found'}${incident}`);
}

/** `breaker ada external_api acquire`, then `success took=40s` or `failure` for that permit; `reset`, `isolate for=5m`. */
function breaker(
  world: StoryWorld,
  { rest: [agent = '', name = '', word = 'acquire'], fields }: Words,
): void {
  const by = { by: fields.by ?? 'olga', reason: fields.reason ?? 'because' };
  const feed = (act: BreakerAct): void => world.feed(agent, { kind: 'breaker', name, act, roll: 0 });
  if (word === 'acquire') return feed({ kind: 'acquire' });
  if (word === 'reset') return feed({ kind: 'reset', ...by });
  if (word === 'isolate')
    return feed({ kind: 'isolate', ...by, forMs: milliseconds(durationOf(fields.for)) });
  const permit = world.permit;
  if (permit?.kind !== 'permit') throw new Error('nothing was permitted that could be reported');
  const { generation, permitId } = permit;
  const durationMs = fields.took === undefined ? {} : { durationMs: milliseconds(durationOf(fields.took)) };
  feed({ kind: 'report', report: { generation, permitId, outcome: word as 'success', ...durationMs } });
}
