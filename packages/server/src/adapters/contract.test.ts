import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSignal, instant } from '@holter/core';
import { afterAll, describe, expect, it } from 'vitest';
import { ADAPTERS, type Adapter, AdapterError, adapterOfProgram, type MarkedSignal } from './index.ts';
import type { Marks } from './shared/screen.ts';
import { TranscriptTail } from './shared/transcript-tail.ts';

// What every adapter must keep, whatever its agent is like, shown with bodies that were recorded from the agent.
// A part that an adapter has needs its recording in the adapter's `fixtures` folder.

const home = mkdtempSync(join(tmpdir(), 'holter-adapters-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { HOME: home };

const URL_ = 'http://127.0.0.1:4658';
const fixture = (adapter: Adapter, name: string): string =>
  fileURLToPath(new URL(`./${adapter.name}/fixtures/${name}`, import.meta.url));
const text = (adapter: Adapter, name: string): string => readFileSync(fixture(adapter, name), 'utf8');
const recorded = (adapter: Adapter, name: string): Record<string, unknown>[] =>
  text(adapter, name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

type Commands = {
  readonly programs: readonly string[];
  readonly others: readonly string[];
  readonly sessions?: readonly (readonly string[])[];
  readonly notSessions?: readonly (readonly string[])[];
};
const commands = (adapter: Adapter): Commands => JSON.parse(text(adapter, 'commands.json'));

const STRANGE = [
  null,
  true,
  5,
  Number.MAX_VALUE,
  '',
  'text',
  '../../etc/passwd',
  'x'.repeat(10_000),
  [],
  [null],
  {},
  { a: [{}] },
];

/** The value with each of its parts, at any depth, replaced by what does not belong there. */
function* spoiled(value: unknown): Generator<unknown> {
  yield* STRANGE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const strange of spoiled(part))
      yield Array.isArray(value) ? [strange] : { ...value, [key]: strange };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The recorded lines, each time with one of them spoiled. */
function* spoiledLines(lines: readonly Record<string, unknown>[]): Generator<Record<string, unknown>[]> {
  for (const [index, line] of lines.entries())
    for (const bad of spoiled(line))
      if (isObject(bad)) yield [...lines.slice(0, index), bad, ...lines.slice(index + 1)];
}

const NAME = expect.stringMatching(/^[\s\S]{1,256}$/);

/** Signals that Holter would not take, with the reason. */
const refused = (signals: readonly MarkedSignal[]): unknown[] =>
  signals.flatMap((signal) => {
    const check = checkSignal({ ...signal, agentId: 'a', incarnation: 1 });
    return check.kind === 'signal' ? [] : [{ ...check, signal }];
  });

/** The adapters that have this part, by their names; Vitest wants at least one. */
const having = <Part extends keyof Adapter>(part: Part) =>
  ADAPTERS.flatMap((adapter) => {
    const value = adapter[part];
    return value === undefined ? [] : [[adapter.name, adapter, value as NonNullable<Adapter[Part]>] as const];
  });

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))('%s', (name, adapter) => {
  it('has a name that fits into a route and a command, and no other adapter has it', () => {
    expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(ADAPTERS.filter((other) => other.name === name)).toEqual([adapter]);
  });

  it('recognises its own programs and no others', () => {
    const { programs, others } = commands(adapter);
    for (const program of programs) expect(adapterOfProgram(program), program).toBe(adapter);
    for (const program of others) expect(adapterOfProgram(program), program).toBeNull();
  });
});

describe.each(having('hooks'))('hooks of %s', (_name, adapter, hooks) => {
  const bodies = recorded(adapter, 'hooks.jsonl');
  const read = () => bodies.flatMap((body) => hooks.read(body, instant(0)) ?? []);

  it('are all read, and report signals that Holter takes', () => {
    expect(read()).toHaveLength(bodies.length);
    for (const { signals } of read()) {
      expect(signals).not.toEqual([]);
      expect(refused(signals)).toEqual([]);
    }
  });

  it('carry words and refusals in their replies, and let the agent go on otherwise', () => {
    const words = [{ type: 'nudge', message: 'Holter: the same call was made 5 times.' }];
    const carriers = read().filter(({ canCarryWords }) => canCarryWords);
    expect(carriers).not.toEqual([]);
    for (const hook of carriers) {
      expect(JSON.stringify(hook.reply(words, false))).toContain(words[0]?.message);
      expect(JSON.stringify(hook.reply([], false))).not.toContain('Holter');
    }
    const calls = read().filter(({ call }) => call !== null);
    expect(calls).not.toEqual([]);
    for (const hook of calls) expect(hook.reply([], true)).not.toEqual(hook.reply([], false));
  });

  it('that are hostile are refused or read, and never throw', () => {
    for (const value of STRANGE) expect(hooks.read(value, instant(0))).toBeNull();
    for (const body of bodies.flatMap((body) => [...spoiled(body)])) {
      const hook = hooks.read(body, instant(0));
      if (!hook) continue;
      expect(hook.sessionId).toMatch(/^[\w-]{1,64}$/);
      expect(hook.subagentId ?? '').toMatch(/^[\w-]{0,64}$/);
      expect(hook.call?.tool ?? 'none').toEqual(NAME);
      expect(refused(hook.signals)).toEqual([]);
      hook.reply([], true);
    }
  });
});

describe.each(having('transcript'))('transcript of %s', (_name, adapter, { open }) => {
  const lines = recorded(adapter, 'transcript.jsonl');
  const [{ run: sessionId } = { run: '' }] = lines.flatMap((line) => open('unnamed').push(line));

  it('has calls, and what it says is taken by Holter', async () => {
    const told: MarkedSignal[] = [];
    const tell = async (signal: MarkedSignal) => void told.push(signal);
    const file = fixture(adapter, 'transcript.jsonl');
    const start = { position: 0, tokens: 0, models: [] };
    const hooks = (): 'none' => 'none';
    const options = { file, reader: open(sessionId), start, hooks };
    await new TranscriptTail({ sessionId, hasTold: () => false, tell }, options).look();
    const kinds = told.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['call-begun', 'call-ended']));
    expect(refused(told)).toEqual([]);
  });

  it('may have hostile lines, whose calls keep names that Holter takes', () => {
    for (const records of spoiledLines(lines)) {
      const reader = open(sessionId);
      for (const fact of [...records.flatMap((record) => reader.push(record)), ...reader.flush()])
        if ('callId' in fact) expect([fact.callId, fact.tool]).toEqual([NAME, NAME]);
    }
  });
});

