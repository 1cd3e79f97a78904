import type { AgentView, Client, Clock, EventView } from '@holter/server/local';
import type { Connection } from '../client/connection.ts';
import { newestEvents } from '../client/newest-events.ts';
import { Feed } from './feed.ts';
import { type Act, type Key, menuAbout, press } from './keys.ts';
import { ShownNotes } from './shown-notes.ts';
import { beginning, type Size, type State, withFleet } from './state/state.ts';
import { unseenOnScreen } from './views/on-screen.ts';

type ControllerParts = {
  readonly client: Client;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly size: Size;
  /** Who decides, if the token does not say it. */
  readonly by: { readonly by?: string };
  readonly hasCodingAgent: boolean;
  /** A person was shown these incidents. */
  readonly noteShown: (incidentIds: string[]) => Promise<unknown>;
  /** Words for a failure. */
  readonly inWords: (error: unknown) => string;
  /** Ends the screen: to quit, or to give the terminal to the coding agent. */
  readonly leave: (why: 'quit' | 'coding-agent') => void;
};

/** Data changes the screen at most this often; a key changes it at once. */
const FRAME_MS = 500;
/** Ages are shown in seconds. */
const CLOCK_MS = 1_000;
const POLL_MS = 2_000;
const STATUS_MS = 10_000;
/** Seed 003. */
const NOTICE_MS = 30_000;
/** A person who has pressed a key lately sees what is shown. */
const PRESENT_MS = 60_000;
const LOG_LINES_MAX = 200;
const TICKETS_MAX = 100;

/** What the screen shows and what keys do to it. Knows nothing of terminals. */
export class Controller {
  state: State;
  private readonly parts: ControllerParts;
  private readonly feed: Feed;
  private readonly listeners = new Set<() => void>();
  private readonly shown: ShownNotes;
  private readonly cancels = new Map<string, () => void>();
  private keyAt: number;
  private logNext = 0;
  private window = { q: '', offset: 0, limit: 0 };
  private isFramePending = false;
  private isClosed = false;

  constructor(parts: ControllerParts) {
    const { client, clock, size, hasCodingAgent, noteShown } = parts;
    this.parts = parts;
    this.keyAt = clock.now();
    this.state = beginning(size, clock.now(), hasCodingAgent);
    this.shown = new ShownNotes(noteShown);
    this.feed = new Feed({
      client,
      onFleet: (news) => this.later(withFleet(this.state, news)),
      onEvent: (event) => this.take(event),
      onBreak: () => this.later({ ...this.state, isConnected: false }),
      onFailure: (error) => this.say(parts.inWords(error)),
    });
  }

