import { afterEach, beforeEach, expect, it } from 'vitest';
import { Causes } from '../../src/logging/causes.ts';
import { createLogger, logCommitted } from '../../src/logging/logger.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import { startHttp, type TestServer, until } from '../http/kit.ts';

type Line = Readonly<Record<string, unknown>>;

const store = openMemory();
let server: TestServer;
let lines: Line[];
let stop: () => void;

async function start(tokens?: TestServer['tokens']): Promise<void> {
  server = await startHttp({ store, ...(tokens && { tokens }) });
  lines = [];
  const write = (text: string): void => void lines.push(JSON.parse(text) as Line);
  const causes = new Causes();
  await causes.load(store);
  stop = logCommitted(server.engine, createLogger({ write, isPretty: false }), causes);
}

beforeEach(() => start());
afterEach(async () => {
  stop();
  await server.stop();
});

/** What `grep ID` shows. */
const grep = (id: unknown): readonly unknown[] =>
  lines.filter((line) => JSON.stringify(line).includes(String(id))).map(({ msg }) => msg);

it('one id leads from the signal over judgement, incident and effect to the receipt', async () => {
  const secret = 'sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH';
  await server.operator.register({ agentId: 'ada', instanceId: 'i' });
  await server.operator.signal('ada', {
    kind: 'error',
    message: `no disk, key ${secret}`,
    isUnrecoverable: true,
    incarnation: 1,
  });
  const cid = lines.find(({ input }) => input === 'signal error')?.cid;
  const { incidents } = await server.operator.incidents();
  await server.operator.noteShown(incidents.map(({ incidentId }) => incidentId));
  await until(
    () => grep(cid),
    (shown) => shown.includes('EFFECT_RECEIPT'),
  );
  expect(grep(cid)).toEqual(
    expect.arrayContaining([
      'signal error',
      'HEALTH_STATE_CHANGED',
      'INCIDENT_OPENED',
      'ESCALATION_TRIGGERED',
      'effect notify',
      'EFFECT_RECEIPT',
    ]),
  );
  expect(JSON.stringify(lines)).not.toContain(secret);

  // A decision later, by another server, belongs to the same incident and has an id of its own, too.
  stop();
  await server.stop();
  await start(server.tokens);
  await server.operator.decide(incidents[0]?.incidentId ?? '', { decision: 'acknowledge', reason: 'seen' });
  const decided = lines.find(({ input }) => input === 'decision');
  expect(decided).toMatchObject({ cid, agentId: 'ada' });
  expect(decided?.id).not.toBe(cid);
  expect(grep(decided?.id)).toEqual(expect.arrayContaining(['decision', 'DECISION_MADE']));
});
