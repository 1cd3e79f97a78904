/** What a person has to change before Holter can work with the agent: what is wrong, and what to do next. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly next: string | null;

  constructor(message: string, next: string | null = null) {
    super(message);
    this.next = next;
  }
}
