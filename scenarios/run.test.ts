import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { play } from './story/play.ts';

/**
 * Stories: commands and their exact output, one file per lesson. `npm run stories:rewrite` refreshes the
 * outputs; commit only changes that you can explain.
 */
const folder = new URL('./', import.meta.url);
const stories = readdirSync(folder).filter((name) => name.endsWith('.txt'));
const isRewriting = process.env.HOLTER_REWRITE === '1';

describe('stories', () => {
  test('there are some', () => expect(stories.length).toBeGreaterThan(0));

  test.each(stories)('%s', (name) => {
    const file = new URL(name, folder);
    const written = readFileSync(file, 'utf8');
    const played = play(written);
    if (isRewriting) writeFileSync(file, played);
    else expect(played).toBe(written);
  });
});
