import type { Agent, Instant, MessagePriority } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import { HOLTER, type Intake, isTokenless, tokenlessSender } from '../intake/index.ts';
import { redact, redactValue } from '../redaction/index.ts';
import type {
  LetterBox,
  LetterCounts,
  LetterMarking,
  LetterQuery,
  Letters,
  NewLetter,
  StoredLetter,
} from '../store/letters.ts';
import { acknowledge, awaitAcknowledgement, forgetGone, stopAwaiting } from './acknowledgements.ts';
import { BoxAccess, isOwner, onlyWithToken, replaced, tokenNeeded, type Visitor } from './box-access.ts';
import { bringDirectives, leaveInquiries } from './bring-directives.ts';
import { clientIdOf } from './client-ids.ts';
import { Connections, type StreamEnd } from './connections.ts';
import { DeliveryMarks } from './delivery-marks.ts';
import { forwardedFrom } from './forwarded.ts';
import { checkHandoff, isAcknowledging } from './handoff-letter.ts';
import { isHandoff } from './handoff-types.ts';
import { hearUnkept } from './hear-unkept.ts';
import { hearLetter, isPong } from './letter-meaning.ts';
import { LetterRefused, noAgent, noLetter } from './letter-refused.ts';
import { checkTimes } from './letter-times.ts';
import { checkLifecycle } from './lifecycle-letter.ts';
import { MailWaits } from './mail-waits.ts';
import { isSame, onceWhileOffline } from './once-while-offline.ts';
import { isPingId, pingId, pingLetter } from './ping-letter.ts';
import { mailPresenceOf } from './presence.ts';
import { roomFor } from './room.ts';
import { isReserved, isStanding } from './standing-boxes.ts';
import { takeSignal } from './take-signal.ts';
import { isNewStart, registerTokenless, type TokenlessStart } from './tokenless-start.ts';
import { type Unread, unreadFor } from './unread-letters.ts';

/** Unread letters that are looked at for one message of a stream. */
const UNREAD_MAX = 50;

type PostContext = {
  readonly engine: Pick<Engine, 'read'>;
  readonly intake: Pick<Intake, 'take' | 'register'>;
  readonly replies: Pick<ReplyQueue, 'offered' | 'take' | 'onWaiting'>;
  readonly store: Letters;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly sha256: (text: string) => string;
  /** Holter's own name in the post; its box exists from the start. */
  readonly name: () => string;
};

type LetterDraft = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly priority: MessagePriority;
  readonly content: Readonly<Record<string, unknown>>;
  readonly inReplyTo: string | null;
  readonly clientId: string | null;
};

/** Up to `waitMs` for the first letter, while its client is there and may look. */
type LetterWait = { readonly waitMs: number; readonly isGone: () => Promise<boolean> };

type Sent = {
  readonly letter: StoredLetter;
  /** Whether the recipient waits for it right now. */
  readonly isNotified: boolean;
  /** What the sender should know about it. */
  readonly notes: readonly string[];
};

/**
 * Letters between agents, and between agents and Holter. An agent uses its own box and its own name, an operator every
 * one; a visitor without a token has proven nothing, and what it says counts for nobody who has.
 */
export class PostOffice {
  private readonly context: PostContext;
  private readonly waits: MailWaits;
  private readonly access: BoxAccess;
  private readonly marks: DeliveryMarks;
  private readonly connections: Connections;

  constructor(context: PostContext) {
    this.context = context;
    this.waits = new MailWaits(context.clock);
    this.access = new BoxAccess(context);
    this.connections = new Connections(context);
    this.marks = new DeliveryMarks({
      store: context.store,
      clock: context.clock,
      delivered: (letter) => awaitAcknowledgement(context, letter),
    });
    context.replies.onWaiting(async (agentId) => {
      const agent = await this.agentOf(agentId);
      if (agent && (await leaveInquiries(context, agent, this.pen()))) this.waits.tell(agentId);
    });
  }

  get name(): string {
    return this.context.name();
  }

