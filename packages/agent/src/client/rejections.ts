/** Something that the server or this client did not accept. The agent was not interrupted. */
export type Rejection = {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly what: string;
  readonly code: string;
  readonly message: string;
};

const KEPT_MAX = 50;
const MESSAGE_LENGTH_MAX = 300;

/** The newest rejections, for `status`. */
export class Rejections {
  readonly kept: Rejection[] = [];
  count = 0;
  private readonly wall: () => number;

  constructor(wall: () => number) {
    this.wall = wall;
  }

  add(what: string, code: string, message: string): void {
    this.count += 1;
    const last = this.kept.at(-1);
    // A server that is away for an hour counts as one rejection.
    if (last && last.what === what && last.code === code && last.message === message) this.kept.pop();
    this.kept.push({ at: this.wall(), what, code, message: message.slice(0, MESSAGE_LENGTH_MAX) });
    if (this.kept.length > KEPT_MAX) this.kept.shift();
  }

  addError(what: string, error: unknown): void {
    this.add(what, 'handler_failed', error instanceof Error ? error.message : String(error));
  }
}
