import type { LadderStep, LivenessWord, Signal } from '@holter/core';
import type { Packet } from '../world/packet.ts';
import { Repeats } from './repeats.ts';

const ENDED_CALLS_MAX = 21;

/** What was delivered about one agent, and what came out: as much as bounds need. It is no copy of the record. */
export class Observed {
  incarnation = 0;
  instanceId = '';
  isEnded = false;
  /** A person approved its replacement, unproven as its end is. */
  isGivenUp = false;
  /** The last accepted signal of the agent itself, and those before it that may be what the store holds. */
  signAt = 0;
  signBeforeAt = 0;
  signBeforeThatAt = 0;
  /** It said "busy", or answered an inquiry: its next deadline may be longer. */
  mayBeBusy = false;
  /** The last look at its process that arrived. */
  probedAt = 0;
  /** The last finished call, turn, checkpoint or new task: no silence began before. */
  activeAt = 0;
  /** The last signal that may have been taken for a sign of work. */
  doneAt = 0;
  /** The last beat that told of more tokens: they may be as young as the beat. */
  spentAt = 0;
  private tokens = 0;
  /** The last checkpoint, new task or new result. */
  progressAt = 0;
  failuresInRow = 0;
  calls = new Repeats();
  /** How far the loop had gone when the first nudge of this incident was seen; NaN before. */
  repeatsAtNudge = Number.NaN;
  private readonly results = new Set<string>();
  private endedCalls: string[] = [];

  liveness: LivenessWord = 'alive';
  isCalledStuck = false;
  readonly acts = new Set<string>();
  /** Holds that a call contradicts. */
  readonly holds = new Set<string>();
  incident: { readonly id: string; step: LadderStep; attempt: number } | null = null;
  probationUntil = 0;
  /** Until its incident closes, which may be later: probation is not passed in silence. */
  isOnProbation = false;
  /** The start that was ordered last, and the key that its executor was given. */
  start: { readonly effectId: string; readonly key: string } | null = null;

  /** One that comes back by its own word is still in the loop that it was in. */
  begin(incarnation: number, instanceId: string, at: number, isOwnReturn: boolean): void {
    this.incarnation = incarnation;
    this.instanceId = instanceId;
    this.isEnded = false;
    this.isGivenUp = false;
    this.signAt = at;
    this.signBeforeAt = at;
    this.signBeforeThatAt = at;
    this.mayBeBusy = false;
    this.probedAt = 0;
    this.activeAt = at;
    this.doneAt = at;
    this.isOnProbation = false;
    this.spentAt = at;
    this.tokens = 0;
    this.progressAt = at;
    this.liveness = 'alive';
    this.acts.clear();
    this.holds.clear();
    if (!isOwnReturn) this.forgetCalls();
  }

  private forgetCalls(): void {
    this.failuresInRow = 0;
    this.calls = new Repeats();
    this.results.clear();
    this.endedCalls = [];
  }

  /** An accepted signal was delivered. */
  delivered({ signal, origin }: Packet, at: number): void {
    if (origin !== 'holter') this.sign(at);
    if (origin !== 'holter' && !isBareBeat(signal)) this.doneAt = at;
    switch (signal.kind) {
      case 'heartbeat':
        this.mayBeBusy = signal.status === 'busy';
        if ((signal.tokenCount ?? 0) > this.tokens) this.spentAt = at;
        this.tokens = Math.max(this.tokens, signal.tokenCount ?? 0);
        return;
      case 'call-ended':
        this.activeAt = at;
        return this.called(signal, at);
      case 'turn-begun':
      case 'turn-ended':
        this.activeAt = at;
        return;
      case 'checkpoint':
        this.activeAt = at;
        return this.progressed(at);
      case 'task-assigned':
        this.activeAt = at;
        this.progressAt = at;
        return;
      case 'error':
        this.failuresInRow++;
        return;
      case 'process':
        this.probedAt = at;
        return;
      case 'exited':
        this.isEnded = true;
        return;
      default:
        return;
    }
  }

  private sign(at: number): void {
    if (at - this.signAt >= 1_000) {
      this.signBeforeThatAt = this.signBeforeAt;
      this.signBeforeAt = this.signAt;
    }
    this.signAt = at;
  }

  hasEnded(callId: string): boolean {
    return this.endedCalls.includes(callId);
  }

  private called(signal: Extract<Signal, { kind: 'call-ended' }>, at: number): void {
    if (this.endedCalls.push(signal.callId) > ENDED_CALLS_MAX) this.endedCalls.shift();
    this.calls.note(signal, at);
    const { output = '', isError } = signal;
    const isNew = !this.results.has(output);
    this.results.add(output);
    if (isNew && !isError) this.progressed(at);
  }

  private progressed(at: number): void {
    this.progressAt = at;
    this.failuresInRow = 0;
  }
}

/** Tokens and the time of the last call are signs of work. */
const isBareBeat = (signal: Signal): boolean =>
  signal.kind === 'heartbeat' && signal.tokenCount === undefined && signal.lastToolCall === undefined;
