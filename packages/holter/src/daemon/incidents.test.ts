import type { HolterEvent } from '@holter/core';
import { describe, expect, it } from 'vitest';
import { incidentsIn } from './incidents.ts';

const about = (agentId: string, at: number, type: string, payload: object) => ({
  agentId,
  event: { at, incarnation: 1, type, payload: { agentId, ...payload } } as unknown as HolterEvent,
});
const opened = [
  about('server', 10, 'FINDING_RAISED', { evidence: 'it has not answered for 3 min' }),
  about('server', 10, 'INCIDENT_OPENED', { incidentId: 'server/1', cause: 'missed-heartbeats' }),
  about('server', 10, 'FINDING_RAISED', { evidence: 'its process is stopped' }),
  about('server', 15, 'AGENT_TERMINATED', { reason: 'its process is stopped' }),
  about('server', 16, 'RECOVERY_INITIATED', { attempt: 1 }),
];
const closed = [about('server', 900, 'INCIDENT_CLOSED', { incidentId: 'server/1', reason: 'recovered' })];

describe('what the server is told about the incidents of the links', () => {
  it('is one story for each', () => {
    expect(incidentsIn(opened)).toEqual([
      {
        link: 'server',
        id: 'server/1',
        cause: 'missed-heartbeats',
        at: 16,
        evidence:
          'server: it has not answered for 3 min; its process is stopped; it was ended; it was started again',
        needsPerson: false,
        isClosed: false,
      },
    ]);
  });

  it('ends with the incident, also if its beginning was told before', () => {
    expect(incidentsIn([...opened, ...closed])).toMatchObject([{ id: 'server/1', isClosed: true }]);
    expect(incidentsIn(closed)).toMatchObject([{ id: 'server/1', isClosed: true }]);
  });

  it('says when a person is needed', () => {
    const step = about('server', 20, 'INCIDENT_STEP', { incidentId: 'server/1', step: 'human', attempt: 1 });
    expect(incidentsIn([...opened, step])).toMatchObject([{ needsPerson: true }]);
    expect(incidentsIn([...opened, step, ...closed])).toMatchObject([{ needsPerson: false }]);
  });

  it('keeps links apart', () => {
    const boot = about('boot', 11, 'INCIDENT_OPENED', { incidentId: 'boot/1', cause: 'process-gone' });
    const [first, ...rest] = opened;
    expect(incidentsIn([first ?? boot, boot, ...rest]).map(({ id }) => id)).toEqual(['boot/1', 'server/1']);
  });

  it('is nothing without news', () => {
    const step = about('server', 20, 'INCIDENT_STEP', {
      incidentId: 'server/1',
      step: 'recover',
      attempt: 2,
    });
    expect(incidentsIn([step])).toEqual([]);
    expect(incidentsIn([about('server', 1, 'AGENT_REGISTERED', {})])).toEqual([]);
  });
});
