/** A function of the host failed while we called it. It must not stop us, and it must not be hidden either. */
export function warnOfHost(what: string, error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`${what} failed: ${words}`, 'HolterWarning');
}
