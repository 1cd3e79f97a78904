import { type ControlClient, quoted } from './control-client.ts';

/** One pane at one look. */
export type PaneRow = {
  /** `%3`; never used again while its tmux server lives. */
  readonly paneId: string;
  /** Its window may be linked into several sessions; this is the oldest. */
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
} & Keys;

/** What is known of the keys of people in all sessions that show a pane. */
type Keys = {
  /** When the last one was pressed, in seconds; null if nobody is attached. */
  readonly typedAt: number | null;
  /** Somebody may type through a program in control mode, such as iTerm2: tmux does not say when. */
  readonly hasControlTerminal: boolean;
};

/** One look at a tmux server, by pane id. */
export type Panes = ReadonlyMap<string, PaneRow>;

const NO_KEYS: Keys = { typedAt: null, hasControlTerminal: false };

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
    client.ask(`list-clients -F ${quoted('#{session_id} #{client_activity} #{client_flags}')}`),
  ]);
  return panesIn({ panes, sessions, clients });
}

type Listed = {
  readonly panes: readonly string[];
  readonly sessions: readonly string[];
  readonly clients: readonly string[];
};

export function panesIn({ panes, sessions, clients }: Listed): Panes {
  const names = new Map(sessions.map((line) => splitAt(line, ' ')));
  const keys = keysIn(clients);
  const rows = new Map<string, PaneRow>();
  for (const line of panes) {
    const listed = parsePane(line, names);
    if (!listed) continue;
    const { paneId, sessionId } = listed;
    const row = { ...listed, ...(keys.get(sessionId) ?? NO_KEYS) };
    const other = rows.get(paneId);
    rows.set(paneId, other ? shownInBoth(row, other) : row);
  }
  return rows;
}

/** A window that is linked into several sessions, or is that of a session group, is listed for each of them. */
function shownInBoth(one: PaneRow, other: PaneRow): PaneRow {
  const ageOf = ({ sessionId }: PaneRow): number => Number(sessionId.slice(1));
  return { ...(ageOf(one) < ageOf(other) ? one : other), ...bothKeys(one, other) };
}

export function parsePane(
  line: string,
  names: ReadonlyMap<string, string>,
): Omit<PaneRow, keyof Keys> | null {
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

/**
 * By session id. A client in control mode is a program, and tmux does not date the keys that it passes on. One that
 * receives no output, as Holter's own, shows nobody a pane, and one that may only read passes on no keys.
 */
function keysIn(lines: readonly string[]): ReadonlyMap<string, Keys> {
  const keys = new Map<string, Keys>();
  for (const line of lines) {
    const [sessionId = '', at, list = ''] = line.split(' ');
    const flags = list.split(',');
    const isControl = flags.includes('control-mode');
    if (isControl && (flags.includes('no-output') || flags.includes('read-only'))) continue;
    const own = isControl ? { ...NO_KEYS, hasControlTerminal: true } : { ...NO_KEYS, typedAt: Number(at) };
    keys.set(sessionId, bothKeys(own, keys.get(sessionId) ?? NO_KEYS));
  }
  return keys;
}

const bothKeys = (one: Keys, other: Keys): Keys => ({
  typedAt:
    one.typedAt === null || other.typedAt === null
      ? (one.typedAt ?? other.typedAt)
      : Math.max(one.typedAt, other.typedAt),
  hasControlTerminal: one.hasControlTerminal || other.hasControlTerminal,
});

const numberOf = (text: string | undefined): number | null => (text ? Number(text) : null);

function splitAt(line: string, separator: string): readonly [string, string] {
  const at = line.indexOf(separator);
  return [line.slice(0, at), line.slice(at + 1)];
}

/** Milliseconds since a time that tmux gives in seconds. */
export const agoOf = (seconds: number | null, now: number): number | null =>
  seconds === null ? null : Math.max(0, now - seconds * 1_000);
