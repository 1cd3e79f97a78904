import { redact } from '../redaction/index.ts';

/** Of one agent; about a thousand lines. */
const CHARACTERS_MAX = 64_000;
const AGENTS_MAX = 1_000;

type Tail = { readonly text: string; readonly end: number };

/**
 * The newest output of each agent, without secrets. It is kept in memory only: it is for looking at, nothing is judged
 * by it, and after a restart it begins again.
 */
export class OutputBook {
  private readonly tails = new Map<string, Tail>();

  append(agentId: string, text: string): void {
    const before = this.tails.get(agentId) ?? { text: '', end: 0 };
    const added = redact(text);
    this.tails.delete(agentId);
    this.tails.set(agentId, {
      text: (before.text + added).slice(-CHARACTERS_MAX),
      end: before.end + added.length,
    });
    const oldest = this.tails.keys().next();
    if (this.tails.size > AGENTS_MAX && !oldest.done) this.tails.delete(oldest.value);
  }

  /** What came after this position, as far as it is kept, and the position to ask for next. */
  read(
    agentId: string,
    after: number,
  ): { readonly text: string; readonly next: number; readonly isCut: boolean } {
    const { text, end } = this.tails.get(agentId) ?? { text: '', end: 0 };
    // A position from before a restart of the server may lie beyond the end.
    const from = after > end ? 0 : after;
    const begin = end - text.length;
    return { text: text.slice(Math.max(0, from - begin)), next: end, isCut: from < begin };
  }
}
