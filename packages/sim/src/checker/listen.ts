import type { Signal } from '@holter/core';
import type { Packet } from '../world/packet.ts';
import type { Ledger } from './ledger.ts';

/** What has to become of a word, by the design's rules of identity. */
export type Fate = 'accept' | 'repeat' | 'stale' | 'bad';

/** Facts that only Holter's own senses may bring. */
const SENSED = new Set([
  'process',
  'exited',
  'connection',
  'message-delivered',
  'message-failed',
  'finding',
  'finding-cleared',
]);

export function fateOf(ledger: Ledger, { signal, origin, twin }: Packet): Fate {
  if (signal.incarnation === undefined) return 'bad';
  if (signal.incarnation < ledger.incarnation) return 'stale';
  if (signal.incarnation > ledger.incarnation) return 'bad';
  if (origin === 'agent' && SENSED.has(signal.kind)) return 'bad';
  if (origin === 'agent' && signal.kind === 'hold-begun' && signal.hold === 'paused-by-operator')
    return 'bad';
  if (twin?.isHeard === true && signal.id !== undefined) return 'repeat';
  return ledger.isEnded && signal.kind !== 'task-ended' ? 'bad' : 'accept';
}

/** Writes an accepted word into the ledger. */
export function note(ledger: Ledger, signal: Signal, origin: 'agent' | 'holter', at: number): void {
  // A begin that was overtaken by its own end is older news than what is known already.
  if (signal.kind === 'call-begun' && ledger.endedEarly.delete(signal.callId)) return;
  if (origin === 'agent') ledger.sign(at);
  ledger.endExpired(at);
  switch (signal.kind) {
    case 'heartbeat':
      ledger.mayBeBusy = signal.status === 'busy';
      return;
    case 'call-begun':
      noteCallBegun(ledger, signal.callId, at);
      return;
    case 'call-ended':
      noteCallEnded(ledger, signal.callId, at);
      ledger.calls.note(signal, at);
      if (ledger.isNewResult(signal.output ?? '') && !signal.isError) moved(ledger, at);
      return;
    case 'turn-begun':
      ledger.does(at);
      return;
    case 'turn-ended':
      // A call that was refused or cut short never reports its end.
      ledger.openCalls.clear();
      ledger.endHold('in-tool', at);
      ledger.does(at);
      return;
    case 'checkpoint':
      ledger.does(at);
      moved(ledger, at);
      return;
    case 'task-assigned':
      ledger.taskId = signal.taskId;
      ledger.does(at);
      ledger.progressAt = at;
      return;
    case 'task-ended':
      if (ledger.taskId === signal.taskId) ledger.taskId = null;
      return;
    case 'hold-begun':
      ledger.beginHold(signal.hold, signal.until ?? Number.POSITIVE_INFINITY, at);
      return;
    case 'hold-ended':
      ledger.endHold(signal.hold, at);
      return;
    case 'error':
      ledger.failuresInRow++;
      return;
    case 'process':
      noteLook(ledger, signal, at);
      return;
    case 'exited':
      ledger.isEnded = true;
      ledger.holds.clear();
      return;
    default:
      return;
  }
}

function moved(ledger: Ledger, at: number): void {
  ledger.progressAt = at;
  ledger.failuresInRow = 0;
}

function noteCallBegun(ledger: Ledger, callId: string, at: number): void {
  // Whoever calls a tool waits for nobody any more.
  ledger.endHold('waiting-for-input', at);
  ledger.endHold('rate-limited', at);
  ledger.does(at);
  ledger.openCalls.add(callId);
  ledger.beginHold('in-tool', Number.POSITIVE_INFINITY, at);
}

function noteCallEnded(ledger: Ledger, callId: string, at: number): void {
  if (!ledger.openCalls.delete(callId)) ledger.endedEarly.add(callId);
  if (ledger.openCalls.size === 0) ledger.endHold('in-tool', at);
  ledger.does(at);
}

type Look = Extract<Signal, { kind: 'process' }>;

function noteLook(ledger: Ledger, look: Look, at: number): void {
  // Below one per cent of a core, what a process burns is housekeeping.
  // A restart goes on from its last tick: the look before may seem to lie ahead.
  const elapsed = Math.max(0, at - ledger.lookedAt);
  const isIdle = look.cpuMs - ledger.cpuMs <= 0.01 * elapsed && look.ioBytes <= ledger.ioBytes;
  const isFlat = ledger.lookedAt > 0 && isIdle && look.childrenAtWork === 0;
  if (!isFlat) ledger.flatSince = 0;
  else if (ledger.flatSince === 0) ledger.flatSince = ledger.lookedAt;
  if (look.state !== 'stopped') ledger.stoppedSince = 0;
  else if (ledger.stoppedSince === 0) ledger.stoppedSince = at;
  ledger.lookedAt = at;
  ledger.cpuMs = look.cpuMs;
  ledger.ioBytes = look.ioBytes;
}
