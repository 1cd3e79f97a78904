import {
  type Decision,
  type Finding,
  type FindingKind,
  findingsOf,
  instant,
  isFindingKind,
  livenessOf,
  milliseconds,
  type Promises,
  type Registration,
  type SignalBody,
} from '@holter/core';
import { parse as parseYaml } from 'yaml';
import type { StoryWorld } from './world.ts';

/** One command of a story, as words and `key=value` pairs. */
type Words = { readonly rest: readonly string[]; readonly fields: Readonly<Record<string, string>> };

type Command = (world: StoryWorld, words: Words, raw: string) => void;

/** Everything that a story can say. What a story can't say, it can still send as `signal NAME {json}`. */
const commands: Readonly<Record<string, Command>> = {
  policy: (world, _words, raw) => world.configure(parseYaml(raw.slice('policy'.length))),
  agent: (world, words) => world.register(registrationOf(words)),
  advance: (world, { rest }) => world.advance(durationOf(rest[0])),
  stall: (world) => world.stall(),
  wake: (world) => world.unstall(),
  beat: (world, words) => beat(world, words),
  pong: (world, { rest }) => signal(world, nameOf(rest), { kind: 'pong' }),
  call: (world, words) => call(world, words),
  signal: (world, _words, raw) => {
    const [, name = '', json = ''] = /^signal (\S+) (.*)$/s.exec(raw) ?? [];
    const {
      from = 'agent',
      incarnation,
      ...body
    } = JSON.parse(json) as { from?: 'agent' | 'holter'; incarnation?: number } & SignalBody;
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
  exit: (world, { rest: [name = '', code = ''] }) =>
    signal(
      world,
      name,
      /^\d+$/.test(code)
        ? { kind: 'exited', code: Number(code) }
        : { kind: 'exited', code: null, signal: code },
      'holter',
    ),
  claim: (world, { rest: [name = '', effectId = ''], fields }) =>
    world.feed(name, {
      kind: 'claim',
      effectId,
      evidence: fields.evidence ? JSON.parse(fields.evidence) : {},
    }),
  receipt: (world, { rest: [name = '', effectId = '', outcome = 'delivered'] }) =>
    world.feed(name, { kind: 'receipt', effectId, outcome: outcome as 'delivered', detail: outcome }),
  decide: (world, words) => decide(world, words),
  show: (world, { rest }) => show(world, nameOf(rest)),
};

export function runCommand(world: StoryWorld, line: string): string {
  const word = /^\S+/.exec(line)?.[0] ?? '';
  const command = commands[word];
  if (!command)
    throw new Error(`a story can't say "${word}"; it can say ${Object.keys(commands).join(', ')}`);
  command(world, wordsOf(line), line);
  return world.takeLines() || 'ok';
}

function wordsOf(line: string): Words {
  const rest: string[] = [];
  const fields: Record<string, string> = {};
  for (const word of line.split(/\s+/).slice(1)) {
    const [, key, value] = /^([a-z-]+)=(.*)$/i.exec(word) ?? [];
    if (key !== undefined && value !== undefined) fields[key] = value;
    else rest.push(word);
  }
  return { rest, fields };
}

const nameOf = (rest: readonly string[]): string => {
  const name = rest[0];
  if (!name) throw new Error('name the agent');
  return name;
};

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export function durationOf(text: string | undefined): number {
  const [, amount, unit = ''] = /^([\d.]+)(ms|s|m|h)$/.exec(text ?? '') ?? [];
  const factor = units[unit];
  if (amount === undefined || factor === undefined)
    throw new Error(`"${text}" is no duration; write 90s, 15m or 2h`);
  return Number(amount) * factor;
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
  const [word, value] = text.split(':');
  if (word === 'beats') return { beatEveryMs: milliseconds(durationOf(value)) };
  if (word === 'calls') return { calls: { modelTimeoutMs: milliseconds(value ? durationOf(value) : 0) } };
  return { [String(word)]: true };
}

function signal(
  world: StoryWorld,
  name: string,
  body: SignalBody,
  origin: 'agent' | 'holter' = 'agent',
  incarnation?: number,
): void {
  const current = world.agent(name).hard.incarnation;
  const envelope = { agentId: name, incarnation: incarnation ?? current };
  world.feed(name, { kind: 'signal', origin, signal: { ...envelope, ...body } });
}

/** `beat ada`, or `beat ada every=30s for=10m`: the clock moves with the beats. */
function beat(world: StoryWorld, { rest, fields }: Words): void {
  const name = nameOf(rest);
  const body: SignalBody = {
    kind: 'heartbeat',
    ...(fields.status !== undefined && { status: fields.status as 'busy' }),
    ...(fields.phase !== undefined && { phase: fields.phase }),
    ...(fields.errors !== undefined && { errorCount: Number(fields.errors) }),
    ...(fields.tokens !== undefined && { tokenCount: Number(fields.tokens) }),
  };
  const incarnation = fields.incarnation === undefined ? undefined : Number(fields.incarnation);
  if (fields.every === undefined) return signal(world, name, body, 'agent', incarnation);
  const every = durationOf(fields.every);
  const end = world.at + durationOf(fields.for);
  while (world.at + every <= end) {
    world.advance(every);
    signal(world, name, body, 'agent', incarnation);
  }
}

let calls = 0;

/** `call ada Bash ok result=42`, `call ada Bash error`, `call ada Bash open`; `for=` is how long it takes. */
function call(world: StoryWorld, { rest, fields }: Words): void {
  const [name = '', tool = 'Tool', how = 'ok'] = rest;
  calls += 1;
  const callId = fields.id ?? `call-${calls}`;
  if (how !== 'close') signal(world, name, { kind: 'call-begun', callId, tool });
  if (fields.for !== undefined) world.advance(durationOf(fields.for));
  if (how === 'open') return;
  signal(world, name, {
    kind: 'call-ended',
    callId,
    tool,
    isError: how === 'error',
    output: fields.result ?? '',
  });
}

/** What the operating system sees: `look ada cpu=1200 io=4096 children=0 state=running`. */
function look(world: StoryWorld, { rest, fields }: Words): void {
  signal(
    world,
    nameOf(rest),
    {
      kind: 'process',
      state: (fields.state ?? 'running') as 'running',
      cpuMs: Number(fields.cpu ?? 0),
      ioBytes: Number(fields.io ?? 0),
      childrenAtWork: Number(fields.children ?? 0),
      memoryBytes: Number(fields.memory ?? 0),
    },
    'holter',
  );
}

/** A detector's finding, fed in: `loop ada repeated-call act count=5`. */
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
  } as Decision;
  world.feed(name, { kind: 'decision', decision });
}

function show(world: StoryWorld, name: string): void {
  const { hard } = world.agent(name);
  const incident = hard.incident
    ? `, incident ${hard.incident.id} at ${hard.incident.step} ${hard.incident.attempt}`
    : '';
  const found = findingsOf(hard).map(({ kind, severity }) => `${kind} ${severity}`);
  world.say(`${name} ${hard.health}, ${livenessOf(hard)}, ${found.join(', ') || 'nothing found'}${incident}`);
}
