import type { FleetRowView, IncidentView, TicketView } from '@holter/server/local';
import { describe, expect, it } from 'vitest';
import { painter } from '../terminal/paint.ts';
import { type Act, type Key, type KeyName, press } from './keys.ts';
import { beginning, type State, withFleet } from './state/state.ts';
import { frameOf } from './views/frame.ts';
import { unseenOnScreen } from './views/on-screen.ts';

const SIZE = { columns: 79, rows: 24 };
const PLAIN = painter({ hasColour: false });
const NAMES: ReadonlySet<string> = new Set([
  'up',
  'down',
  'pageDown',
  'home',
  'end',
  'enter',
  'escape',
  'backspace',
]);

const row = (agentId: string, more: Partial<FleetRowView> = {}): FleetRowView =>
  ({
    agentId,
    state: 'HEALTHY',
    stateSince: 1,
    endedAt: null,
    incidentId: null,
    needsYouSince: null,
    why: null,
    hold: null,
    tool: null,
    strip: '',
    ...more,
  }) as FleetRowView;

const counts = { byState: { HEALTHY: 100 }, incidents: 0, waiting: 0, openBreakers: 0, needYou: 0 };

/** A fleet of a hundred, of which the server has sent the first thirty. */
function fleet(): State {
  const rows = Array.from({ length: 30 }, (_, index) => row(`agent-${index}`));
  const order = rows.map(({ agentId }) => agentId);
  const page = {
    at: 1_000_000,
    total: 100,
    folded: 0,
    offset: 0,
    counts,
    groups: [],
    groupCounts: [],
    needYou: [],
  };
  return withFleet(beginning(SIZE, 0, true), { ...page, order, rows });
}

/** Names of keys, or characters; `^q` is Ctrl+Q. */
function type(state: State, ...keys: readonly string[]): { readonly state: State; readonly act?: Act } {
  let pressed: ReturnType<typeof press> = { state };
  for (const word of keys) {
    const key: Key = NAMES.has(word)
      ? { input: '', name: word as KeyName, isCtrl: false }
      : { input: word.replace('^', ''), name: null, isCtrl: word.startsWith('^') };
    pressed = press(pressed.state, key);
  }
  return pressed;
}

const ticket = (id: string, agentId: string): TicketView => ({
  agentId,
  at: 1,
  condition: 'stall',
  status: 'asking',
  changedAt: 1,
  reason: 'The ticket is high.',
  incidentId: null,
  wasAsked: true,
  answer: null,
  ticket: {
    ticket_id: id,
    created_at: '2026-01-24T10:00:00Z',
    worker_agent_id: agentId,
    worker_session_id: 's',
    worker_node_id: 'n',
    worker_graph_id: 'g',
    severity: 'high',
    cause: 'it repeats itself',
    judge_reasoning: '16 steps without ACCEPT',
    suggested_action: 'restart it',
    recent_verdicts: ['RETRY'],
    total_steps_checked: 16,
    steps_since_last_accept: 16,
    stall_minutes: null,
    evidence_snippet: 'once more',
  },
});

describe('keys', () => {
  it('move within the list and not beyond it', () => {
    const selected = (...keys: readonly string[]) => type(fleet(), ...keys).state.selected.fleet;
    expect(selected('down', 'down', 'up')).toBe(1);
    expect(selected('up')).toBe(0);
    expect(selected('end')).toBe(99);
    expect(selected('end', 'pageDown')).toBe(99);
    expect(selected('j', 'j', 'k')).toBe(1);
  });

  it('open an agent, and Esc leads back the way that was taken', () => {
    const agent = type(fleet(), 'down', 'enter').state;
    expect(agent).toMatchObject({ view: 'agent', agentId: 'agent-1', trail: ['fleet'] });
    expect(type(agent, '?', 'escape', 'escape').state).toMatchObject({ view: 'fleet', trail: [] });
    expect(type(agent, 'i', 'escape').state.view).toBe('fleet');
  });

  it('type a filter, in which letters are no commands', () => {
    const { state } = type(fleet(), 'down', '/', 'q', 'x', 'backspace', 'enter');
    expect(state).toMatchObject({ filter: 'q', prompt: null, selected: { fleet: 0 } });
    expect(type(state, 'escape').state.filter).toBe('');
    expect(type(state, '/', 'z', 'escape').state.filter).toBe('q');
  });

  it('quit, but not while something is typed', () => {
    expect(type(fleet(), 'q').act).toEqual({ kind: 'quit' });
    expect(type(fleet(), '/', 'q').act).toBeUndefined();
    expect(type(fleet(), '/', '^c').act).toEqual({ kind: 'quit' });
  });

  it('decide only with a reason where something is stopped', () => {
    const choice = { label: 'terminate', needsReason: true, done: 'stopped', send: async () => undefined };
    const menu = { title: 'ada', choices: [choice, { ...choice, label: 'snooze', needsReason: false }] };
    const asking = { ...fleet(), menu };
    expect(type(asking, '2').act).toMatchObject({ kind: 'decide', reason: 'decided in holter top' });
    const prompted = type(asking, '1');
    expect(prompted.act).toBeUndefined();
    expect(type(prompted.state, 'enter').act).toBeUndefined();
    expect(type(prompted.state, 'n', 'o', 'enter').act).toMatchObject({ kind: 'decide', reason: 'no' });
    expect(type(asking, 'escape').state.menu).toBeNull();
    expect(type(asking, '9').act).toBeUndefined();
  });

  it('open the triage of the newest ticket from everywhere, and only where there is one', () => {
    expect(type(fleet(), '^q').state.view).toBe('fleet');
    const state = { ...fleet(), filter: 'other', tickets: [ticket('new', 'ada'), ticket('old', 'bob')] };
    const triage = type(state, 'i', '^q').state;
    expect(triage).toMatchObject({ view: 'triage', ticketId: 'new', agentId: 'ada' });
    expect(type(triage, 'y').act).toEqual({ kind: 'answer', ticketId: 'new', answer: 'useful' });
    expect(type(triage, 'n').act).toEqual({ kind: 'answer', ticketId: 'new', answer: 'false_alarm' });
    expect(type(triage, 'a').act).toEqual({ kind: 'coding-agent' });
    expect(type({ ...triage, hasCodingAgent: false }, 'a').act).toBeUndefined();
    expect(frameOf(state, PLAIN).at(-1)).toContain('^Q triage');
    expect(frameOf(fleet(), PLAIN).at(-1)).not.toContain('^Q');
  });
});

