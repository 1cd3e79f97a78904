import { ClientError } from '@holter/server/local';
import { expect, it } from 'vitest';
import { ShownNotes } from './shown-notes.ts';

function notesThat(answer: () => Promise<unknown>) {
  const sent: string[][] = [];
  const notes = new ShownNotes((ids) => {
    sent.push(ids);
    return answer();
  });
  return { notes, sent };
}

it('says again what is still unseen: a request was lost, or a later step has a notice of its own', async () => {
  const { notes, sent } = notesThat(() => Promise.reject(new Error('no answer')));
  notes.note(['ada/1'], 1_000);
  notes.note(['ada/1'], 2_000);
  expect(sent).toEqual([['ada/1']]);
  notes.note(['ada/1'], 3_000);
  expect(sent).toHaveLength(2);
  notes.note([], 60_000);
  notes.note(['ada/1', 'bob/1'], 60_500);
  expect(sent.slice(2)).toEqual([['ada/1', 'bob/1']]);
});

it('says nothing more once the server has refused it to a token that may only look', async () => {
  const refusal = new ClientError(403, { code: 'forbidden', message: 'a viewer may not' });
  const { notes, sent } = notesThat(() => Promise.reject(refusal));
  notes.note(['ada/1'], 1_000);
  await Promise.resolve();
  await Promise.resolve();
  notes.note(['ada/1'], 60_000);
  expect(sent).toHaveLength(1);
});
