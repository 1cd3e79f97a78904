import { basename } from 'node:path';
import type { Adapter } from '../shared/adapter.ts';
import { replay } from './replay.ts';
import { openStepFolder } from './step-folder.ts';

/** Aden's Hive: its folders of sessions are read by the judge; a running one is watched as a process. */
export const hive: Adapter = {
  name: 'hive',
  isProgram: (program) => basename(program) === 'hive',
  replay,
  stepFolder: openStepFolder,
};
