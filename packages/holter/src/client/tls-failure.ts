import { tlsProblem } from '@holter/agent/transport';
import { CliFailure } from '../terminal/failure.ts';

/** A server runs there, but its certificate can't be verified from here. */
export class TlsFailure extends CliFailure {}

/** Null for every other reason why a connection failed. */
export function tlsFailure(url: string, cause: unknown): TlsFailure | null {
  const problem = tlsProblem(cause);
  return problem === null ? null : new TlsFailure(`${url} can't be used: ${problem}`);
}
