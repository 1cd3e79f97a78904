import { basename } from 'node:path';
import type { Adapter } from '../shared/adapter.ts';
import { replay } from './replay.ts';
import { screen } from './screen.ts';

/** OpenAI's Codex CLI: recorded sessions, and its screen in tmux; a running one is watched as a process. */
export const codex: Adapter = {
  name: 'codex',
  isProgram: (program) => /^codex(\.exe)?$/.test(basename(program)),
  screen,
  replay,
};
