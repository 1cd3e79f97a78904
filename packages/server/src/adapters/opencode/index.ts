import { basename } from 'node:path';
import type { Adapter } from '../shared/adapter.ts';
import { screen } from './screen.ts';

/** opencode: its screen in tmux; it is watched as a process. */
export const opencode: Adapter = {
  name: 'opencode',
  isProgram: (program) => /^opencode(\.exe)?$/.test(basename(program)),
  screen,
};
