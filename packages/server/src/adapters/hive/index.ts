import { basename } from 'node:path';
import type { Adapter } from '../shared/adapter.ts';
import { replay } from './replay.ts';

/** Aden's Hive: recorded runs only; a running one is watched as a process. */
export const hive: Adapter = {
  name: 'hive',
  isProgram: (program) => basename(program) === 'hive',
  replay,
};
