import type { FullOptions } from './options.ts';

type Registered = { readonly incarnation: number; readonly token: string };

const SECOND_MS = 1_000;

export function registrationBody(options: FullOptions, instanceId: string, taskId: string | null): string {
  const { agentId, role, group, spawnKey, promises, can, beatEveryMs } = options;
  return JSON.stringify({
    agentId,
    instanceId,
    role,
    group,
    can,
    promises: { ...promises, beatEverySeconds: beatEveryMs / SECOND_MS },
    ...(taskId !== null && { taskId }),
    ...(spawnKey !== null && { spawnKey }),
  });
}

export function readRegistered(body: Readonly<Record<string, unknown>>): Registered | null {
  const { incarnation, token } = body;
  const isGood = Number.isSafeInteger(incarnation) && typeof token === 'string' && token !== '';
  return isGood ? { incarnation: incarnation as number, token } : null;
}
