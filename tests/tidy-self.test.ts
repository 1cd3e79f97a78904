import { describe, expect, it } from 'vitest';
import { adaptersLoadLittle, agentsAreKnownToTheirAdapters } from './tidy/adapters.ts';
import { agentFilesAreOpenedInOnePlace } from './tidy/agent-files.ts';
import { clockAndDiceAreListed } from './tidy/clock-and-dice.ts';
import { coreIsPure } from './tidy/core-purity.ts';
import { filesAreShort, linesMax } from './tidy/file-length.ts';
import { foldersPointOneWay } from './tidy/folder-direction.ts';
import { importsPointOneWay, manifestsPointOneWay } from './tidy/import-direction.ts';
import { importsOf } from './tidy/imports.ts';
import { expressionsAreLinear } from './tidy/linear-expressions.ts';
import { lockKnowsEveryPlatform, lockMatchesManifests, lockNamesNoHost } from './tidy/lock-file.ts';
import { mask } from './tidy/mask.ts';
import { signalsUseTheDoor } from './tidy/one-door.ts';
import { coreIsInReadingOrder } from './tidy/reading-order.ts';
import type { Repo } from './tidy/repo.ts';
import {
  citedRequirementsExist,
  linksResolve,
  mentionedFilesExist,
  mentionedPagesExist,
  noMachinePaths,
  noTestIsSwitchedOff,
  nothingIsPutOff,
  storiesAreRun,
} from './tidy/text.ts';
import { exportsAreUsed } from './tidy/unused-exports.ts';

// Each check is shown something bad, which it must report with a remedy, and something good that looks alike.

const repo = (files: Record<string, string>): Repo => new Map(Object.entries(files));
const noExceptions = { clockAndDice: [], slowExpressions: [], builtExpressions: [], longFiles: [] };