  async start(): Promise<void> {
    const { connection } = this.parts;
    const [newest] = await newestEvents(connection, {}, 1);
    this.openWindow();
    this.feed.followEvents(newest?.cursor ?? 0);
    await this.readTickets();
    this.tick();
    this.poll();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  close(): void {
    this.isClosed = true;
    this.feed.close();
    for (const cancel of this.cancels.values()) cancel();
  }

  resize(size: Size): void {
    this.now({ ...this.state, size });
    this.openWindow();
  }

  press(key: Key): void {
    const before = this.state;
    this.keyAt = this.parts.clock.now();
    const { state, act } = press(before, key);
    if (state.agentId !== before.agentId || state.detail === null) this.logNext = 0;
    this.now(state);
    this.openWindow();
    if (state.view !== before.view || state.agentId !== before.agentId) this.poll();
    if (act) this.carryOut(act);
  }

  private carryOut(act: Act): void {
    const { by, leave } = this.parts;
    switch (act.kind) {
      case 'quit':
      case 'coding-agent':
        return leave(act.kind);
      case 'ask-menu':
        return void this.ask(async (client) => this.showMenu(await client.agent(act.agentId)));
      case 'decide':
        return void this.send(act.choice.done, (client) =>
          act.choice.send(client, { reason: act.reason, ...by }),
        );
      case 'answer': {
        const { ticketId, answer } = act;
        const done = `noted: ${answer === 'useful' ? 'useful' : 'a false alarm'}`;
        return void this.send(done, (client) => client.answerTicket(ticketId, { answer, ...by }));
      }
    }
  }

  private showMenu(agent: AgentView): void {
    const menu = menuAbout(agent);
    if (menu) this.now({ ...this.state, menu });
    else this.say(`nothing can be decided about ${agent.agentId} now`);
  }

  /** Both events of seed 003 are shown whatever is filtered. */
  private take({ type, payload }: EventView): void {
    const now = this.parts.clock.now();
    if (type === 'WORKER_ESCALATION_TICKET') {
      const { severity } = payload.ticket as { readonly severity: string };
      this.later({
        ...this.state,
        status: { text: `judge: ${severity} ticket`, severity, until: now + STATUS_MS },
      });
    }
    if (type === 'QUEEN_INTERVENTION_REQUESTED') {
      const { analysis, severity, ticket_id, agentId } = payload as Readonly<Record<string, string>>;
      const notice = {
        text: `${agentId}: ${analysis}`,
        severity: severity ?? '',
        ticketId: ticket_id ?? '',
        until: now + NOTICE_MS,
      };
      this.later({ ...this.state, notice });
    }
    void this.readTickets();
  }

  private async send(done: string, act: (client: Client) => Promise<unknown>): Promise<void> {
    await this.ask(async (client) => {
      await act(client);
      this.say(done);
      await this.readTickets();
    });
  }

  say(text: string): void {
    const status = { text, severity: null, until: this.parts.clock.now() + STATUS_MS };
    this.now({ ...this.state, status });
  }

  private async ask(question: (client: Client) => Promise<void>): Promise<void> {
    try {
      await question(this.parts.client);
    } catch (error) {
      this.say(this.parts.inWords(error));
    }
  }

  /** The window around what is visible; a new one is opened only when the selection comes near its end. */
  private openWindow(): void {
    const { size, selected, filter, fleet } = this.state;
    const margin = size.rows;
    const limit = 3 * size.rows;
    const { q, offset, limit: before } = this.window;
    const isInside =
      selected.fleet - margin >= offset || offset === 0
        ? selected.fleet + margin <= offset + limit || (fleet !== null && offset + limit >= fleet.total)
        : false;
    if (q === filter && before === limit && isInside) return;
    this.window = { q: filter, offset: Math.max(0, selected.fleet - Math.floor(limit / 2)), limit };
    this.feed.openFleet(this.window);
  }

  private async readTickets(): Promise<void> {
    await this.ask(async (client) => {
      const { tickets } = await client.tickets({ status: 'all', limit: String(TICKETS_MAX) });
      this.later({ ...this.state, tickets });
    });
  }

  /** Once a second: times go on, and what has had its time disappears. */
  private tick(): void {
    const now = this.parts.clock.now();
    const { notice, status } = this.state;
    this.later({
      ...this.state,
      now,
      notice: notice && notice.until > now ? notice : null,
      status: status && status.until > now ? status : null,
    });
    this.noteShown(now);
    this.after('tick', CLOCK_MS, () => this.tick());
  }

  /** What only the view that is open needs. */
  private poll(): void {
    void this.readView().finally(() => this.after('poll', POLL_MS, () => this.poll()));
  }

  private readView(): Promise<void> {
    return this.ask(async (client) => {
      const { view, agentId } = this.state;
      if (view === 'incidents') {
        const { incidents } = await client.incidents();
        this.later({ ...this.state, incidents });
      } else if (view === 'breakers') {
        const { breakers } = await client.allBreakers();
        this.later({ ...this.state, breakers: breakers.filter(({ state }) => state !== 'CLOSED') });
      } else if ((view === 'agent' || view === 'triage') && agentId !== null) {
        await this.readAgent(client, agentId);
      }
    });
  }

  private async readAgent(client: Client, agentId: string): Promise<void> {
    const [agent, pulse, tail, { steps }] = await Promise.all([
      client.agent(agentId),
      client.pulse(agentId),
      client.logs(agentId, this.logNext),
      this.state.view === 'triage' ? client.judgeCheck({ session_id: agentId }) : { steps: [] },
    ]);
    if (this.state.agentId !== agentId) return;
    const before = this.logNext === 0 ? [] : (this.state.detail?.log ?? []);
    this.logNext = tail.next;
    this.later({ ...this.state, detail: { agent, pulse, steps, log: joined(before, tail.text) } });
  }

  /** A person is there and sees these incidents, so that their notices count as read. */
  private noteShown(now: number): void {
    if (now - this.keyAt <= PRESENT_MS) this.shown.note(unseenOnScreen(this.state), now);
  }

  private now(state: State): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }

  /** Shown with the next frame. */
  private later(state: State): void {
    this.state = state;
    if (this.isFramePending) return;
    this.isFramePending = true;
    this.after('frame', FRAME_MS, () => {
      this.isFramePending = false;
      this.now(this.state);
    });
  }

  private after(name: string, ms: number, callback: () => void): void {
    if (this.isClosed) return;
    this.cancels.get(name)?.();
    this.cancels.set(name, this.parts.clock.after(ms, callback));
  }
}

/** The end of the output; a line that was not complete is continued. */
function joined(before: readonly string[], text: string): readonly string[] {
  if (text === '') return before;
  const [first = '', ...rest] = text.split('\n');
  const lines = before.length === 0 ? [first] : [...before.slice(0, -1), `${before.at(-1)}${first}`];
  return [...lines, ...rest].slice(-LOG_LINES_MAX);
}
