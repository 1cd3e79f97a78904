import type { Effect, HolterEvent } from '@holter/core';
import { wantedIdOf } from '@holter/core';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Engine } from '../engine/engine.ts';
import { firstCopies } from '../engine/fan-out.ts';
import { redact } from '../redaction/index.ts';
import { prettyLine } from './pretty-log.ts';

export type { Logger } from 'pino';

type LogOptions = {
  readonly write: (text: string) => void;
  /** One readable line each instead of JSON: for a person at a terminal. */
  readonly isPretty: boolean;
  readonly hasColour?: boolean;
  readonly level?: string;
};

export function createLogger({ write, isPretty, hasColour = false, level = 'info' }: LogOptions): Logger {
  const stream: DestinationStream = {
    // Errors are logged with their text, which may quote what an agent sent.
    write: (line) => write(isPretty ? `${prettyLine(redact(line), hasColour)}\n` : redact(line)),
  };
  return pino({ level, base: null, redact: ['token', '*.token', '*.authorization'] }, stream);
}

/** What a person wants to read in the log of a quiet day; the rest is there at `debug`. */
const notable: ReadonlySet<HolterEvent['type']> = new Set<HolterEvent['type']>([
  'AGENT_REGISTERED',
  'AGENT_ENDED',
  'AGENT_RETURNED',
  'AGENT_TERMINATED',
  'HEALTH_STATE_CHANGED',
  'LIVENESS_CHANGED',
  'NUDGE_SENT',
  'ESCALATION_TRIGGERED',
  'INCIDENT_OPENED',
  'INCIDENT_REOPENED',
  'INCIDENT_CLOSED',
  'DECISION_MADE',
  'DECISION_REJECTED',
  'RECOVERY_INITIATED',
  'RECOVERY_COMPLETED',
  'RECOVERY_FAILED',
  'EFFECT_RECEIPT',
  'EFFECT_CANCELLED',
]);
const alarming: ReadonlySet<HolterEvent['type']> = new Set<HolterEvent['type']>([
  'ATTENTION_RAISED',
  'MASS_FAILURE',
  'MASS_FAILURE_OVER',
]);

/** Decisions remembered for the log; a receipt that comes later than this many has only its own id. */
const REMEMBERED_MAX = 10_000;

/**
 * Writes what was committed into the log. The correlation id of the signal that led to an effect is also
 * given to the lines about its receipt, so that one search shows the way from the signal to the act.
 */
export function logCommitted(engine: Engine, logger: Logger): () => void {
  const causes = new Map<string, string>();
  const remember = (effects: readonly Effect[], correlationId: string): void => {
    for (const effect of effects) causes.set(wantedIdOf(effect), correlationId);
    for (const id of causes.keys()) {
      if (causes.size <= REMEMBERED_MAX) break;
      causes.delete(id);
    }
  };
  const stopCommitted = engine.onCommitted(({ stored, events, effects, correlationId }) => {
    const wanted = firstCopies(effects);
    remember(wanted, correlationId);
    const { agentId } = stored.agent.hard;
    for (const event of events) tell(logger, event, agentId, causeOf(event, causes) ?? correlationId);
    for (const effect of wanted) {
      const { kind } = effect;
      const effectId = wantedIdOf(effect);
      logger.debug({ cid: correlationId, agentId, effectId, effect: kind }, 'effect wanted');
      if (kind !== 'notify') continue;
      const { severity, audience, incidentId, message } = effect;
      const about = { agentId: effect.agentId, severity, audience, ...(incidentId && { incidentId }) };
      logger.warn({ cid: correlationId, ...about }, `NOTICE ${message}`);
    }
  });
  const stopStreamed = engine.onStreamed((events) => {
    for (const event of events) {
      if (event.type === 'ATTENTION_RAISED')
        tell(logger, event, event.payload.agentId, causeOf(event, causes));
    }
  });
  return () => {
    stopCommitted();
    stopStreamed();
  };
}

function causeOf(event: HolterEvent, causes: ReadonlyMap<string, string>): string | undefined {
  return event.type === 'EFFECT_RECEIPT' || event.type === 'EFFECT_CANCELLED'
    ? causes.get(event.payload.effectId)
    : undefined;
}

function tell(logger: Logger, event: HolterEvent, agentId: string, cid: string | undefined): void {
  const { agentId: _agentId, ...payload } = event.payload as { agentId?: string };
  const fields = { ...(cid && { cid }), agentId, event: event.type, ...payload };
  if (alarming.has(event.type)) logger.warn(fields, event.type);
  else if (notable.has(event.type)) logger.info(fields, event.type);
  else logger.debug(fields, event.type);
}