describe('what counts as shown', () => {
  const unseen = { next: { isUnseen: true } } as FleetRowView['step'];
  /** All of them wait for a person who has not seen them. */
  const waiting = (state: State): State =>
    withFleet(state, {
      at: 1_000_001,
      rows: (state.fleet?.order ?? []).map((id) => row(id, { incidentId: `${id}/1`, step: unseen })),
    });

  it('is what is on the screen, and moves with the selection', () => {
    const state = waiting(fleet());
    const shown = unseenOnScreen(state);
    const frame = frameOf(state, PLAIN).join('\n');
    expect(shown).toHaveLength(20);
    for (const id of shown) expect(frame).toContain(id.replace(/\/1$/, ' '));
    expect(shown).not.toContain('agent-20/1');
    const below = type(state, 'pageDown').state;
    expect(unseenOnScreen(below)).toContain('agent-20/1');
    expect(unseenOnScreen({ ...state, menu: { title: 'Decide', choices: [] } })).toEqual([]);
    expect(unseenOnScreen({ ...state, view: 'help' })).toEqual([]);
    // A notice takes the last row.
    const notice = { text: 'n', severity: 'high', ticketId: 'one', until: 1 };
    expect(unseenOnScreen({ ...state, notice })).toHaveLength(19);
  });

  it('is nothing that has been seen', () => {
    expect(unseenOnScreen(fleet())).toEqual([]);
  });
});

describe('triage', () => {
  it('shows the steps of a session that has no calls', () => {
    const step = { verdict: 'RETRY', tool: 'bash', text: 'Once more.', result: 'exit 1', isError: true };
    const detail = { agent: {}, pulse: { newestCalls: [] }, steps: [step], log: [] };
    const state = {
      ...fleet(),
      tickets: [ticket('one', 'ada')],
      ticketId: 'one',
      detail,
    } as unknown as State;
    const frame = frameOf({ ...state, view: 'triage' }, PLAIN);
    expect(frame).toContain('RETRY      bash Once more. → exit 1');
  });
});

describe('the fleet', () => {
  it('names the tool that an agent is in, or what it waits for', () => {
    const hold = (kind: string) => ({ kind, since: 1 }) as FleetRowView['hold'];
    const rows = [
      row('agent-0', { hold: hold('in-tool'), tool: 'grep' }),
      row('agent-1', { hold: hold('waiting-for-input'), tool: null }),
    ];
    const frame = frameOf(withFleet(fleet(), { at: 1_000_001, rows }), PLAIN);
    expect(frame[2]).toMatch(/runs grep$/);
    expect(frame[3]).toMatch(/waiting for input$/);
  });

  it('keeps the selection on its agent when the order changes', () => {
    const { state } = type(fleet(), 'down', 'down');
    const order = ['worse', ...(state.fleet?.order.slice(0, 29) ?? [])];
    const moved = withFleet(state, { at: 1_000_001, order, rows: [row('worse')] });
    expect(moved.selected.fleet).toBe(3);
    expect(moved.fleet?.rows.size).toBe(30);
    // The first row stays the first: that is where the worst is.
    expect(withFleet(fleet(), { at: 1_000_001, order, rows: [row('worse')] }).selected.fleet).toBe(0);
  });

  it.each([
    [79, 24],
    [199, 50],
    [40, 10],
  ])('fills %i columns and %i rows in every view, and no more', (columns, rows) => {
    const long = 'x'.repeat(500);
    const state: State = {
      ...fleet(),
      size: { columns, rows },
      tickets: [ticket('one', long)],
      incidents: [
        {
          agentId: long,
          group: 'g',
          state: 'STUCK',
          openedAt: 1,
          cause: long,
          findings: [],
          next: { step: 'human', at: null, why: long },
          step: 'human',
        } as unknown as IncidentView,
      ],
      notice: { text: long, severity: 'high', ticketId: 'one', until: 1 },
      ticketId: 'one',
    };
    for (const view of ['fleet', 'incidents', 'tickets', 'breakers', 'agent', 'triage', 'help'] as const) {
      const frame = frameOf({ ...state, view }, PLAIN);
      expect(frame).toHaveLength(rows);
      // Ink cuts the header, the help and the prompt.
      const isCut = (line: string): boolean => line.startsWith('Holter') || view === 'help';
      for (const line of frame)
        if (!isCut(line)) expect(line.length, line).toBeLessThanOrEqual(Math.max(columns, 60));
    }
  });
});
