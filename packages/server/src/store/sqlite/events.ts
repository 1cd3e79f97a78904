import { RECORD_VERSION } from '@holter/core';
import type { Schema } from '../sql/schema.ts';
import { preparedForMany } from './prepared.ts';

export type EventRow = Omit<Schema['events'], 'cursor' | 'record_version'>;

export const appendEvents = preparedForMany<EventRow>((db, place) =>
  db.insertInto('events').values({
    at: place('at'),
    agent_id: place('agent_id'),
    type: place('type'),
    incident_id: place('incident_id'),
    correlation_id: place('correlation_id'),
    body: place('body'),
    record_version: RECORD_VERSION,
  }),
);
