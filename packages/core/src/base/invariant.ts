/** A bug in Holter, not a bad input. The shell confines it: that agent becomes unknown, the monitor lives. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Stays on in production: a monitor that goes on with a broken premise is worse than one that says so. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${JSON.stringify(value)}`);
}
