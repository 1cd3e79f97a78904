import {
  CHAIN_EXECUTOR,
  contextOf,
  type DaemonSays,
  type DaemonSettings,
  type DaemonSight,
  type DaemonState,
  type DaemonTick,
  daemonTick,
  type Effect,
  type Instant,
  isOrderedByPerson,
  type Link,
  type LinkContext,
  type LinkName,
  type LinkStep,
  linkOf,
  newDaemonState,
  noLink,
  type ReceiptOutcome,
} from '@holter/core';
import {
  type ClaimedEffect,
  metaJson,
  openSqlite,
  readMetaJson,
  type Store,
  type StoredEvent,
} from '@holter/server/own-store';
import type { ToldOutside } from './outside-voice.ts';

/** More of them would say nothing new. */
const UNTOLD_MAX = 20;
/** What is remembered besides the records of the links. */
const STATE_KEY = 'daemon';
const STATE_VERSION = 1;
const HANDED_IN_KEY = 'handed-in';
const OUTSIDE_KEY = 'told-outside';
/** Longer than any effect takes; what a killed daemon had claimed is claimable again after that. */
const LEASE_MS = 120_000;
const EFFECTS_MAX = 16;
const EVENTS_MAX = 200;

type Moment = Pick<DaemonSight, 'at' | 'isHeld'>;
type Saved = Omit<DaemonState, 'links'> & {
  readonly links: Readonly<Record<string, Omit<Link, 'agent'>>>;
};

/** The daemon's own records: what it has seen, decided and done, also while the server is down. */
export class ChainBook {
  private readonly store: Store;
  private readonly settings: DaemonSettings;
  private readonly newId: () => string;
  private readonly versions = new Map<LinkName, number>();
  private state: DaemonState = newDaemonState;
  private outside: readonly ToldOutside[] = [];
  /** As the operator's file names them; records of others stay. */
  private members: ReadonlySet<LinkName> = new Set();

  private constructor(store: Store, settings: DaemonSettings, newId: () => string) {
    this.store = store;
    this.settings = settings;
    this.newId = newId;
  }

  static async open(file: string, settings: DaemonSettings, newId: () => string): Promise<ChainBook> {
    const book = new ChainBook(await openSqlite(file), settings, newId);
    await book.load();
    return book;
  }

  link(name: LinkName): Link {
    return linkOf(this.state, name);
  }

  /** The server, Boot, the Deacon, and the agents of the town that were looked at. */
  get names(): readonly LinkName[] {
    const names = Object.keys(this.state.links) as LinkName[];
    return names.filter((name) => !name.startsWith('agent:') || this.members.has(name));
  }

  /** Links that were shut down on purpose. */
  get down(): DaemonState['down'] {
    return this.state.down;
  }

  /** What the person in charge has not been told yet, oldest first. */
  get untold(): readonly DaemonSays[] {
    return this.state.untold;
  }

  /** The first of them is told. */
  async noteTold(): Promise<void> {
    this.state = { ...this.state, untold: this.state.untold.slice(1) };
    await this.keepState();
  }

  /** What people were told without the server. */
  get toldOutside(): readonly ToldOutside[] {
    return this.outside;
  }

  async keepToldOutside(told: readonly ToldOutside[]): Promise<void> {
    this.outside = told;
    await this.store.putMeta(OUTSIDE_KEY, metaJson(STATE_VERSION, { told }));
  }

  /** The next moment at which time alone could change what is to be done about a link. */
  get wakeAt(): number {
    return Math.min(...this.names.map((name) => wakeAtOf(this.link(name))));
  }

  /** Whether a link was started, and has not proven itself yet. */
  get isRecovering(): boolean {
    return this.names.some((name) => this.link(name).agent?.hard.incident?.step === 'recover');
  }

  /** One tick: durable before anything is done about it. */
  async tick(sight: DaemonSight): Promise<Pick<DaemonTick, 'acts' | 'says' | 'steps'>> {
    this.members = new Set(sight.members.map(([name]) => name));
    const { state, steps, acts, says } = daemonTick(this.state, sight, this.settings);
    this.state = withUntold(state, says);
    await this.keep(steps, sight.at);
    return { acts, says, steps };
  }

  /** Who looks only when asked to has not stalled since the last tick. */
  beginWatch(at: Instant): void {
    if (this.state.tickedAt !== null) this.state = { ...this.state, tickedAt: at };
  }

  async fold(
    name: LinkName,
    moment: Moment,
    folding: (link: Link, context: LinkContext) => LinkStep,
  ): Promise<LinkStep> {
    const step = folding(this.link(name), contextOf(name, this.state, moment, this.settings));
    const says = step.says ? [{ name, what: step.says }] : [];
    const links = { ...this.state.links, [name]: step.link };
    this.state = withUntold({ ...this.state, links }, says);
    await this.keep([[name, step]], moment.at);
    return step;
  }

