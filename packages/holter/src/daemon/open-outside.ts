import type { Outside } from '@holter/server/outside';
import { type Clock, findConfigFile } from '@holter/server/process';

type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly clock: Clock;
};

/**
 * The operator's channels, read again each time they are needed, which is seldom. While the file has a mistake, those
 * that were read last are used.
 */
export function outsideOf({ env, workingDirectory, clock }: Surroundings): () => Promise<Outside | null> {
  let last: Outside | null = null;
  return async () => {
    const [config, outside] = await Promise.all([
      import('@holter/server/config'),
      import('@holter/server/outside'),
    ]);
    const loaded = config.loadConfig(findConfigFile(undefined, env, workingDirectory), undefined, env);
    const host = { env, platform: process.platform, terminal: '/dev/tty' };
    if (loaded.kind === 'loaded') last = new outside.Outside(loaded.config, host, clock);
    return last;
  };
}
