/**
 * A mistake in the host's own code, such as a bad option or a second registration. It is thrown only by the call
 * that contains the mistake; problems while an agent runs are recorded instead.
 */
export class OptionError extends Error {
  override readonly name = 'OptionError';
  /** Stable, for programs: `bad_option`, `unknown_option`, `already_registered` … */
  readonly code: string;
  /** The option it is about. */
  readonly field: string | null;

  constructor(code: string, message: string, field: string | null = null) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

export function refuseUnknown(options: object, known: readonly string[], what: string): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new OptionError(
        'unknown_option',
        `${what} has no option ${name}; it has ${known.join(', ')}`,
        name,
      );
  }
}

export function checkPositive(value: unknown, field: string): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw new OptionError('bad_option', `${field} must be a number of milliseconds above 0`, field);
}
