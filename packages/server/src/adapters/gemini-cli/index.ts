import { basename } from 'node:path';
import type { Adapter } from '../shared/adapter.ts';
import { screen } from './screen.ts';

/** Google's Gemini CLI: its screen in tmux; it is watched as a process. */
export const geminiCli: Adapter = {
  name: 'gemini-cli',
  isProgram: (program) => /^gemini(\.exe)?$/.test(basename(program)),
  screen,
};
