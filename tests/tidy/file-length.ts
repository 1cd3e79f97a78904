import type { Exceptions } from './exceptions.ts';
import { isScript, isTest, type Repo } from './repo.ts';

export const linesMax = 400;

/** How many entries the list of long files may have. Lower it when one is gone; never raise it. */
export const longFilesMax = 0;

export function filesAreShort(repo: Repo, { longFiles }: Exceptions, entriesMax = longFilesMax): string[] {
  const problems: string[] = [];
  const capOf = new Map(longFiles.map((entry) => [entry.file, entry.linesMax]));
  for (const [path, text] of repo) {
    if (!/^(packages|scripts|bench|tests)\//.test(path) || !isScript(path) || isTest(path)) continue;
    const lines = text.trimEnd().split('\n').length;
    const cap = capOf.get(path) ?? linesMax;
    if (lines > cap) {
      problems.push(
        `${path}: ${lines} lines, more than ${cap}. Instead: split it by state or by idea, not by helper.`,
      );
    }
    if (capOf.has(path) && lines <= linesMax) {
      problems.push(`${path}: is short enough by now. Instead: take it off tidy-exceptions.json.`);
    }
  }
  for (const { file } of longFiles) {
    if (!repo.has(file)) problems.push(`${file}: does not exist. Instead: take it off tidy-exceptions.json.`);
  }
  if (longFiles.length > entriesMax) {
    problems.push(
      `tidy-exceptions.json: ${longFiles.length} long files, more than ${entriesMax}. Instead: the list may only shrink; split the new one.`,
    );
  }
  return problems;
}
