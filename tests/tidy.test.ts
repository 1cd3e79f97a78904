import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { adaptersLoadLittle, agentsAreKnownToTheirAdapters } from './tidy/adapters.ts';
import { agentFilesAreOpenedInOnePlace } from './tidy/agent-files.ts';
import { clockAndDiceAreListed } from './tidy/clock-and-dice.ts';
import { coreIsPure } from './tidy/core-purity.ts';
import type { Exceptions } from './tidy/exceptions.ts';
import { filesAreShort } from './tidy/file-length.ts';
import { foldersPointOneWay } from './tidy/folder-direction.ts';
import { importsPointOneWay, manifestsPointOneWay } from './tidy/import-direction.ts';
import { expressionsAreLinear } from './tidy/linear-expressions.ts';
import { lockKnowsEveryPlatform, lockMatchesManifests, lockNamesNoHost } from './tidy/lock-file.ts';
import { signalsUseTheDoor } from './tidy/one-door.ts';
import { coreIsInReadingOrder } from './tidy/reading-order.ts';
import { readRepo } from './tidy/repo.ts';
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

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const repo = readRepo(root);
const exceptions = JSON.parse(
  readFileSync(new URL('./tidy-exceptions.json', import.meta.url), 'utf8'),
) as Exceptions;

describe('the repository is tidy', () => {
  const checks: readonly [rule: string, check: () => readonly string[]][] = [
    ['core is pure', () => coreIsPure(repo)],
    ['imports point one way', () => importsPointOneWay(repo)],
    ['folders point one way', () => foldersPointOneWay(repo)],
    ['core is in reading order', () => coreIsInReadingOrder(repo)],
    ['adapters load little', () => adaptersLoadLittle(repo)],
    ['agents are known to their adapters', () => agentsAreKnownToTheirAdapters(repo)],
    ['package.json files point one way', () => manifestsPointOneWay(repo)],
    ['files of agents are opened in one place', () => agentFilesAreOpenedInOnePlace(repo)],
    ['signals use the one door', () => signalsUseTheDoor(repo)],
    ['only listed files read clock or dice', () => clockAndDiceAreListed(repo, exceptions)],
    ['regular expressions are linear', () => expressionsAreLinear(repo, exceptions)],
    ['files are short', () => filesAreShort(repo, exceptions)],
    ['exports are used', () => exportsAreUsed(repo)],
    ['links in Markdown resolve', () => linksResolve(repo)],
    ['pages that are named exist', () => mentionedPagesExist(repo)],
    ['files that are named exist', () => mentionedFilesExist(repo)],
    ['requirements that are cited exist', () => citedRequirementsExist(repo)],
    ['every story is run', () => storiesAreRun(repo)],
    ['nothing is put off', () => nothingIsPutOff(repo)],
    ['no test is switched off', () => noTestIsSwitchedOff(repo)],
    ['no path of one machine', () => noMachinePaths(repo, root)],
    ['the lock file matches the package.json files', () => lockMatchesManifests(repo)],
    ['the lock file names no registry', () => lockNamesNoHost(repo)],
    ['the lock file knows every platform', () => lockKnowsEveryPlatform(repo)],
  ];

  it.each(checks)('%s', { timeout: 120_000 }, (_rule, check) => {
    expect(check()).toEqual([]);
  });
});
