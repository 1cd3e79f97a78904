import { type HolterEvent, wantedIdOf } from '@holter/core';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Engine } from '../engine/engine.ts';
import { firstCopies } from '../engine/fan-out.ts';
import type { RotatingLog } from '../files/index.ts';
import { redact } from '../redaction/index.ts';
import type { Causes } from './causes.ts';
import { prettyLine } from './pretty-log.ts';

export type { Logger } from 'pino';

type LogOptions = {
  readonly write: (text: string) => void;
  /** One readable line each instead of JSON: for a person at a terminal. */
  readonly isPretty: boolean;
  readonly hasColour?: boolean;
  readonly level?: string;
  /** Gets every line as JSON, too. */
  readonly file?: RotatingLog;
};

export function createLogger(options: LogOptions): Logger {
  const { write, isPretty, hasColour = false, level = 'info', file } = options;
  const stream: DestinationStream = {
    write: (line) => {
      // Errors are logged with their text, which may quote what an agent sent.
      const clean = redact(line);
      file?.write(clean);
      write(isPretty ? `${prettyLine(clean, hasColour)}\n` : clean);
    },
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

/**
 * Writes what was committed into the log: the inputs, what was judged, what was ordered, and what became of it, all
 * with the same `cid`, so that one search shows the way from the signal to the act. An input with another id, such as
 * a later one about the same incident, has it as `id`.
 */
export function logCommitted(engine: Engine, logger: Logger, causes: Causes): () => void {
  const stopCommitted = engine.onCommitted((own) => {
    const { stored, events, effects, correlationId, inputs } = own;
    const cid = causes.of(own);
    const { agentId } = stored.agent.hard;
    const wanted = firstCopies(effects);
    const level = wanted.length > 0 || events.some(isNotable) ? 'info' : 'debug';
    for (const { correlationId: id, what } of inputs)
      logger[level]({ cid, ...(id !== cid && { id }), agentId, input: what }, what);
    const ids = correlationId === cid ? { cid } : { cid, id: correlationId };
    for (const event of events) tell(logger, event, agentId, { ...ids, cid: causes.ofEvent(event) ?? cid });
    for (const effect of wanted) {
      const { kind } = effect;
      const effectId = wantedIdOf(effect);
      logger[level]({ ...ids, agentId, effectId, effect: kind }, `effect ${kind}`);
      if (kind !== 'notify') continue;
      const { severity, audience, incidentId, message } = effect;
      const about = { agentId: effect.agentId, severity, audience, ...(incidentId && { incidentId }) };
      logger.warn({ ...ids, ...about }, `NOTICE ${message}`);
    }
  });
  const stopStreamed = engine.onStreamed((events) => {
    for (const event of events)
      if (event.type === 'ATTENTION_RAISED') tell(logger, event, event.payload.agentId, {});
  });
  return () => {
    stopCommitted();
    stopStreamed();
  };
}

const isNotable = ({ type }: HolterEvent): boolean => notable.has(type) || alarming.has(type);

function tell(logger: Logger, event: HolterEvent, agentId: string, ids: object): void {
  const { agentId: _agentId, ...payload } = event.payload as { agentId?: string };
  const fields = { ...ids, agentId, event: event.type, ...payload };
  if (alarming.has(event.type)) logger.warn(fields, event.type);
  else if (notable.has(event.type)) logger.info(fields, event.type);
  else logger.debug(fields, event.type);
}