describe.each(having('replay'))('recorded sessions of %s', (name, adapter, format) => {
  const lines = recorded(adapter, 'transcript.jsonl');

  it('are recognised as such by this adapter alone', () => {
    const first = lines.find((line) => ADAPTERS.some(({ replay }) => replay?.matches(line)));
    const matching = ADAPTERS.filter(({ replay }) => first && replay?.matches(first));
    expect(matching).toEqual([adapter]);
  });

  it('have a run of this agent and its calls, and hostile lines do not throw', () => {
    const reader = format.open('run.jsonl');
    const items = [...lines.flatMap((line, index) => reader.push(line, index + 1)), ...reader.end()];
    expect(items).toContainEqual(expect.objectContaining({ kind: 'run', agent: name }));
    const steps = items.flatMap((item) => (item.kind === 'step' ? [item.step] : []));
    expect(steps).toContainEqual(expect.objectContaining({ kind: 'tool', tool: expect.any(String) }));
    for (const records of spoiledLines(lines)) {
      const hostile = format.open('hostile.jsonl');
      for (const record of records) hostile.push(record, 1);
      hostile.end();
    }
  });
});

describe.each(having('recipe'))('recipe of %s', (_name, adapter, recipe) => {
  const { sessions = [], notSessions = [], programs } = commands(adapter);
  const [program = ''] = programs;
  const recipeOf = (args: readonly string[]) =>
    recipe({ program, args, env, workingDirectory: home, newId: () => crypto.randomUUID(), now: () => 0 });

  it('starts every session with all that the user said, and is none for other commands', () => {
    expect(sessions).not.toEqual([]);
    for (const args of sessions) {
      const command = recipeOf(args)?.start(URL_);
      expect(command?.[0]).toBe(program);
      for (const word of args) expect(command).toContain(word);
    }
    for (const args of notSessions) expect(recipeOf(args)).toBeNull();
  });

  it('brings a session back with the facts of the restart', async () => {
    for (const args of sessions) {
      const session = recipeOf(args);
      session?.start(URL_);
      const again = await session?.startAgain?.(URL_, {
        attempt: 1,
        cause: 'repeated-call',
        orderReason: null,
      });
      if (again === undefined) continue;
      expect(again[0]).toBe(program);
      expect(again.join('\n')).toContain('Holter: this work was interrupted');
    }
  });
});

