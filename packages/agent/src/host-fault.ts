/** A function of the host threw when it was called. This must not stop Holter, but it is reported as a warning. */
export function warnOfHost(what: string, error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`${what} failed: ${words}`, 'HolterWarning');
}
