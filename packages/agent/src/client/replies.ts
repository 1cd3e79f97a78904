import type { Reply } from '../transport/index.ts';

type Refusal = { readonly code: string; readonly message: string };

/** What a reply means for what was sent. */
export type Verdict =
  | {
      readonly kind: 'taken';
      readonly body: Readonly<Record<string, unknown>>;
      /** Signals that were refused although their batch was accepted. */
      readonly refusals: readonly (Refusal & { readonly index: number })[];
    }
  /** A temporary failure: try again later. */
  | ({ readonly kind: 'later'; readonly retryAfterMs: number } & Refusal)
  /** The server does not know this incarnation any more. */
  | ({ readonly kind: 'register-again' } & Refusal)
  /** A newer incarnation has replaced it. */
  | ({ readonly kind: 'superseded' } & Refusal)
  | ({ readonly kind: 'too-large' } & Refusal)
  /** It would be refused again. */
  | ({ readonly kind: 'refused' } & Refusal);

const REGISTER_AGAIN: ReadonlySet<string> = new Set([
  'unknown_agent',
  'unknown_incarnation',
  'no_incarnation',
  'agent_ended',
]);
const SUPERSEDED = 'stale_incarnation';
const NONSENSE: Refusal = { code: 'nonsense', message: 'the answer is not that of a Holter server' };

export function verdictOf(reply: Reply): Verdict {
  if (reply.kind === 'failed')
    return { kind: 'later', retryAfterMs: 0, code: 'unreachable', message: reply.because };
  const { status, body, isJson } = reply;
  if (!isJson) {
    const message = `it answered ${status} without JSON: that is not Holter`;
    return { kind: 'later', retryAfterMs: 0, code: 'unreachable', message };
  }
  if (status < 300) return takenOf(body);
  const refusal = readError(body);
  if (status >= 500 || status === 429)
    return { kind: 'later', retryAfterMs: reply.retryAfterMs ?? 0, ...refusal };
  if (refusal.code === SUPERSEDED) return { kind: 'superseded', ...refusal };
  if (status === 401 || REGISTER_AGAIN.has(refusal.code)) return { kind: 'register-again', ...refusal };
  return { kind: status === 413 ? 'too-large' : 'refused', ...refusal };
}

function takenOf(value: unknown): Verdict {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'later', retryAfterMs: 0, ...NONSENSE };
  const body = value as Readonly<Record<string, unknown>>;
  const refusals = Array.isArray(body.refused) ? body.refused.map(refusalOf) : [];
  // Each signal of a batch has its own result, but a lost incarnation concerns all of them.
  const lost = refusals.find(({ code }) => code === SUPERSEDED || REGISTER_AGAIN.has(code));
  if (lost?.code === SUPERSEDED) return { ...lost, kind: 'superseded' };
  return lost ? { ...lost, kind: 'register-again' } : { kind: 'taken', body, refusals };
}

function refusalOf(value: unknown): Refusal & { readonly index: number } {
  const index = typeof value === 'object' && value !== null && 'index' in value ? Number(value.index) : -1;
  return { index, ...readError(value) };
}

/** `{error: {code, message}}`, or anything else. */
function readError(body: unknown): Refusal {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  if (typeof error !== 'object' || error === null) return NONSENSE;
  const { code, message } = error as Readonly<Record<string, unknown>>;
  return {
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof message === 'string' ? message : 'without a reason',
  };
}
