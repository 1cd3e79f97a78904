import { importsOf } from './imports.ts';
import { isScript, isTest, type Repo, violation } from './repo.ts';

/** Where files are met that an agent can name or replace. */
const among =
  /^packages\/(?:server\/src\/(?:adapters|sessions|executors|config|ecos|judge|post)|holter\/src\/(?:run|connect|town|deacon|boot|daemon|tmux))\//;

/** They open a file by its path; what only works on an open file is no danger. */
const opens =
  /^(?:\*|default|open|openSync|openAsBlob|(?:read|write|append)File(?:Sync)?|copyFile(?:Sync)?|cp(?:Sync)?|truncate(?:Sync)?|create(?:Read|Write)Stream|promises)$/;

/** Such files are opened in packages/server/src/files, which expects FIFOs, devices, links and any size. */
export function agentFilesAreOpenedInOnePlace(repo: Repo): string[] {
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (!among.test(path) || !isScript(path) || isTest(path)) continue;
    for (const { specifier, names, index } of importsOf(text)) {
      if (!/^(?:node:)?fs(?:\/promises)?$/.test(specifier)) continue;
      for (const name of names.filter((each) => opens.test(each)))
        problems.push(
          violation(path, text, index, `opens files by itself (${name})`, 'use packages/server/src/files'),
        );
    }
  }
  return problems;
}
