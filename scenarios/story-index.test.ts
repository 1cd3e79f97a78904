import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { play } from './story/play.ts';

/**
 * README.md in this folder lists for each source file of core the stories that exercise it; `npm run stories:index`
 * writes it. This test plays every story under V8's function coverage and checks that nothing in the list is false:
 * each source file has a row, and each story in it still calls a function that not every story calls. It does not
 * check the order, nor whether other stories would fit better, so that most changes of core need no new list.
 */
const folder = new URL('./', import.meta.url);
const core = new URL('../packages/core/', import.meta.url);
const isRewriting = process.env.HOLTER_REWRITE === '1';
const STORIES_MAX = 10;

/** By source file: each function that a story executed, with the stories that did. */
type Coverage = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

test('the index of stories is true', async () => {
  const stories = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort();
  const expected = rowsOf(sourceFiles(), await coverageOf(stories), stories.length);
  const readme = new URL('README.md', folder);
  const written = readFileSync(readme, 'utf8');
  if (isRewriting) {
    const [head = ''] = written.split(/^\| /m);
    const rows = expected.map(({ file, ranked }) => `| \`${file}\` | ${cell(ranked)} |`);
    writeFileSync(
      readme,
      `${head}| source file in \`packages/core/src\` | stories |\n|---|---|\n${rows.join('\n')}\n`,
    );
    return;
  }
  const found = [...written.matchAll(/^\| `(.+?)` \| (.+) \|$/gm)].map(([, file, stories]) => ({
    file,
    stories,
  }));
  const advice = 'run: npm run stories:index';
  expect(
    found.map(({ file }) => file),
    advice,
  ).toEqual(expected.map(({ file }) => file));
  for (const [index, { file, ranked }] of expected.entries()) {
    const text = found[index]?.stories ?? '';
    const named = [...text.matchAll(/\]\((.+?)\)/g)].map(([, story = '']) => story);
    if (typeof ranked === 'string' || named.length === 0)
      expect(text, `${file}; ${advice}`).toBe(cell(ranked));
    else expect(ranked, `${file}; ${advice}`).toEqual(expect.arrayContaining(named));
  }
});

function sourceFiles(): string[] {
  return readdirSync(new URL('src/', core), { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/(^|\/)index\.ts$|\.test\.ts$/.test(path))
    .sort();
}

async function coverageOf(stories: readonly string[]): Promise<Coverage> {
  const built = fileURLToPath(new URL('dist/', core)).replaceAll('\\', '/');
  const coverage = new Map<string, Map<string, Set<string>>>();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const story of stories) {
    play(readFileSync(new URL(story, folder), 'utf8'));
    // Each reading starts counting again at zero.
    const { result } = await session.post('Profiler.takePreciseCoverage');
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const path = fileURLToPath(url).replaceAll('\\', '/');
      if (!path.startsWith(built)) continue;
      const file = path.slice(built.length).replace(/\.js$/, '.ts');
      for (const { functionName, ranges } of functions) {
        const [range] = ranges;
        if (range === undefined || range.count === 0) continue;
        const ofFile = coverage.get(file) ?? new Map<string, Set<string>>();
        const id = `${functionName}@${range.startOffset}`;
        coverage.set(file, ofFile.set(id, (ofFile.get(id) ?? new Set()).add(story)));
      }
    }
  }
  session.disconnect();
  return coverage;
}

type Row = { readonly file: string; readonly ranked: readonly string[] | 'every story' | '–' };

function rowsOf(files: readonly string[], coverage: Coverage, storyCount: number): readonly Row[] {
  return files.map((file) => {
    const functions = [...(coverage.get(file)?.values() ?? [])];
    const special = functions.filter((stories) => stories.size < storyCount);
    if (special.length > 0) return { file, ranked: mostSpecific(special) };
    return { file, ranked: functions.length > 0 ? 'every story' : '–' };
  });
}

function cell(ranked: Row['ranked']): string {
  if (typeof ranked === 'string') return ranked;
  const named = ranked.slice(0, STORIES_MAX).map((story) => `[${story.replace(/\.txt$/, '')}](${story})`);
  return [...named, ...(ranked.length > STORIES_MAX ? ['…'] : [])].join(', ');
}

/** First the stories that execute what few others do; of those, the ones that execute more of it. */
function mostSpecific(functions: readonly ReadonlySet<string>[]): string[] {
  const rarest = new Map<string, number>();
  const weight = new Map<string, number>();
  for (const stories of functions) {
    for (const story of stories) {
      rarest.set(story, Math.min(rarest.get(story) ?? Number.POSITIVE_INFINITY, stories.size));
      weight.set(story, (weight.get(story) ?? 0) + 1 / stories.size);
    }
  }
  const rank = (a: string, b: string): number =>
    (rarest.get(a) ?? 0) - (rarest.get(b) ?? 0) ||
    (weight.get(b) ?? 0) - (weight.get(a) ?? 0) ||
    (a < b ? -1 : 1);
  return [...weight.keys()].sort(rank);
}