  /** An agent's is its id, everybody else with a token speaks for Holter. */
  ownNameOf(visitor: Visitor): string | null {
    if (visitor === null) return null;
    return visitor.role === 'agent' ? visitor.agentId : this.name;
  }

  /** Ends every wait. */
  close(): void {
    this.waits.close();
  }

  async send(draft: LetterDraft, visitor: Visitor): Promise<Sent> {
    await this.access.enter(draft.from, visitor);
    const now = this.context.clock.now();
    await this.check(draft, visitor, now);
    return this.put({ ...draft, passed: [] }, visitor, now);
  }

  private async check({ to, content }: LetterDraft, visitor: Visitor, now: Instant): Promise<void> {
    checkTimes(content, now);
    await checkLifecycle({ to, content }, visitor, (name) => this.agentOf(name));
    if (!isHandoff(content)) return;
    await checkHandoff(content, {
      target: await this.agentOf(to),
      failed: (name) => this.agentOf(name),
      now,
      areFilesChecked: visitor?.role === 'operator',
    });
  }

  /** Passes a letter on from the box that it is in. */
  async forward(
    { from, to, letterId, note }: { from: string; to: string; letterId: string; note: string },
    visitor: Visitor,
  ): Promise<Sent> {
    await this.openToChange(from, visitor);
    const original = await this.letterIn(from, letterId);
    const draft = { from, to, ...forwardedFrom(original, { from, to, note }) };
    const now = this.context.clock.now();
    await this.check(draft, visitor, now);
    return this.put(draft, visitor, now);
  }

  /** What its owner lists is delivered. */
  async list(query: LetterQuery, visitor: Visitor, wait: LetterWait): Promise<readonly StoredLetter[]> {
    await this.open(query.of, visitor);
    return this.lookInto(query, visitor, wait);
  }

  /** The unread letters after that one, for a visitor that has opened the box before; it is no sign of life. */
  async follow(
    of: string,
    after: string | null,
    visitor: Visitor,
    wait: LetterWait,
  ): Promise<readonly StoredLetter[]> {
    if (!(await this.access.isStillOpen(of, visitor))) throw replaced();
    const query = { of, box: 'inbox', status: 'unread', after, limit: UNREAD_MAX } as const;
    return this.lookInto(query, visitor, wait);
  }

  /** Opens the box for a stream. Returns what to call when it begins, which returns what to call at its end. */
  async connect(of: string, visitor: Visitor): Promise<() => (end: StreamEnd) => void> {
    await this.open(of, visitor);
    const agent = isOwner(visitor) ? await this.agentOf(of) : null;
    return () => (agent ? this.connections.begin(of, agent.hard.incarnation) : () => undefined);
  }

  /** Throws unless this visitor may open the box; for its owner, what waits for it is put into it. */
  async open(of: string, visitor: Visitor): Promise<void> {
    await this.access.open(of, visitor);
    if (isOwner(visitor)) await this.arrive(of);
  }

  async read(box: LetterBox, letterId: string, visitor: Visitor): Promise<StoredLetter> {
    await this.open(box.of, visitor);
    const letter = await this.letterIn(box.of, letterId, box.box);
    if (!(await this.access.isVisible(letter, visitor))) throw noLetter();
    const [delivered = letter] = box.box === 'inbox' ? await this.deliver(box.of, [letter], visitor) : [];
    return delivered;
  }

  async count(box: LetterBox, visitor: Visitor): Promise<LetterCounts> {
    await this.open(box.of, visitor);
    return this.context.store.countLetters(await this.access.shown(box, visitor));
  }

  async mark(of: string, letterId: string, wanted: LetterMarking['as'], visitor: Visitor): Promise<void> {
    await this.openToChange(of, visitor);
    // It is answered by its pong, which says more than that it has arrived.
    const as = wanted === 'acknowledged' && isPingId(letterId) ? 'read' : wanted;
    const letter = await this.letterIn(of, letterId);
    const { store, clock } = this.context;
    const mark = () => store.markLetters({ to: of, letterIds: [letterId], as, at: clock.now() });
    await (as === 'acknowledged' ? this.acknowledge(letter, visitor, mark) : mark());
  }

