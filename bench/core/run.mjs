/**
 * What one step costs, beside an empty loop and beside copying the record as one flat object, which is what
 * a beat would cost without `{ soft, hard }`. Goal: a heartbeat below 2 µs. `npm run bench:core`
 */
import {
  applyInput,
  emptyFleetGuard,
  enroll,
  NO_STALLS,
  transition,
} from '../../packages/core/dist/index.js';
import { defaultPolicies, policyFor } from '../../packages/server/dist/policy/index.js';

const ROUNDS = 15;
const LENGTH = 100_000;
const START = 1_700_000_000_000;

const policy = policyFor(defaultPolicies, 'active-development', 'ada');
const context = { policy, fleetPolicy: defaultPolicies.fleet, groupSize: 100 };

function agentOf(promises) {
  const registration = {
    agentId: 'ada',
    instanceId: 'ada-1',
    role: 'active-development',
    group: 'default',
    mode: 'act',
    promises,
    can: ['nudge', 'terminate', 'spawn'],
    executor: 'host-1',
    taskId: 'task-1',
  };
  const enrollment = enroll(null, registration, { at: START, stalls: NO_STALLS, policy });
  const tick = { at: START, stalls: NO_STALLS, kind: 'tick' };
  return applyInput(enrollment.agent, tick, policy).agent;
}

const signalAt = (at, body) => ({
  at,
  stalls: NO_STALLS,
  kind: 'signal',
  origin: 'agent',
  signal: { agentId: 'ada', incarnation: 1, ...body },
});

/** Each case runs `length` steps and returns a value of the result, so that the compiler removes nothing. */
const cases = {
  'empty loop': (length) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += i & 7;
    return sum;
  },
  'copy a flat record': (length) => {
    const { soft, hard } = agentOf({ beatEveryMs: 60_000 });
    let record = { ...hard, ...soft };
    for (let i = 0; i < length; i++) record = { ...record, beatAt: START + i };
    return record.beatAt;
  },
  'heartbeat, step': (length) => {
    let agent = agentOf({ beatEveryMs: 60_000 });
    agent = applyInput(agent, signalAt(START + 1, { kind: 'heartbeat' }), policy).agent;
    for (let i = 0; i < length; i++)
      agent = applyInput(agent, signalAt(START + 2 + i, { kind: 'heartbeat', tokenCount: i }), policy).agent;
    return agent.soft.beatAt;
  },
  'heartbeat, turn': (length) => {
    let agent = agentOf({ beatEveryMs: 60_000 });
    agent = applyInput(agent, signalAt(START + 1, { kind: 'heartbeat' }), policy).agent;
    for (let i = 0; i < length; i++)
      agent = transition(
        agent,
        emptyFleetGuard,
        signalAt(START + 2 + i, { kind: 'heartbeat', tokenCount: i }),
        context,
      ).agent;
    return agent.soft.beatAt;
  },
  'heartbeat with all eight fields': (length) => {
    let agent = agentOf({ beatEveryMs: 60_000 });
    const beat = {
      kind: 'heartbeat',
      taskId: 'task-1',
      timestamp: START,
      phase: 'implementing',
      lastToolCall: START,
      tokenCount: 4_000,
      errorCount: 0,
      progressIndicator: '3 of 7',
    };
    agent = applyInput(agent, signalAt(START + 1, beat), policy).agent;
    for (let i = 0; i < length; i++) agent = applyInput(agent, signalAt(START + 2 + i, beat), policy).agent;
    return agent.soft.beatAt;
  },
  'call ended, step': (length) => {
    let agent = agentOf({
      beatEveryMs: 60_000,
      calls: { modelTimeoutMs: 0 },
      tasks: true,
      checkpoints: true,
    });
    for (let i = 0; i < length; i++) {
      const call = {
        kind: 'call-ended',
        callId: `call-${i}`,
        tool: 'Bash',
        input: { command: `make part-${i % 50}` },
        output: `built part ${i} of the thing, and it took a while`,
        isError: false,
      };
      agent = applyInput(agent, signalAt(START + 2 + i, call), policy).agent;
    }
    return agent.hard.at;
  },
  'tick, step': (length) => {
    let agent = agentOf({
      beatEveryMs: 60_000,
      calls: { modelTimeoutMs: 0 },
      tasks: true,
      checkpoints: true,
    });
    for (let i = 0; i < length; i++)
      agent = applyInput(agent, { at: START + 2 + i / 100, stalls: NO_STALLS, kind: 'tick' }, policy).agent;
    return agent.hard.at;
  },
};

const lengths = { 'call ended, step': LENGTH / 20, 'tick, step': LENGTH / 4 };

/** Rounds are interleaved, so that other load on the machine affects all cases alike. */
const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
let checksum = 0;
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(cases)) {
    const length = lengths[name] ?? LENGTH;
    const from = process.hrtime.bigint();
    checksum += run(length);
    samples[name].push(Number(process.hrtime.bigint() - from) / 1_000 / length);
  }
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const base = median(samples['empty loop']);
console.log(`node ${process.version}, ${ROUNDS} rounds, median and best, µs per step\n`);
console.log(`${'case'.padEnd(34)}${'median'.padStart(9)}${'best'.padStart(9)}${'less loop'.padStart(11)}`);
for (const [name, values] of Object.entries(samples)) {
  const middle = median(values);
  const cells = [middle, values[0], Math.max(0, middle - base)].map((us) => us.toFixed(3));
  console.log(`${name.padEnd(34)}${cells[0].padStart(9)}${cells[1].padStart(9)}${cells[2].padStart(11)}`);
}

let beating = agentOf({ beatEveryMs: 60_000 });
for (let i = 1; i < 100; i++)
  beating = applyInput(
    beating,
    signalAt(START + i * 60_000, { kind: 'heartbeat', phase: `p${i}` }),
    policy,
  ).agent;
console.log(`\nrecord of an agent that only beats: ${JSON.stringify(beating).length} bytes (goal 1,024)`);

// Other load only adds time, so the best round shows what a step costs.
const heartbeat = Math.min(...samples['heartbeat, step']);
console.log(
  `heartbeat ${heartbeat.toFixed(2)} µs: ${heartbeat < 2 ? 'below' : 'ABOVE'} the goal of 2 µs [${Math.round(checksum) % 10}]`,
);
process.exitCode = heartbeat < 2 ? 0 : 1;
