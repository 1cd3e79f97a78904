import type { Agent } from '@holter/core';
import type { Engine } from '../engine/engine.ts';
import { type Intake, isTokenless, type Sender, tokenlessSender } from '../intake/index.ts';
import type { LetterBox, StoredLetter } from '../store/letters.ts';
import { LetterRefused, noAgent } from './letter-refused.ts';
import { isReserved, isStanding, OVERSEER } from './standing-boxes.ts';
import { takeSignal } from './take-signal.ts';

/** Who uses the post office; null for a call without a token. */
export type Visitor = Sender | null;

type AccessContext = {
  readonly engine: Pick<Engine, 'read'>;
  readonly intake: Pick<Intake, 'take'>;
  /** Holter's own name in the post. */
  readonly name: () => string;
};

/** Which names a visitor may use, and which boxes it may open. */
export class BoxAccess {
  private readonly context: AccessContext;

  constructor(context: AccessContext) {
    this.context = context;
  }

  /** The agent of this name; Holter's own name and that of the overseer have none. */
  async agentOf(name: string): Promise<Agent | null> {
    const { engine, name: own } = this.context;
    return name === own() || name === OVERSEER ? null : engine.read(name);
  }

  /** Throws unless this visitor may use the name; for an agent that does, it is a sign of life. */
  async enter(name: string, visitor: Visitor): Promise<void> {
    if (visitor === null) {
      const agent = await this.agentOf(name);
      if (agent && isTokenless(agent))
        await takeSignal(this.context, { kind: 'activity' }, tokenlessSender(name), name);
      return;
    }
    if (visitor.role !== 'agent') return;
    this.checkName(name, visitor);
    await takeSignal(this.context, { kind: 'activity' }, visitor, name);
  }

  /**
   * Throws unless this visitor may look into the box. For its owner it is a sign of life, but not if it has promised
   * to answer pings: a loop that fetches letters does not show that anybody reads them.
   */
  async open(of: string, visitor: Visitor): Promise<void> {
    const agent = await this.checkBox(of, visitor);
    if (!isOwner(visitor) || !agent?.hard.promises.pongs) return this.enter(of, visitor);
    if (visitor !== null) this.checkName(of, visitor);
    if (await this.isStillOpen(of, visitor)) return;
    // Refused as a signal, it is on record that this start still runs.
    if (visitor !== null) await this.context.intake.take({ kind: 'activity' }, visitor, { agentId: of });
    throw replaced();
  }

  /** Whether a visitor that has opened the box may go on looking into it: it may have been replaced since. */
  async isStillOpen(of: string, visitor: Visitor): Promise<boolean> {
    const agent = await this.agentOf(of);
    if (visitor === null) return agent === null || isTokenless(agent);
    if (visitor.role !== 'agent') return true;
    return agent !== null && !agent.hard.end && agent.hard.incarnation === visitor.incarnation;
  }

  async openToChange(of: string, visitor: Visitor): Promise<void> {
    if (visitor === null && of === this.context.name())
      throw new LetterRefused('token_required', `the box of ${of} is Holter's own: use a token`);
    await this.checkBox(of, visitor);
    await this.enter(of, visitor);
  }

  private async checkBox(of: string, visitor: Visitor): Promise<Agent | null> {
    const agent = await this.agentOf(of);
    if (agent === null && of !== this.context.name() && !isStanding(of)) throw noAgent(of);
    if (visitor === null && isReserved(of)) throw onlyWithToken(of);
    if (visitor === null && agent && !isTokenless(agent)) throw tokenNeeded(of);
    return agent;
  }

  private checkName(name: string, { agentId }: Sender): void {
    if (agentId !== name) throw new LetterRefused('forbidden', 'this token speaks for another agent');
    if (name === this.context.name())
      throw new LetterRefused('forbidden', `${name} is Holter's own name in the post; see mail.name`);
    if (name === OVERSEER) throw new LetterRefused('forbidden', `${name} is the name of a person`);
  }

  /** In whose name a letter counts as more than a letter; null when nothing is proven. */
  async speaksFor(name: string, visitor: Visitor): Promise<Sender | null> {
    if (visitor !== null) return visitor;
    const agent = await this.agentOf(name);
    return agent && isTokenless(agent) ? tokenlessSender(name) : null;
  }

  /** Without a token, only letters that came so, or that are for an agent that registered so. */
  async isVisible({ to, isVerified }: StoredLetter, visitor: Visitor): Promise<boolean> {
    return visitor !== null || !isVerified || this.isTokenlessName(to);
  }

  /** What of these letters the visitor may see; of letters to several names, those that came without a token. */
  async shown<B extends LetterBox & { readonly other?: string }>(wanted: B, visitor: Visitor): Promise<B> {
    const to = wanted.box === 'inbox' ? wanted.of : wanted.other;
    if (visitor !== null || (to !== undefined && (await this.isTokenlessName(to)))) return wanted;
    if (wanted.isVerified === true)
      throw new LetterRefused('token_required', 'letters of verified senders are shown with a token only');
    return { ...wanted, isVerified: false };
  }

  private async isTokenlessName(name: string): Promise<boolean> {
    const agent = await this.agentOf(name);
    return agent !== null && isTokenless(agent);
  }
}

/** Whoever may open the box of an agent by its token, or without one, is that agent. */
export const isOwner = (visitor: Visitor): boolean => visitor === null || visitor.role === 'agent';

export const tokenNeeded = (name: string): LetterRefused =>
  new LetterRefused('token_required', `${name} registered with a token: use it, on Holter's main port`);

export const onlyWithToken = (name: string): LetterRefused =>
  new LetterRefused('token_required', `${name} can only be used with a token, on Holter's main port`);

export const replaced = (): LetterRefused =>
  new LetterRefused('stale_incarnation', 'the agent has been started again, or has ended');
