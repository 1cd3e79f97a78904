/** A bug in Holter, not a bad input. The shell contains it: that agent becomes unknown, the monitor keeps running. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Stays on in production: stopping with an error is safer than continuing on a broken assumption. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${JSON.stringify(value)}`);
}
