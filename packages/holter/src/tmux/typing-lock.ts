import { isAlive, type ProcessIdentity, type ProcessTable } from '@holter/server/process';
import { quoted, TmuxError } from './control-client.ts';
import type { Pane } from './tmux-server.ts';

/** An option of a pane: the process that types in it. Of those who ask, tmux sets it for the first. */
const TYPIST = '@holter-typing';

type TypedPane = Pick<Pane, 'tell' | 'paneId'>;

/** Who types, and how it is told whether another one still lives. */
export type Typist = { readonly self: ProcessIdentity; readonly table: ProcessTable };

/**
 * Types in a pane while no other process of Holter does: `holter tmux watch` and Boot may have something to say at once,
 * and their keys would mix. Null if another one types.
 */
export async function typingAlone<T>(
  pane: TypedPane,
  { self, table }: Typist,
  type: () => Promise<T>,
): Promise<T | null> {
  const own = Buffer.from(JSON.stringify(self)).toString('base64url');
  const isOwn = (await take(pane, own)) || ((await removeLeft(pane, table)) && (await take(pane, own)));
  if (!isOwn) return null;
  try {
    return await type();
  } finally {
    // A pane that has closed took it with it; one that tmux does not tell of is left to the next one who asks.
    await pane.tell('set-option -pu', TYPIST).catch(ignoreTmux);
  }
}

async function take(pane: TypedPane, own: string): Promise<boolean> {
  try {
    await pane.tell('set-option -po', `${TYPIST} ${own}`);
    return true;
  } catch (error) {
    if (error instanceof TmuxError && error.message.startsWith('already set')) return false;
    throw error;
  }
}

/** Removes what a process has left that has ended, unless somebody else has taken its place meanwhile. */
async function removeLeft(pane: TypedPane, table: ProcessTable): Promise<boolean> {
  const [text = ''] = await pane.tell('show-options -pqv', TYPIST);
  const holder = identityIn(text);
  if (holder && isAlive(table, holder)) return false;
  // Only Holter's own words are compared with: others could be a format of tmux.
  const isSame = holder ? `#{==:#{${TYPIST}},${text}}` : '1';
  await pane.tell('if-shell -F', `${quoted(isSame)} ${quoted(`set-option -pu -t ${pane.paneId} ${TYPIST}`)}`);
  return true;
}

function identityIn(text: string): ProcessIdentity | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    const { bootId, pid, startedAt } = JSON.parse(
      Buffer.from(text, 'base64url').toString(),
    ) as Partial<ProcessIdentity>;
    return bootId && pid && startedAt ? { bootId, pid, startedAt } : null;
  } catch {
    return null;
  }
}

const ignoreTmux = (error: unknown): void => {
  if (!(error instanceof TmuxError)) throw error;
};