describe('core is pure', () => {
  const bad = [
    'const now = Date.now();',
    'const now = new Date(0);',
    'const now = performance.now();',
    'const roll = Math.random();',
    "const roll = Math['random']();",
    'const { random } = Math;',
    'const id = crypto.randomUUID();',
    'setTimeout(run, 5);',
    'const run = setImmediate;',
    'const x = await y;',
    'async function f() {}',
    'const f = async () => 1;',
    'const f = async x => 1;',
    'return Promise.resolve(1);',
    "console.log('x');",
    "fetch('x');",
    'const g = globalThis;',
    'const t = `${Date.now()}`;',
    'a.localeCompare(b);',
    "import { join } from 'path';",
    "import 'node:fs';",
    "export * from 'zod';",
    "import type { Socket } from 'node:net';",
    "const later = import('./x.ts');",
    '// biome-ignore lint/style/noRestrictedGlobals: just once',
  ];
  it.each(bad)('reports %s', (line) => {
    const problems = coreIsPure(repo({ 'packages/core/src/a.ts': `\n${line}\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^packages\/core\/src\/a\.ts:2: .+ Instead: .+\.$/);
  });

  const good = [
    '// Date.now() is forbidden here; await too',
    "const text = 'await Date.now()';",
    'const pattern = /Date.now()/;',
    'const late = signal.await;',
    'const roll = Math.floor(input.roll);',
    "import { x } from './x.ts';",
    "export type { Y } from '../y.ts';",
    'const isUpToDate = (date: number) => date > 0;',
  ];
  it.each(good)('accepts %s', (line) => {
    expect(coreIsPure(repo({ 'packages/core/src/a.ts': line }))).toEqual([]);
  });

  it('leaves tests and other packages alone', () => {
    const line = 'await Date.now();';
    expect(coreIsPure(repo({ 'packages/core/src/a.test.ts': line, 'packages/sim/src/a.ts': line }))).toEqual(
      [],
    );
  });
});

describe('imports point one way', () => {
  const bad: [path: string, line: string][] = [
    ['packages/core/src/a.ts', "import { x } from '@holter/sim';"],
    ['packages/core/src/a.test.ts', "import { x } from '@holter/agent';"],
    ['packages/agent/src/a.ts', "import { x } from '@holter/server';"],
    ['packages/server/src/a.ts', "import { x } from 'holter';"],
    ['packages/sim/src/a.ts', "import { x } from '@holter/agent';"],
    ['packages/sim/src/a.ts', "import { x } from '../../core/src/x.ts';"],
    ['packages/dashboard/src/a.tsx', "import { x } from '@holter/server';"],
    ['packages/dashboard/src/a.tsx', "import type { X } from '@holter/core';"],
  ];
  it.each(bad)('%s reports %s', (path, line) => {
    expect(importsPointOneWay(repo({ [path]: line }))).toEqual([expect.stringContaining('Instead: ')]);
  });

  it('accepts the way of the house', () => {
    const files = {
      'packages/agent/src/a.ts': "import { x } from '@holter/core';",
      'packages/holter/src/a.ts': "import { x } from '@holter/sim';\nimport y from 'commander';",
      'packages/sim/src/deep/a.ts': "import { x } from '../a.ts';",
      'packages/dashboard/src/a.tsx': "import type { X } from '@holter/server/http';",
    };
    expect(importsPointOneWay(repo(files))).toEqual([]);
  });

  it('reads package.json files', () => {
    const files = {
      'packages/core/package.json': '{"devDependencies":{"zod":"4.0.0"}}',
      'packages/agent/package.json': '{"dependencies":{"@holter/core":"0.0.0"}}',
      'packages/sim/package.json': '{"dependencies":{"holter":"0.0.0"}}',
      'packages/attic/package.json': '{}',
    };
    expect(manifestsPointOneWay(repo(files))).toEqual([
      expect.stringContaining('core depends on zod'),
      expect.stringContaining('sim depends on holter'),
      expect.stringContaining('unknown package attic'),
    ]);
  });
});

describe('folders point one way', () => {
  const src = 'packages/sim/src';
  const files = {
    [`${src}/index.ts`]: "/** What the package offers. */\nexport { a } from './low/a.ts';",
    [`${src}/low/a.ts`]: 'export const a = 1;',
    [`${src}/low/a.test.ts`]: "import { b } from '../high/b.ts';",
    [`${src}/low/deep/c.ts`]: "import { a } from '../a.ts';",
    [`${src}/high/b.ts`]: "import { a } from '../low/a.ts';\nimport { c } from '../low/deep/c.ts';",
  };
  const withFile = (path: string, text: string) => repo({ ...files, [`${src}/${path}`]: text });

  it('accepts one direction, tests and entry points', () => {
    expect(foldersPointOneWay(repo(files))).toEqual([]);
  });

  it.each([
    ['low/d.ts', "import { b } from '../high/b.ts';"],
    ['low/d.ts', "import type { B } from '../high/b.ts';"],
    ['low/d.ts', "export { b } from '../high/b.ts';"],
    ['low/d.ts', "export const b = import('../high/b.ts');"],
    ['low/d.ts', "import { c } from './deep/c.ts';"],
    ['start.ts', "import { b } from './high/b.ts';\nexport const e = b;", "import { e } from '../start.ts';"],
  ])('reports %s with %s', (path, text, above = '') => {
    const cyclic = new Map(withFile(path, text)).set(`${src}/high/e.ts`, above);
    expect(foldersPointOneWay(cyclic)).toEqual([
      expect.stringMatching(
        /these folders import each other\. Instead: .*\n {2}packages.* imports packages/s,
      ),
    ]);
  });

  it('reports who imports an entry point', () => {
    expect(foldersPointOneWay(withFile('low/d.ts', "import { a } from '../index.ts';"))).toEqual([
      expect.stringContaining('imports the entry point'),
    ]);
  });
});

describe('core is in reading order', () => {
  const page =
    '## The core, in reading order\n\n| folder | holds |\n| `low/` | a |\n| `high/` | b |\n\n## Next\n';
  const core = (folder: string, other: string) =>
    repo({
      'ARCHITECTURE.md': page,
      [`packages/core/src/${folder}/a.ts`]: `import { b } from '../${other}/b.ts';`,
      'packages/core/src/low/b.ts': '',
    });

  it('accepts imports of folders above', () => {
    expect(coreIsInReadingOrder(core('high', 'low'))).toEqual([]);
  });

  it.each([
    ['low', 'high', 'imports high/, which the table has below low/'],
    ['new', 'low', 'new/ is in no row of the table'],
  ])('reports %s, which imports %s', (folder, other, problem) => {
    expect(coreIsInReadingOrder(core(folder, other))).toEqual([expect.stringContaining(problem)]);
  });
});

describe('agents are known to their adapters', () => {
  const adapters = 'packages/server/src/adapters';
  const known = { [`${adapters}/shell-log/index.ts`]: '', [`${adapters}/hive/index.ts`]: '' };

  it.each([
    ["if (kind === 'claude-code') return;", 'claude'],
    ['const isClaude = true;', 'claude'],
    ['env.CODEX_HOME', 'codex'],
    ['const file = `~/.gemini/${name}`;', 'gemini'],
    ["import { shellLog } from './x.ts';", 'shell-log'],
    ['new Hive()', 'hive'],
  ])('reports %s', (line, name) => {
    const problems = agentsAreKnownToTheirAdapters(repo({ ...known, 'packages/holter/src/a.ts': line }));
    expect(problems).toEqual([expect.stringMatching(`^packages/holter/src/a.ts:1: knows ${name} by name`)]);
  });

  it('accepts comments, words that look alike, tests, the registry, and the adapter itself', () => {
    const files = {
      ...known,
      'packages/core/src/a.ts': '// as Codex does it\nconst archive = shell.log; /* Gemini */',
      'packages/holter/src/a.test.ts': "run('claude');",
      'packages/server/src/adapters/index.ts': "import { codex } from './codex/index.ts';",
      'packages/server/src/adapters/claude-code/own-folder.ts': "join(home, '.claude')",
      'e2e/claude/run.test.ts': "run('claude');",
    };
    expect(agentsAreKnownToTheirAdapters(repo(files))).toEqual([]);
    const other = { 'packages/server/src/adapters/codex/a.ts': "'claude'" };
    expect(agentsAreKnownToTheirAdapters(repo(other))).toHaveLength(1);
  });

  it('adapters import neither packages nor the server nor each other', () => {
    const from = (line: string) => adaptersLoadLittle(repo({ [`${adapters}/codex/a.ts`]: line }));
    for (const module of [
      'zod',
      '@holter/agent',
      '../../engine/engine.ts',
      '../hive/replay.ts',
      '../index.ts',
    ])
      expect(from(`import { x } from '${module}';`)).toEqual([expect.stringContaining('Instead: pass')]);
    for (const module of [
      'node:fs',
      '@holter/core/detect',
      '../shared/json.ts',
      './b.ts',
      '../../processes/index.ts',
    ])
      expect(from(`import { x } from '${module}';`)).toEqual([]);
  });
});

describe('only listed files read clock or dice', () => {
  const file = 'packages/sim/src/a.ts';
  const listed = (...files: string[]) => ({
    ...noExceptions,
    clockAndDice: files.map((name) => ({ file: name, because: 'a test' })),
  });

  it.each([
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'performance.now()',
    'process.hrtime.bigint()',
    'Math.random()',
    'randomUUID()',
  ])('reports %s', (code) => {
    const problems = clockAndDiceAreListed(repo({ [file]: `const x = ${code};` }), noExceptions);
    expect(problems).toEqual([expect.stringContaining('as a parameter')]);
  });

  it('accepts a date made of a number, and a listed file', () => {
    expect(clockAndDiceAreListed(repo({ [file]: 'new Date(at).toISOString()' }), noExceptions)).toEqual([]);
    expect(clockAndDiceAreListed(repo({ [file]: 'Date.now()' }), listed(file))).toEqual([]);
  });

  it('reports entries that are stale or share a package', () => {
    expect(clockAndDiceAreListed(repo({ [file]: 'let x;' }), listed(file))).toHaveLength(1);
    expect(clockAndDiceAreListed(repo({}), listed(file))).toHaveLength(1);
    const two = { [file]: 'Date.now()', 'packages/sim/src/b.ts': 'Date.now()' };
    expect(clockAndDiceAreListed(repo(two), listed(...Object.keys(two)))).toEqual([
      expect.stringContaining('a second file of sim'),
    ]);
  });
});

describe('files are short', () => {
  const file = 'packages/core/src/a.ts';
  const lines = (count: number) => 'x;\n'.repeat(count);
  const listed = { ...noExceptions, longFiles: [{ file, linesMax: linesMax + 10, because: 'a test' }] };

  it('reports a file over the cap, tests excepted', () => {
    expect(filesAreShort(repo({ [file]: lines(linesMax) }), noExceptions)).toEqual([]);
    expect(filesAreShort(repo({ 'packages/core/src/a.test.ts': lines(linesMax + 1) }), noExceptions)).toEqual(
      [],
    );
    expect(filesAreShort(repo({ [file]: lines(linesMax + 1) }), noExceptions)).toEqual([
      expect.stringContaining('split it'),
    ]);
  });

  it('lets a listed file be long, not longer, and wants the list to shrink', () => {
    expect(filesAreShort(repo({ [file]: lines(linesMax + 10) }), listed, 1)).toEqual([]);
    expect(filesAreShort(repo({ [file]: lines(linesMax + 11) }), listed, 1)).toHaveLength(1);
    expect(filesAreShort(repo({ [file]: lines(linesMax) }), listed, 1)).toHaveLength(1);
    expect(filesAreShort(repo({}), listed, 1)).toHaveLength(1);
    expect(filesAreShort(repo({ [file]: lines(linesMax + 10) }), listed, 0)).toEqual([
      expect.stringContaining('may only shrink'),
    ]);
  });
});

describe('exports are used', () => {
  const file = 'packages/core/src/a.ts';
  const a = 'export const used = 1;\nexport type Unused = 2;\nconst b = 3;\nexport { b as c };';

  it('reports what no file imports', () => {
    const problems = exportsAreUsed(
      repo({ [file]: a, 'packages/core/src/b.ts': "import { used } from './a.ts';" }),
    );
    expect(problems).toEqual([
      expect.stringContaining('no file imports Unused'),
      expect.stringContaining('no file imports c'),
    ]);
  });

  it.each([
    ['packages/core/src/index.ts', "export * from './a.ts';"],
    ['packages/core/src/deep/index.ts', "export { used, type Unused, c } from '../a.ts';"],
    ['tests/a.test.ts', "import { c, used as mine, type Unused } from '../packages/core/src/a.ts';"],
    ['bench/a.ts', "import * as all from '../packages/core/src/a.ts';"],
  ])('accepts what %s takes', (path, text) => {
    expect(exportsAreUsed(repo({ [file]: a, [path]: text }))).toEqual([]);
  });
});

describe('text', () => {
  it('links resolve', () => {
    const text =
      '[a](b.md) [c](../README.md#x-y) [d](https://example.org/x) [e](#a-heading-its-text) [dir](sub/) `[x](y.md)`\n```\n[x](y.md)\n```\n[gone](gone.md)\n## A heading: `its` text\n[f](#gone) [g](b.md#gone)';
    const files = { 'docs/a.md': text, 'docs/b.md': '', 'README.md': '# X y\n', 'docs/sub/c.md': '' };
    expect(linksResolve(repo(files))).toEqual([
      expect.stringMatching(/^docs\/a\.md:5: gone\.md .*Instead/),
      expect.stringMatching(/^docs\/a\.md:7: #gone does not exist/),
      expect.stringMatching(/^docs\/a\.md:7: b\.md#gone does not exist/),
    ]);
  });

  it('pages that are named exist', () => {
    const files = { 'docs/b.md': '', 'README.md': '' };
    const good = '// See docs/b.md, README.md and https://example.org/docs/x.md. `a.mdx`';
    expect(mentionedPagesExist(repo({ ...files, 'bench/a.ts': good }))).toEqual([]);
    expect(mentionedPagesExist(repo({ ...files, 'docs/c.md': 'Your CLAUDE.md stays.' }))).toEqual([]);
    for (const path of ['bench/a.ts', 'bench/a.test.ts', 'docs/c.md', 'holter.yaml']) {
      expect(mentionedPagesExist(repo({ ...files, [path]: 'see docs/gone.md' }))).toEqual([
        expect.stringMatching(/:1: docs\/gone\.md does not exist\. Instead: /),
      ]);
    }
    expect(mentionedPagesExist(repo({ ...files, 'bench/a.ts': '// design.md' }))).toHaveLength(1);
  });

  it('files that pages name exist', () => {
    const files = { 'e2e/a.test.ts': '' };
    const page = (text: string) => mentionedFilesExist(repo({ ...files, 'docs/c.md': text }));
    expect(page('shown by `e2e/a.test.ts`, beside `health.test.ts`')).toEqual([]);
    expect(page('all of `e2e`, `e2e/`, and `packages/core/src/NAME.ts`')).toEqual([]);
    expect(page('all of `packages/core`')).toHaveLength(1);
    expect(page('shown by `e2e/b.test.ts`')).toEqual([
      expect.stringMatching(/:1: e2e\/b\.test\.ts does not exist\. Instead: /),
    ]);
  });

  it('requirements that are cited exist', () => {
    const page = '# Requirements\n\n## Seed 000: a\n\n| §4 | x |\n\n## Seed 001: b\n\n| §1.3.2 | y |\n';
    const cite = (text: string) =>
      citedRequirementsExist(repo({ 'docs/seeds.md': page, 'bench/a.ts': text }));
    expect(cite("// Seed 000 §4, seed 001's names, seed 001 §1.3.2. --seed 000, seed 0001")).toEqual([]);
    expect(cite('// seed 000 §1.3.2')).toEqual([expect.stringContaining('seed 000 §1.3.2 is not in docs/')]);
    expect(cite('// seed 002')).toEqual([expect.stringContaining('Instead: say there')]);
  });

  it('every story is run', () => {
    const story = { 'scenarios/a.txt': 'x' };
    expect(storiesAreRun(repo({}))).toEqual([]);
    expect(storiesAreRun(repo(story))).toEqual([expect.stringContaining('no test runs the stories')]);
    expect(storiesAreRun(repo({ ...story, 'scenarios/run.test.ts': 'readdirSync(folder)' }))).toEqual([]);
    const deep = { 'scenarios/deep/a.txt': 'x', 'scenarios/run.test.ts': 'readdirSync(folder)' };
    expect(storiesAreRun(repo(deep))).toEqual([expect.stringContaining('move it there')]);
  });

  it.each(['TODO', 'FIXME', 'XXX'])('%s is reported', (word) => {
    expect(nothingIsPutOff(repo({ 'README.md': `${word}: later` }))).toEqual([
      expect.stringContaining('do it now'),
    ]);
  });

  it.each(['it.only(', 'test.skip(', 'describe.concurrent.only(', 'it.todo(', 'xit('])(
    '%s is reported',
    (call) => {
      expect(noTestIsSwitchedOff(repo({ 'a.test.ts': `${call}'x');` }))).toHaveLength(1);
      expect(noTestIsSwitchedOff(repo({ 'a.test.ts': `const text = "${call}";` }))).toEqual([]);
    },
  );

  it('paths of one machine are reported', () => {
    const bad = ['root', 'work', 'Users'].map((top) => `/${top}/x`);
    const good = `see docs${bad[1]} and https://example.org${bad[0]}`;
    for (const path of bad) {
      expect(noMachinePaths(repo({ 'a.md': `see ${path}` }), '/srv/clone')).toHaveLength(1);
    }
    expect(noMachinePaths(repo({ 'a.md': 'see /srv/clone/a' }), '/srv/clone')).toHaveLength(1);
    expect(noMachinePaths(repo({ 'a.md': good }), '/srv/clone')).toEqual([]);
  });

  it('a package.json that the lock file does not know is reported', () => {
    const lock = '{"packages":{"":{"devDependencies":{"a":"1"}},"packages/core":{}}}';
    const root = (version: string) => ({ 'package.json': `{"devDependencies":{"a":"${version}"}}` });
    expect(lockMatchesManifests(repo({ 'package-lock.json': lock, ...root('1') }))).toEqual([]);
    expect(lockMatchesManifests(repo({ 'package-lock.json': lock, ...root('2') }))).toHaveLength(1);
    const core = { 'packages/core/package.json': '{"dependencies":{"b":"1"}}' };
    expect(lockMatchesManifests(repo({ 'package-lock.json': lock, ...core }))).toHaveLength(1);
  });

  it('a platform that the lock file does not know is reported', () => {
    const lock = (known: string) =>
      `{"packages":{"node_modules/a":{"optionalDependencies":{"a-linux":"1"}},"node_modules/${known}":{}}}`;
    expect(lockKnowsEveryPlatform(repo({ 'package-lock.json': lock('a-linux') }))).toEqual([]);
    expect(lockKnowsEveryPlatform(repo({ 'package-lock.json': lock('a-darwin') }))).toHaveLength(1);
  });

  it('a registry in the lock file is reported', () => {
    const lock = '"resolved": "https://registry.example/x.tgz"';
    expect(lockNamesNoHost(repo({ 'package-lock.json': lock }))).toHaveLength(1);
    expect(lockNamesNoHost(repo({ 'package-lock.json': '"resolved": "packages/core"' }))).toEqual([]);
  });
});

describe('the reading of source', () => {
  it.each([
    ["a = 'x\\'y' + b", "a = '    ' + b"],
    ['a // b\nc', 'a     \nc'],
    ['a /* b\n */ c', 'a     \n    c'],
    ['`x${a + `y${b}`}z`', '` ${a + ` ${b}`} `'],
    ['a / b / c', 'a / b / c'],
    ['x = /[/"]/.test(a)', 'x = /    /.test(a)'],
    ['return /"/g;', 'return / /g;'],
  ])('masks %j', (source, masked) => {
    expect(mask(source)).toBe(masked);
  });

  it('finds imports over several lines, of types, and of everything', () => {
    const source =
      "import {\n  a,\n  type B as C,\n} from './x.ts';\nexport * from \"./y.ts\";\nimport d, { e } from './z.ts';";
    expect(importsOf(source).map(({ specifier, names }) => [specifier, names])).toEqual([
      ['./x.ts', ['a', 'B']],
      ['./y.ts', ['*']],
      ['./z.ts', ['e', 'default']],
    ]);
  });
});

describe('signals use the one door', () => {
  const line = "await this.engine.signal(signal, 'agent');";

  it('reports a way around it', () => {
    expect(signalsUseTheDoor(repo({ 'packages/server/src/http/a.ts': `\n${line}` }))).toEqual([
      'packages/server/src/http/a.ts:2: engine.signal goes around the intake. Instead: use Intake.',
    ]);
    expect(signalsUseTheDoor(repo({ 'packages/server/src/a.ts': 'engine?.register(x);' }))).toHaveLength(1);
  });

  it('leaves the intake and tests alone', () => {
    const good = { 'packages/server/src/intake/a.ts': line, 'packages/server/src/engine/a.test.ts': line };
    expect(signalsUseTheDoor(repo(good))).toEqual([]);
  });
});

describe('files of agents are opened in one place', () => {
  const check = (path: string, line: string) => agentFilesAreOpenedInOnePlace(repo({ [path]: `\n${line}` }));

  it.each([
    "import { readFileSync } from 'node:fs';",
    "import { mkdirSync, open as openFile } from 'node:fs/promises';",
    "import * as fs from 'node:fs';",
    "import fs from 'fs';",
    "const fs = await import('node:fs');",
  ])('reports %s', (line) => {
    const problems = check('packages/holter/src/run/a.ts', line);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^packages\/holter\/src\/run\/a\.ts:2: .+ Instead: .+\.$/);
  });

  it('leaves descriptors, folders, other places and tests alone', () => {
    expect(check('packages/server/src/sessions/a.ts', "import { write, mkdirSync } from 'node:fs';")).toEqual(
      [],
    );
    const line = "import { readFileSync } from 'node:fs';";
    expect(check('packages/server/src/files/a.ts', line)).toEqual([]);
    expect(check('packages/server/src/sessions/a.test.ts', line)).toEqual([]);
  });
});

describe('regular expressions are linear', () => {
  const path = 'packages/server/src/a.ts';
  const problemsOf = (code: string, exceptions = noExceptions) =>
    expressionsAreLinear(repo({ [path]: code }), exceptions);

  it.each([
    'const bad = /(a+)+b/;',
    'const bad = /(a{1,9}){1,9}b/;',
    "const bad = text.replace(/\\s+$/, '');",
    'const bad = /(?:x|xx)*y/i;',
    'const bad = /<b>.*?<.b>/g;',
    'const bad = [/^ok$/, /\\d+[a-z]*\\d+:/];',
    // Only two parts together, behind a head, are slow.
    'const bad = /^[[{](?:[^[\\]{}]|\\[\\s*\\])*(?:\\[\\s*\\]|:\\s*(?:0|null))(?:[^[\\]{}]|\\[\\s*\\])*[\\]}]$/;',
  ])('%s', (code) => {
    const problems = expressionsAreLinear(repo({ [path]: code }), noExceptions, 100);
    expect(problems).toEqual([expect.stringMatching(/is slow over .* Instead: /)]);
  });

  it.each([
    'const good = /a{1,9}b{1,9}c/;',
    "const good = text.replace(/(?<!\\s)\\s+$/, '');",
    'const good = /^[a-z]+:/;',
    "const good = '/(a+)+b/'; // /(a+)+b/",
  ])('not %s', (code) => {
    expect(problemsOf(code)).toEqual([]);
  });

  it('nor is one built where it can not be tried', () => {
    const code = 'const built = new RegExp(text);';
    expect(problemsOf(code)).toEqual([expect.stringContaining('is built at run time')]);
    const builtExpressions = [{ file: path, because: 'of fixed parts' }];
    expect(problemsOf(code, { ...noExceptions, builtExpressions } as never)).toEqual([]);
  });

  it('and what is listed is there', () => {
    const slowExpressions = [{ expression: `${path} /a+b/`, because: 'short' }];
    expect(problemsOf('const listed = /a+b/;', { ...noExceptions, slowExpressions } as never)).toEqual([]);
    expect(problemsOf('', { ...noExceptions, slowExpressions } as never)).toHaveLength(1);
  });
});
