import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapterNamed, type MarkedSignal } from '@holter/server/adapters';
import { afterAll, expect, it } from 'vitest';
import { TranscriptFollower } from './transcript-follower.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-follower-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = (id: string) => `${JSON.stringify({ event: 'call', id, command: 'make' })}\n`;

function followed(file: string) {
  const told: MarkedSignal[] = [];
  const { open } = adapterNamed('shell-log')?.transcript ?? {};
  if (!open) throw new Error('no such adapter');
  const follower = new TranscriptFollower({ file, sessionId: 's', open }, (signal) => void told.push(signal));
  const ids = () => told.map((signal) => ('callId' in signal ? signal.callId : null));
  return { follower, ids };
}

it('reports what a start writes, and nothing of the starts before it', async () => {
  const file = join(folder, 'log.jsonl');
  writeFileSync(file, line('old'));
  const { follower, ids } = followed(file);
  await follower.begin();
  appendFileSync(file, line('a'));
  await Promise.all([follower.look(), follower.look()]);
  appendFileSync(file, line('last word of a start that was stopped'));
  await follower.begin();
  appendFileSync(file, line('b'));
  await follower.look();
  expect(ids()).toEqual(['a', 'b']);
});

it('reports nothing of a file that is not there or is none', async () => {
  for (const file of [join(folder, 'none.jsonl'), folder]) {
    const { follower, ids } = followed(file);
    await follower.begin();
    await follower.look();
    expect(ids()).toEqual([]);
  }
});
