import { type ControlClient, quoted } from './control-client.ts';

/** One pane at one look. */
export type PaneRow = {
  /** `%3`; never used again while its tmux server lives. */
  readonly paneId: string;
  readonly sessionId: string;
  readonly sessionName: string;
  readonly pid: number;
  /** How its command ended, where tmux keeps the pane (`remain-on-exit`); null while it runs. */
  readonly dead: { readonly code: number | null; readonly signal: number | null } | null;
  /** Copy mode or a menu: keys would go there. */
  readonly isInMode: boolean;
  /** `synchronize-panes`: keys would also go to other panes of its window. */
  readonly isSynchronized: boolean;
  /** When its window last had output, in seconds. */
  readonly activity: number;
  readonly title: string;
};

/** One look at a tmux server. */
export type Panes = {
  readonly panes: ReadonlyMap<string, PaneRow>;
  /** When a person last pressed a key in a session, in seconds, by session id. */
  readonly typedAt: ReadonlyMap<string, number>;
};

const PANE_FIELDS = [
  'pane_id',
  'session_id',
  'pane_pid',
  'pane_dead',
  'pane_dead_status',
  'pane_dead_signal',
  'pane_in_mode',
  'pane_synchronized',
  'window_activity',
  // Last, because a program may put anything into its title.
  'pane_title',
];
const PANE_FORMAT = PANE_FIELDS.map((field) => `#{${field}}`).join('|');

export async function lookAtPanes(client: ControlClient): Promise<Panes> {
  const [panes, sessions, clients] = await Promise.all([
    client.ask(`list-panes -a -F ${quoted(PANE_FORMAT)}`),
    client.ask(`list-sessions -F ${quoted('#{session_id} #{session_name}')}`),
    client.ask(`list-clients -F ${quoted('#{client_control_mode} #{session_id} #{client_activity}')}`),
  ]);
  const names = new Map(sessions.map((line) => splitAt(line, ' ')));
  const rows = panes.flatMap((line) => parsePane(line, names) ?? []);
  // A window that is linked into several sessions is listed for each of them.
  return { panes: new Map(rows.reverse().map((row) => [row.paneId, row])), typedAt: parseTyped(clients) };
}

export function parsePane(line: string, names: ReadonlyMap<string, string>): PaneRow | null {
  const [paneId = '', sessionId = '', pid, isDead, code, signal, mode, isSynchronized, activity, ...title] =
    line.split('|');
  const sessionName = names.get(sessionId);
  if (!/^%\d+$/.test(paneId) || sessionName === undefined || !(Number(pid) > 0)) return null;
  return {
    ...{ paneId, sessionId, sessionName, pid: Number(pid) },
    dead: isDead === '1' ? { code: numberOf(code), signal: numberOf(signal) } : null,
    isInMode: mode !== '0',
    isSynchronized: isSynchronized !== '0',
    activity: Number(activity),
    title: title.join('|'),
  };
}

/** Of people only: a client in control mode is a program. */
export function parseTyped(lines: readonly string[]): ReadonlyMap<string, number> {
  const typedAt = new Map<string, number>();
  for (const line of lines) {
    const [isControl, sessionId = '', at] = line.split(' ');
    if (isControl !== '0') continue;
    typedAt.set(sessionId, Math.max(typedAt.get(sessionId) ?? 0, Number(at)));
  }
  return typedAt;
}

const numberOf = (text: string | undefined): number | null => (text ? Number(text) : null);

function splitAt(line: string, separator: string): readonly [string, string] {
  const at = line.indexOf(separator);
  return [line.slice(0, at), line.slice(at + 1)];
}

/** Milliseconds since a time that tmux gives in seconds. */
export const agoOf = (seconds: number | null, now: number): number | null =>
  seconds === null ? null : Math.max(0, now - seconds * 1_000);