describe.each(having('connect'))('connecting %s', (_name, adapter, connect) => {
  const server = { serverUrl: URL_, header: { token: 'hlt_secret' } };

  it('adds hooks once, and removing them gives back the file', () => {
    for (const before of [null, text(adapter, 'settings.json')]) {
      const after = connect.add(before, server);
      expect(after).toContain(`${URL_}/hooks/${adapter.name}`);
      expect(connect.add(after, server)).toBe(after);
      expect(connect.find(after)).toEqual(server);
      expect(connect.find(before)).toBeNull();
      expect(connect.remove(after)).toBe(before);
      expect(connect.remove(before)).toBe(before);
    }
  });

  it('can name a variable in place of the secret', () => {
    const after = connect.add(null, { serverUrl: URL_, header: { variable: 'MY_TOKEN' } });
    expect(after).toContain('MY_TOKEN');
    expect(connect.find(after)).toEqual({ serverUrl: URL_, header: { variable: 'MY_TOKEN' } });
  });

  it('leaves a file alone that it does not understand', () => {
    for (const before of ['{ "model": // mine\n', '[]', '"text"'])
      expect(() => connect.add(before, server)).toThrow(AdapterError);
  });

  it('has one file for the folder and one for the user', () => {
    const place = { env, workingDirectory: join(home, 'shop') };
    const own = connect.file({ ...place, isForUser: false });
    expect(own.startsWith(join(home, 'shop'))).toBe(true);
    expect(connect.file({ ...place, isForUser: true })).not.toBe(own);
  });
});

it.each(having('doctor'))(
  'the doctor of %s has nothing to say where it was never connected',
  (_name, _adapter, doctor) => {
    expect(doctor({ env, workingDirectory: home, serverUrl: URL_, hasSessions: false })).toBeNull();
  },
);

it.each(having('session'))(
  'no session of %s runs where its folder is empty',
  async (_name, _adapter, read) => {
    const table = { bootId: 'b', row: () => null } as unknown as Parameters<typeof read>[1];
    expect((await read(env, table)).size).toBe(0);
  },
);

describe.each(having('screen'))('screen of %s', (_name, adapter, { busy, idle, asking, prompts }) => {
  const folder = fixture(adapter, 'screens');
  const screens = (existsSync(folder) ? readdirSync(folder) : []).map((file) => {
    const [title = '', ...lines] = text(adapter, `screens/${file}`).split('\n');
    return { title, screen: lines.join('\n') };
  });
  const unseen = (marks: Marks): string[] =>
    (['title', 'screen'] as const).flatMap((where) =>
      (marks[where] ?? []).filter((mark) => !screens.some((each) => each[where].includes(mark))),
    );

  it('types only at what was recorded', () => {
    expect(unseen(idle)).toEqual([]);
    expect(unseen({ screen: prompts }).length).toBeLessThan(Math.max(1, prompts.length));
  });

  it('names no mark that its recordings do not have', () => {
    if (screens.length > 0) expect([...unseen(busy), ...unseen(asking)]).toEqual([]);
  });
});

describe.each(having('stepFolder'))('folder of sessions of %s', (name, adapter, openFolder) => {
  const at = Date.UTC(2026, 1, 23, 15);
  const look = (path: string) =>
    openFolder(path, { wallNow: () => at, startOf: () => null, redact: (value) => value }).look();
  const recordedFolder = fixture(adapter, 'step-folder');

  it('has the recorded session with its steps', async () => {
    const { session, faults } = await look(recordedFolder);
    expect(session?.evidence.steps).not.toEqual([]);
    expect(session?.evidence.totalSteps).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it('that is empty or missing has no session', async () => {
    for (const path of [home, join(home, 'nowhere')])
      expect(await look(path)).toEqual({ session: null, faults: [] });
  });

  it('may have hostile files, and no look throws', async () => {
    const copy = join(home, name);
    cpSync(recordedFolder, copy, { recursive: true });
    const files = readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.\w+$/.test(file),
    );
    expect(files).not.toEqual([]);
    for (const file of files)
      for (const strange of STRANGE) {
        writeFileSync(join(copy, file), `${JSON.stringify(strange)}\n`);
        await look(copy);
      }
  });
});
