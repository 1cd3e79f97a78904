import type { SignalBody } from '@holter/core';
import { exchange } from '../transport/index.ts';
import type { ReportTarget } from './protocol.ts';

const TIMEOUT_MS = 3_000;

/** Reports to a server. A failure is ignored: the frozen process could not handle it. */
export async function report(
  { url, agentId, token }: ReportTarget,
  signals: readonly (SignalBody & { readonly id: string })[],
): Promise<void> {
  const path = `/v1/agents/${encodeURIComponent(agentId)}/signals`;
  const body = JSON.stringify(signals);
  const request = { method: 'POST', url, path, token, body, isBackground: true } as const;
  await exchange({ ...request, timeoutMs: TIMEOUT_MS });
}