  async remove(of: string, letterId: string, visitor: Visitor): Promise<void> {
    await this.openToChange(of, visitor);
    const letter = await this.letterIn(of, letterId);
    await this.acknowledge(letter, visitor, async () => {
      if (!(await this.context.store.deleteLetter(of, letterId))) throw noLetter();
    });
  }

  /** For an agent that is shown its letters by the server itself. */
  async unreadOf(agentId: string): Promise<Unread> {
    const incarnation = (await this.agentOf(agentId))?.hard.incarnation ?? 0;
    return unreadFor(this.context.store, agentId, incarnation);
  }

  /** The agent was shown these. */
  async noteShown(agentId: string, letters: readonly StoredLetter[]): Promise<void> {
    const { store, clock } = this.context;
    await this.deliver(agentId, letters, tokenlessSender(agentId));
    const letterIds = letters.map(({ letterId }) => letterId);
    await store.markLetters({ to: agentId, letterIds, as: 'read', at: clock.now() });
  }

  /** The agent has called again after it was shown these, and thereby acknowledges them. */
  async noteSeen(agentId: string, letters: readonly StoredLetter[]): Promise<void> {
    const { store, clock } = this.context;
    for (const letter of letters.filter(({ letterId }) => !isPingId(letterId)))
      await this.acknowledge(letter, tokenlessSender(agentId), () =>
        store.markLetters({
          to: agentId,
          letterIds: [letter.letterId],
          as: 'acknowledged',
          at: clock.now(),
        }),
      );
  }

  /** Of pings that were not answered, only the newest stay in the box: a late pong still counts. */
  async ping(
    { hard: { agentId: to, incarnation } }: Agent,
    { sequence, oldSequence }: { readonly sequence: number; readonly oldSequence: number },
  ): Promise<void> {
    const { store, clock } = this.context;
    const letter = pingLetter({ from: this.name, to, incarnation, sequence, at: clock.now() });
    await store.putLetter({ letter, acknowledges: null, boxMax: Number.POSITIVE_INFINITY });
    await store.deleteLetter(to, pingId(to, incarnation, oldSequence));
    this.waits.tell(to);
  }

  /** A sign of life. An unknown name that comes without a token is registered. */
  async beat(
    agentId: string,
    visitor: Visitor,
    { status, ...start }: TokenlessStart & { status?: 'healthy' | 'busy' | 'degraded' },
  ): Promise<void> {
    if (visitor === null && (agentId === this.name || isReserved(agentId))) throw onlyWithToken(agentId);
    const agent = await this.context.engine.read(agentId);
    if (visitor === null && (agent === null || isNewStart(agent, start)))
      await registerTokenless(this.context.intake, agentId, start);
    else if (visitor === null && agent && !isTokenless(agent)) throw tokenNeeded(agentId);
    else if (agent === null) throw noAgent(agentId);
    const beat = { kind: 'heartbeat', ...(status !== undefined && { status }) };
    await takeSignal(this.context, beat, visitor ?? tokenlessSender(agentId), agentId);
  }

  /** The agent of this name; Holter's own name has none. */
  agentOf(name: string): Promise<Agent | null> {
    return this.access.agentOf(name);
  }

  private async lookInto(
    query: LetterQuery,
    visitor: Visitor,
    { waitMs, isGone }: LetterWait,
  ): Promise<readonly StoredLetter[]> {
    const { of, box } = query;
    const shown = await this.access.shown(query, visitor);
    const look = async () => {
      if (isOwner(visitor)) await this.welcome(of);
      return this.context.store.listLetters(shown);
    };
    const isOver = async () => (await isGone()) || !(await this.access.isStillOpen(of, visitor));
    const found = waitMs > 0 ? await this.waits.until(of, waitMs, isOver, look) : await look();
    return box === 'inbox' ? this.deliver(of, found, visitor) : found;
  }

  private async openToChange(of: string, visitor: Visitor): Promise<void> {
    await this.access.openToChange(of, visitor);
    if (isOwner(visitor)) await this.arrive(of);
  }

