/** Exit codes of every command. */
export const EXIT = { fine: 0, error: 1, usage: 2, foundWrong: 3 } as const;

/** An error that the user can do something about: what happened, and what to do next. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly next: string | null;
  readonly exitCode: number;
  constructor(message: string, next: string | null = null, exitCode: number = EXIT.error) {
    super(message);
    this.next = next;
    this.exitCode = exitCode;
  }
}
