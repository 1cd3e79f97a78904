import { join } from 'node:path/posix';
import { resolveFrom } from './imports.ts';
import { mask } from './mask.ts';
import { isScript, isTest, type Repo, violation } from './repo.ts';

/** Tidy's own files must name what they forbid. */
const isTidy = (path: string) => /^tests\/tidy/.test(path);

export function linksResolve(repo: Repo): string[] {
  const problems: string[] = [];
  const folders = new Set([...repo.keys()].flatMap(foldersAbove));
  for (const [path, text] of repo) {
    if (!path.endsWith('.md')) continue;
    for (const match of proseOf(text).matchAll(/\]\(\s*<?([^)\s>]+)|^\[[^\]]+\]:\s*(\S+)/gm)) {
      const link = match[1] ?? match[2] ?? '';
      if (/^[a-z][a-z+.-]*:/i.test(link)) continue;
      const [target = '', anchor] = link.split('#');
      const file = fileOf(path, target);
      const page = repo.get(file);
      const isThere = page !== undefined || folders.has(file.replace(/\/$/, ''));
      const hasAnchor = anchor === undefined || !file.endsWith('.md') || anchorsOf(page ?? '').has(anchor);
      if (isThere && hasAnchor) continue;
      problems.push(
        violation(path, text, match.index, `${link} does not exist`, 'correct or remove the link'),
      );
    }
  }
  return problems;
}

function fileOf(path: string, target: string): string {
  if (target === '') return path;
  return target.startsWith('/') ? target.slice(1) : join(resolveFrom(path, target), '.');
}

/** Markdown with its code blanked. */
const proseOf = (text: string): string =>
  text.replace(/^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm, (code) => code.replace(/[^\n]/g, ' '));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- _]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/**
 * Pages that are named without a link, as in comments, help texts and error messages. `docs/…` is checked in every
 * file, any other `.md` name only in sources: prose also speaks of files that users have, such as CLAUDE.md.
 */
export function mentionedPagesExist(repo: Repo): string[] {
  const problems: string[] = [];
  const isSource = (path: string) => isScript(path) && !isTest(path);
  for (const [path, text] of repo) {
    if (isTidy(path)) continue;
    for (const match of text.matchAll(/(?<![\w./-])(?:[\w-]+\/)*[\w-]+\.(?:md|svg|png)\b/g)) {
      const [page] = match;
      const concerns = page.startsWith('docs/') || (page.endsWith('.md') && isSource(path));
      if (!concerns || repo.has(page) || repo.has(resolveFrom(path, page))) continue;
      problems.push(
        violation(path, text, match.index, `${page} does not exist`, 'name a page of this repository'),
      );
    }
  }
  return problems;
}

/** Pages name the files and tests that show what they say, such as docs/security.md. NAME stands for any name. */
export function mentionedFilesExist(repo: Repo): string[] {
  const folders = new Set([...repo.keys()].flatMap(foldersOf));
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (!path.endsWith('.md')) continue;
    for (const match of text.matchAll(MENTIONED)) {
      const [, named = ''] = match;
      if (repo.has(named) || folders.has(named) || named.includes('/NAME.')) continue;
      problems.push(
        violation(path, text, match.index, `${named} does not exist`, 'name the file that shows it'),
      );
    }
  }
  return problems;
}

/** The repository is read without its recorded fixtures. */
const MENTIONED =
  /`((?!tests\/fixtures\b)(?:packages|e2e|tests|scenarios|bench|scripts|mutants|eval)\/[\w./-]{0,200}\w)\/?`/g;

const foldersOf = (path: string): string[] =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));

/** Comments cite the documents that Holter began with, such as "seed 000 §4"; docs/seeds.md says what they require. */
export function citedRequirementsExist(repo: Repo): string[] {
  const page = 'docs/seeds.md';
  const parts = new Map(
    (repo.get(page) ?? '').split(/^## /m).map((part) => [/^Seed \d{3}/.exec(part)?.[0].toLowerCase(), part]),
  );
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (isTidy(path) || path === page) continue;
    for (const match of text.matchAll(/\bseed \d{3}\b(?: (§[\d.]*\d))?/gi)) {
      const [cited, section] = match;
      const part = parts.get(cited.slice(0, 'seed 000'.length).toLowerCase());
      if (part !== undefined && (section === undefined || part.includes(`| ${section} |`))) continue;
      problems.push(
        violation(path, text, match.index, `${cited} is not in ${page}`, 'say there what it requires'),
      );
    }
  }
  return problems;
}

export function storiesAreRun(repo: Repo): string[] {
  const paths = [...repo.keys()];
  const stories = paths.filter((path) => /^scenarios\/.*\.txt$/.test(path));
  const problems = stories
    .filter((path) => path.split('/').length > 2)
    .map((path) => `${path}: the runner reads only scenarios/*.txt. Instead: move it there.`);
  const hasRunner = paths.some(
    (path) =>
      /^(scenarios|tests)\/[^/]*\.test\.ts$/.test(path) &&
      !isTidy(path) &&
      readsStories(repo.get(path) ?? ''),
  );
  if (stories.length > 0 && !hasRunner) {
    problems.push(
      `${stories[0]}: no test runs the stories. Instead: let scenarios/run.test.ts read the folder.`,
    );
  }
  return problems;
}

export function nothingIsPutOff(repo: Repo): string[] {
  const instead = 'do it now, or leave it out';
  return find(repo, (path) => !isTidy(path), /\b(?:TODO|FIXME|XXX)\b/g, 'puts work off', instead);
}

export function noTestIsSwitchedOff(repo: Repo): string[] {
  const masked = new Map(
    [...repo].filter(([path]) => isTest(path)).map(([path, text]) => [path, mask(text)]),
  );
  const switched =
    /\b(?:it|test|describe|suite|bench)(?:\s*\.\s*\w+)*?\s*\.\s*(?:only|skip|todo)\b|\b(?:xit|xdescribe|fit|fdescribe)\s*\(/g;
  return find(masked, () => true, switched, 'switches tests off', 'repair the test or delete it');
}

export function noMachinePaths(repo: Repo, root: string): string[] {
  const home = /(?<![\w.\-/])\/(?:work|root|Users)\/[\w.]/g;
  const instead = 'use a path relative to the repository';
  const problems = find(repo, (path) => !isTidy(path), home, 'names a path of one machine', instead);
  for (const [path, text] of repo) {
    const index = text.indexOf(`${root}/`);
    if (index !== -1 && root.split('/').length > 2) {
      problems.push(violation(path, text, index, 'names the path of this clone', instead));
    }
  }
  return problems;
}

function readsStories(test: string): boolean {
  return /readdir|glob/.test(test);
}

function find(
  repo: Repo,
  concerns: (path: string) => boolean,
  pattern: RegExp,
  problem: string,
  instead: string,
): string[] {
  return [...repo].flatMap(([path, text]) =>
    concerns(path)
      ? [...text.matchAll(pattern)].map((match) =>
          violation(path, text, match.index, `${problem} (${match[0]})`, instead),
        )
      : [],
  );
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['.', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
