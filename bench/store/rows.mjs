// What the benchmark writes: the same agents for the store and for the raw inserts beside it.

/** As many as the engine writes in one transaction. */
export const COMMITS = 256;

const AT = 1_700_000_000_000;

const soft = {
  beatAt: AT,
  pongAt: 0,
  activityAt: AT,
  tokens: 1,
  costUsd: 0.5,
  probedAt: 0,
  cpuMs: 0,
  ioBytes: 0,
};

/** About 1.5 kB of JSON, like the record of a working agent. */
const hardOf = (agentId, at) => ({
  agentId,
  incarnation: 1,
  instanceHash: 1,
  role: 'active-development',
  group: 'default',
  mode: 'act',
  promises: { beatEveryMs: 60_000, calls: { modelTimeoutMs: 600_000 } },
  can: ['nudge', 'terminate', 'spawn'],
  executor: 'host-1',
  startedAt: AT,
  at,
  wakeAt: at + 60_000,
  health: 'HEALTHY',
  healthSince: AT,
  holds: [],
  heldBefore: { anyMs: 0, outsideToolMs: 0 },
  points: [],
  derived: [],
  incidentCount: 0,
  seen: Array.from({ length: 64 }, (_, i) => 2_000_000_000 + i * 7_919),
  results: Array.from({ length: 32 }, (_, i) => 1_000_000_000 + i * 104_729),
});

const eventOf = (agentId, at) => ({
  at,
  incarnation: 1,
  type: 'TASK_CHANGED',
  payload: { agentId, taskId: 't', status: 'x' },
});

export function commitOf(agentId, version) {
  const at = AT + version * 1_000;
  return {
    agent: { soft, hard: hardOf(agentId, at) },
    expectedVersion: version,
    events: [eventOf(agentId, at)],
    effects: [],
    correlationId: 'bench',
  };
}

export const softOf = (agentId, beat) => ({
  agentId,
  incarnation: 1,
  soft: { ...soft, beatAt: AT + beat * 1_000 },
  beats: 1,
});

/** The rows of one commit: agent, soft facts, event. */
export function rowsOf({ agent: { hard }, expectedVersion, events: [event] }, key) {
  const { incarnation, role, group, health, healthSince, wakeAt, at } = hard;
  return {
    agent: [
      key,
      expectedVersion + 1,
      incarnation,
      role,
      group,
      health,
      healthSince,
      0,
      0,
      wakeAt,
      at,
      JSON.stringify(hard),
      4,
    ],
    soft: softRowOf({ agentId: key, incarnation, soft }),
    event: [at, key, event.type, null, 'bench', JSON.stringify(event), 4],
  };
}

export const softRowOf = ({ agentId, incarnation, soft: s }) => [
  agentId,
  incarnation,
  s.beatAt,
  s.pongAt,
  s.activityAt,
  s.tokens,
  s.costUsd,
  s.probedAt,
  s.cpuMs,
  s.ioBytes,
];

/** The stored versions of so many agents. */
export async function versionsIn(store, first, count) {
  const versions = [];
  for (let done = 0; done < count; done += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, count - done) }, (_, i) => `agent-${first + done + i}`);
    const byId = new Map((await store.loadMany(ids)).map((each) => [each.agent.hard.agentId, each.version]));
    versions.push(...ids.map((id) => byId.get(id)));
  }
  return versions;
}
