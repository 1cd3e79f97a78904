import type { Control } from 'node:child_process';

/** The names that the two ends of a heartbeat agree on. */
export const workerChannelName = (threadId: number): string => `holter-heartbeat-${threadId}`;

export type IpcHeartbeat = { readonly holter: 'ping' | 'pong' };

export function isHeartbeat(message: unknown, what: IpcHeartbeat['holter']): boolean {
  return typeof message === 'object' && message !== null && 'holter' in message && message.holter === what;
}

type CountedControl = Control & { readonly refCounted?: () => void; readonly unrefCounted?: () => void };

/**
 * Node keeps a process alive for each `message` and `disconnect` listener on its IPC channel. Ours must not:
 * the reference count is lowered after adding them and raised before removing them.
 */
export function discount(channel: Control | null | undefined, listeners: number): void {
  const control = channel as CountedControl | null | undefined;
  for (let i = 0; i < listeners; i += 1) control?.unrefCounted?.();
}

export function recount(channel: Control | null | undefined, listeners: number): void {
  const control = channel as CountedControl | null | undefined;
  for (let i = 0; i < listeners; i += 1) control?.refCounted?.();
}