  /** Effects that wait to be carried out. While acts are stopped, people are told, and what a person has ordered is done. */
  async claim({ at, isHeld }: Moment): Promise<readonly ClaimedEffect[]> {
    const isAnyOrdered = this.names.some((name) => isOrderedByPerson(this.link(name)));
    const executors = isHeld && !isAnyOrdered ? [null] : [null, CHAIN_EXECUTOR];
    return this.store.claimEffects({ executors, at, leaseMs: LEASE_MS, limit: EFFECTS_MAX });
  }

  async settle(
    { id }: Effect,
    at: Instant,
    outcome: ReceiptOutcome | 'cancelled',
    detail: string,
  ): Promise<void> {
    await this.store.settleEffect(id, { at, outcome, detail });
  }

  async retry({ effect, tries }: ClaimedEffect, retryAt: Instant, detail: string): Promise<void> {
    await this.store.retryEffect(effect.id, retryAt, detail, tries);
  }

  /** What the server has not been told yet. */
  async unreported(): Promise<readonly StoredEvent[]> {
    const after = Number((await this.store.getMeta(HANDED_IN_KEY)) ?? 0);
    return this.store.readEvents({ after, limit: EVENTS_MAX });
  }

  async noteReported({ cursor }: Pick<StoredEvent, 'cursor'>): Promise<void> {
    await this.store.putMeta(HANDED_IN_KEY, String(cursor));
  }

  /** Deletes what is older, so that the file stays small. */
  async prune(before: Instant): Promise<void> {
    const cutoffs = {
      events: before,
      effects: before,
      checkpoints: before,
      rollups: before,
      tokens: before,
      letters: before,
      // Links are few, and none of them is ever over.
      agents: 0 as Instant,
    };
    await this.store.prune(cutoffs, 1_000);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async load(): Promise<void> {
    const text = await this.store.getMeta(STATE_KEY);
    const saved = text === null ? null : readMetaJson<Saved>(text, STATE_VERSION, 'the state of the daemon');
    const links: Record<LinkName, Link> = { ...newDaemonState.links };
    const names = [...new Set([...Object.keys(links), ...Object.keys(saved?.links ?? {})])] as LinkName[];
    for (const name of names) links[name] = { ...(links[name] ?? noLink), ...saved?.links[name] };
    for (const stored of await this.store.loadMany(names)) {
      const name = stored.agent.hard.agentId as LinkName;
      this.versions.set(name, stored.version);
      links[name] = { ...(links[name] ?? noLink), agent: stored.agent };
    }
    this.state = { ...newDaemonState, ...saved, links };
    const outside = await this.store.getMeta(OUTSIDE_KEY);
    if (outside !== null)
      this.outside = readMetaJson<{ told: readonly ToldOutside[] }>(
        outside,
        STATE_VERSION,
        'what people were told',
      ).told;
  }

  /** The state first: a start that is counted twice is better than one that is not counted. */
  private async keep(steps: readonly (readonly [LinkName, LinkStep])[], at: Instant): Promise<void> {
    await this.keepState();
    for (const [name, { link, events, effects, over }] of steps) {
      if (!link.agent || (events.length === 0 && effects.length === 0 && over.length === 0)) continue;
      const expectedVersion = this.versions.get(name) ?? 0;
      const commit = {
        agent: link.agent,
        expectedVersion,
        events,
        effects,
        over,
        correlationId: this.newId(),
      };
      const [verdict] = await this.store.commit([commit]);
      if (verdict?.kind !== 'ok')
        throw new Error(`the records of ${name} were changed by another process at ${at}`);
      this.versions.set(name, verdict.version);
    }
  }

  private async keepState(): Promise<void> {
    const { links, ...rest } = this.state;
    const shown = Object.fromEntries(
      Object.entries(links).map(([name, { agent: _, ...kept }]) => [name, kept]),
    );
    await this.store.putMeta(STATE_KEY, metaJson(STATE_VERSION, { ...rest, links: shown }));
  }
}

/** What only the chain can say is told; everything else is in the log, or is told by an incident. */
const TOLD: ReadonlySet<DaemonSays['what']> = new Set(['latched', 'cleared', 'unheard', 'heard']);

function withUntold(state: DaemonState, says: readonly DaemonSays[]): DaemonState {
  const news = says.filter(({ what }) => TOLD.has(what));
  return news.length === 0 ? state : { ...state, untold: [...state.untold, ...news].slice(-UNTOLD_MAX) };
}

const wakeAtOf = ({ agent }: Link): number =>
  agent?.hard.incident ? agent.hard.wakeAt : Number.POSITIVE_INFINITY;
