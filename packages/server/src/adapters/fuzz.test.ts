import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSignal, instant } from '@holter/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { damaged, mutated } from '../../test/hostile-json.ts';
import type { ProcessTable } from '../processes/index.ts';
import { ADAPTERS, type Adapter, type MarkedSignal, TranscriptTail } from './index.ts';

// Recorded bodies, transcripts and session files, changed at random. `contract.test.ts` replaces single parts.

const home = mkdtempSync(join(tmpdir(), 'holter-fuzz-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const fixtureOf = ({ name }: Adapter, file: string): string =>
  readFileSync(fileURLToPath(new URL(`./${name}/fixtures/${file}`, import.meta.url)), 'utf8');
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const having = <Part extends keyof Adapter>(part: Part) =>
  ADAPTERS.flatMap((adapter) => {
    const value = adapter[part];
    return value === undefined ? [] : [[adapter.name, adapter, value as NonNullable<Adapter[Part]>] as const];
  });

/** Every field that goes wrong is one that the intake replaces; the kind and the ids are sound. */
const isTaken = (signal: MarkedSignal): boolean => {
  const check = checkSignal({ ...signal, agentId: 'a', incarnation: 1 });
  return check.kind === 'signal' || ['input', 'tool', 'callId', 'id'].includes(check.field ?? '');
};

it.each(having('hooks'))('hooks of %s', (_name, adapter, hooks) => {
  const bodies = linesOf(fixtureOf(adapter, 'hooks.jsonl'));
  const body = fc.constantFrom(...bodies).chain(mutated);
  fc.assert(
    fc.property(body, (value) => {
      const hook = hooks.read(value, instant(0));
      if (!hook) return;
      expect(hook.sessionId).toMatch(/^[\w-]{1,64}$/);
      expect(hook.subagentId ?? '').toMatch(/^[\w-]{0,64}$/);
      expect(hook.signals.length).toBeLessThanOrEqual(100);
      expect(hook.signals.filter((signal) => !isTaken(signal))).toEqual([]);
      JSON.stringify(hook.reply([{ type: 'nudge', message: 'Holter: x' }], true));
    }),
    { seed: 1, numRuns: 1_000 },
  );
});

describe.each(having('transcript'))('transcript of %s', (name, adapter, { open }) => {
  const text = fixtureOf(adapter, 'transcript.jsonl');
  const [{ run: sessionId } = { run: '' }] = linesOf(text).flatMap((line) => open('unnamed').push(line));

  it('with changed lines', () => {
    const lines = linesOf(text);
    const changed = fc.array(fc.constantFrom(...lines).chain(mutated), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(changed, (values) => {
        const reader = open(sessionId);
        for (const value of values) reader.push(value as Record<string, unknown>);
        reader.flush();
      }),
      { seed: 1 },
    );
  });

  it('with damaged bytes in the file', async () => {
    const file = join(home, `${name}.jsonl`);
    await fc.assert(
      fc.asyncProperty(damaged(text), async (bytes) => {
        writeFileSync(file, bytes);
        const told: MarkedSignal[] = [];
        const tell = async (signal: MarkedSignal) => void told.push(signal);
        const start = { position: 0, tokens: 0, models: [] };
        const options = { file, reader: open(sessionId), start, hooks: () => 'none' as const };
        await new TranscriptTail({ sessionId, hasTold: () => false, tell }, options).look();
        expect(told.filter((signal) => !isTaken(signal))).toEqual([]);
      }),
      { seed: 1 },
    );
  });
});

it.each(having('replay'))('recorded sessions of %s', (_name, adapter, format) => {
  const lines = linesOf(fixtureOf(adapter, 'transcript.jsonl'));
  const changed = fc.array(fc.constantFrom(...lines).chain(mutated), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(changed, (values) => {
      const reader = format.open('fuzz.jsonl');
      for (const [index, value] of values.entries()) reader.push(value as Record<string, unknown>, index + 1);
      reader.end();
    }),
    { seed: 1 },
  );
});

it.each(having('session'))('session files of %s', async (_name, _adapter, read) => {
  const folder = join(home, '.claude', 'sessions');
  mkdirSync(folder, { recursive: true });
  const { pid } = process;
  const table = {
    bootId: 'b',
    row: (asked: number) => (asked === pid ? { pid, startedAt: '7', state: 'sleeping' } : null),
    userOf: () => process.getuid?.() ?? null,
  } as unknown as ProcessTable;
  const sound = { pid, procStart: '7', sessionId: 'c64a3fea-d51f-4305-9248-db9d38df8039', status: 'busy' };
  const contents = fc.oneof(
    mutated(sound).map((value) => Buffer.from(JSON.stringify(value))),
    damaged(JSON.stringify(sound)),
  );
  await fc.assert(
    fc.asyncProperty(contents, fc.constantFrom(pid, 1, 2 ** 31), async (content, namedPid) => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      writeFileSync(join(folder, `${namedPid}.json`), content);
      for (const [id, file] of await read({ HOME: home }, table)) {
        expect(file.process).toEqual({ bootId: 'b', pid, startedAt: '7' });
        expect([id, file.status]).toEqual([file.sessionId, expect.toSatisfy(isStatus)]);
      }
    }),
    { seed: 1 },
  );
});

const isStatus = (status: unknown): boolean => [null, 'idle', 'busy', 'waiting'].includes(status as string);
