import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../packages/server/test/until.ts';
import { bin, cleanEnvironment } from '../holter-process.ts';
import type { Stage } from './kit.ts';

const fixture = join(dirname(fileURLToPath(import.meta.url)), 'fixtures', 'steps.mjs');

export type StepsRun = {
  readonly said: () => string;
  /** Waits until it has saved its three steps. */
  readonly saved: () => Promise<void>;
  readonly end: () => Promise<void>;
};

/** A real `holter run` of a command that saves three steps into its checkpoint file. */
export function startSteps(stage: Stage, agentId: string): StepsRun {
  const options = ['--agent', agentId, '--task', 'walk', '--look-every', '200ms'];
  const file = ['--checkpoint-file', `${agentId}.json`];
  const words = [bin, 'run', ...options, ...file, '--', process.execPath, fixture];
  const env = cleanEnvironment(stage.folder);
  const child = spawn(process.execPath, words, { cwd: stage.folder, env });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const hasSaved = async (): Promise<boolean> =>
    (await stage.operator.checkpoints(agentId).catch(() => null))?.checkpoints.length === 3;
  return {
    said: () => said,
    saved: async () => {
      await until(`${agentId} has saved its steps`, hasSaved, 30_000);
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}