  private async arrive(of: string): Promise<void> {
    await this.welcome(of);
    await forgetGone(this.context, of, this.context.clock.now());
  }

  /** For the owner of a box that opens it: the connection is open, and what waits for it is put into the box. */
  private async welcome(of: string): Promise<void> {
    const agent = await this.agentOf(of);
    if (!agent) return;
    if (agent.hard.isConnectionClosed)
      await takeSignal(this.context, { kind: 'connection', state: 'open' }, HOLTER, of);
    await bringDirectives(this.context, agent, this.pen());
  }

  private pen() {
    return { at: this.context.clock.now(), newLetterId: (at: Instant) => this.newLetterId(at) };
  }

  private newLetterId(at: Instant): string {
    return `msg-${at}-${this.context.newId().replaceAll('-', '').slice(0, 12)}`;
  }

  private async put(
    draft: LetterDraft & Pick<NewLetter, 'passed'>,
    visitor: Visitor,
    now: Instant,
  ): Promise<Sent> {
    const { store, name } = this.context;
    const { to } = draft;
    const agent = await this.agentOf(to);
    if (agent === null && to !== name() && !isStanding(to)) throw noAgent(to);
    const isOffline = agent !== null && mailPresenceOf(agent, now) === 'offline';
    const once = isOffline ? onceWhileOffline(draft, agent, this.context.sha256) : null;
    const isVerified = visitor !== null;
    const content = JSON.stringify(redactValue(draft.content));
    const subject = redact(draft.subject);
    const letter: NewLetter = {
      ...draft,
      subject,
      content,
      letterId: this.newLetterId(now),
      clientId: clientIdOf(draft.clientId ?? once, isVerified),
      isVerified,
      sentAt: now,
    };
    const counts = await this.access.speaksFor(draft.from, visitor);
    const isAnswer = counts && !isPong(letter, name()) && isAcknowledging(draft.content);
    const post = {
      letter,
      acknowledges: isAnswer && !isPingId(draft.inReplyTo ?? '') ? draft.inReplyTo : null,
    };
    const verdict = await store.putLetter({ ...post, ...roomFor(visitor), awaitedFrom: name() });
    if (verdict.kind === 'full') return hearUnkept(this.context, post, counts);
    const { letter: stored } = verdict;
    if (verdict.kind === 'exists' && !isSame(stored, letter))
      throw new LetterRefused('client_id_reused', 'another letter was sent with this clientId', {
        field: 'clientId',
      });
    const removed = verdict.kind === 'stored' && verdict.removed;
    const notes = [
      ...(removed ? await stopAwaiting(this.context, removed) : []),
      ...(verdict.kind === 'stored' && counts ? await hearLetter(this.context, stored, counts) : []),
    ];
    // Also of one that is sent again: the server may have died before it was awaited.
    if (stored.acknowledgedAt === null) await awaitAcknowledgement(this.context, stored);
    if (isOffline)
      throw new LetterRefused('agent_offline', `${to} is offline; the letter waits in its box`, {
        also: { stored: true, id: stored.letterId },
      });
    return { letter: stored, isNotified: this.waits.tell(to), notes };
  }

  private async acknowledge(
    letter: StoredLetter,
    visitor: Visitor,
    store: () => Promise<unknown>,
  ): Promise<void> {
    await acknowledge(this.context, letter, await this.access.speaksFor(letter.to, visitor), store);
  }

  private async deliver(
    of: string,
    letters: readonly StoredLetter[],
    visitor: Visitor,
  ): Promise<readonly StoredLetter[]> {
    return isOwner(visitor) && of !== this.name ? this.marks.add(letters) : letters;
  }

  private async letterIn(
    of: string,
    letterId: string,
    box: LetterBox['box'] = 'inbox',
  ): Promise<StoredLetter> {
    const letter = await this.context.store.readLetter(letterId);
    if (!letter || (box === 'inbox' ? letter.to : letter.from) !== of) throw noLetter();
    return letter;
  }
}
