import { basename } from 'node:path';
import { seconds } from '@holter/core';
import type { Adapter } from '../shared/adapter.ts';
import { recipe } from './recipe.ts';
import { replay } from './replay.ts';
import { transcript } from './transcript.ts';

/** The shell agent of `examples/agents/shell-agent.sh`, which logs its calls as JSON lines. */
export const shellLog: Adapter = {
  name: 'shell-log',
  isProgram: (program) => /^shell-agent(\.sh)?$/.test(basename(program)),
  // It has no model; between two commands it rests for a moment.
  promises: { calls: { modelTimeoutMs: seconds(60) } },
  transcript,
  recipe,
  replay,
};
