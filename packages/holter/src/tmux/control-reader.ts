/** The reply to one command of a control-mode client. */
export type ControlReply = { readonly isError: boolean; readonly lines: readonly string[] };

type Block = { readonly guard: string; readonly isOwn: boolean; readonly lines: string[] };

/**
 * Reads what `tmux -C` prints. Replies to commands stand between `%begin TIME NUMBER FLAGS` and an `%end` or `%error`
 * with the same three words; the flag 1 marks replies to this client. All other lines are notifications.
 */
export class ControlReader {
  /** What its last line says about its end: nothing after an ordinary one. */
  exit: string | null = null;
  private partial = '';
  private block: Block | null = null;

  push(text: string): readonly ControlReply[] {
    const lines = (this.partial + text).split('\n');
    this.partial = lines.pop() ?? '';
    return lines.flatMap((line) => this.read(line) ?? []);
  }

  private read(line: string): ControlReply | null {
    const { block } = this;
    if (!block) {
      const guard = line.startsWith('%begin ') ? line.slice('%begin '.length) : null;
      if (line === '%exit' || line.startsWith('%exit ')) this.exit = line.slice('%exit '.length);
      if (guard !== null) this.block = { guard, isOwn: guard.endsWith(' 1'), lines: [] };
      return null;
    }
    const isError = line === `%error ${block.guard}`;
    if (!isError && line !== `%end ${block.guard}`) {
      block.lines.push(line);
      return null;
    }
    this.block = null;
    return block.isOwn ? { isError, lines: block.lines } : null;
  }
}
