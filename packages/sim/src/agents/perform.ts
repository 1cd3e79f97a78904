import { Act } from './agent-env.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

const TOOLS = ['read', 'edit', 'bash', 'grep', 'test', 'web'] as const;

/** Does what was planned for an agent's life. `register` is the world's: it needs Holter's answer. */
export function perform(agent: SimAgent, act: Act, data: unknown): void {
  switch (act) {
    case Act.beat:
      return beat(agent);
    case Act.probe:
      return look(agent);
    case Act.thought:
      if (agent.activity === 'thinking' && !agent.isStopped) agent.beginCall(agent.random.pick(TOOLS));
      return;
    case Act.toolDone:
      return toolDone(agent);
    case Act.nextTask:
      if (agent.activity === 'idle') agent.takeTask();
      return;
    case Act.trouble:
      return trouble(agent);
    case Act.relief:
      agent.behaviour.relief?.(agent);
      return;
    case Act.own:
      agent.behaviour.own?.(agent, data);
      return;
    case Act.nudgeSeen:
      agent.nudgesSeen++;
      agent.behaviour.nudged?.(agent);
      return;
    case Act.pong:
      if (isResponsive(agent)) agent.env.send(agent, { kind: 'pong' });
      return;
    case Act.handoff:
      if (isResponsive(agent)) agent.env.send(agent, { kind: 'handoff-written', noteId: `n${agent.slot}` });
      return;
    default:
      return;
  }
}

/** Its event loop runs: it can beat, answer and read. */
export const isResponsive = (agent: SimAgent): boolean =>
  agent.isRunning && !agent.isStopped && agent.activity !== 'frozen' && agent.activity !== 'starting';

function beat(agent: SimAgent): void {
  agent.plan(agent.beatMs(), Act.beat);
  if (!isResponsive(agent)) return;
  if (!agent.isFlat) agent.cpuMs += 4;
  if (agent.profile.promises.pongs) return agent.env.send(agent, { kind: 'pong' });
  const isBusy = agent.activity === 'in-tool' && agent.random.chance(parameters.work.busyShare);
  agent.env.send(agent, {
    kind: 'heartbeat',
    timestamp: agent.wallNow,
    tokenCount: agent.tokens,
    ...(agent.lastCallAt !== null && { lastToolCall: agent.lastCallAt }),
    ...(isBusy ? { status: 'busy' as const } : {}),
  });
}

/** The executor's look at the process tree. */
function look(agent: SimAgent): void {
  agent.plan(agent.env.probeEveryMs(agent), Act.probe);
  const isAtWork = agent.activity === 'in-tool' && !agent.isStopped;
  if (isAtWork) agent.cpuMs += 900;
  // A model call keeps its connection warm: a few bytes of keep-alive each time.
  if (agent.activity === 'thinking' && !agent.isFlat && !agent.isStopped) agent.ioBytes += 240;
  agent.env.sense(agent, {
    kind: 'process',
    state: agent.isStopped ? 'stopped' : 'running',
    cpuMs: agent.cpuMs,
    ioBytes: agent.ioBytes,
    childrenAtWork: isAtWork ? 1 : 0,
    memoryBytes: agent.memoryBytes,
  });
}

function toolDone(agent: SimAgent): void {
  if (agent.activity !== 'in-tool' || agent.isStopped) return;
  const isError = agent.random.chance(parameters.work.errorShare);
  agent.endCall(agent.tool, isError, isError ? `cannot find '${agent.word()}'` : `wrote ${agent.word()}`);
  if (isError) reportFailures(agent);
  agent.goOn();
}

/** Some failures it also reports as its own, up to three in a row: one more would be called failing. */
function reportFailures(agent: SimAgent): void {
  if (!agent.random.chance(parameters.work.errorReportShare)) return;
  const count = 1 + agent.random.below(parameters.work.errorReportsMax);
  for (let failure = 0; failure < count; failure++) {
    agent.env.send(
      agent,
      { kind: 'error', message: 'call failed' },
      `f${agent.life}.${agent.callCount}.${failure}`,
    );
  }
}

/** Trouble needs work to spoil: it waits for a task, and some kinds for the end of the open call. */
function trouble(agent: SimAgent): void {
  if (agent.isTroubled || agent.truth !== 'fine') return;
  if (agent.taskId === null && agent.behaviour.isTroubleBetweenCalls) {
    agent.planTrouble();
    return;
  }
  agent.isTroubled = true;
  if (agent.behaviour.isTroubleBetweenCalls && agent.activity === 'in-tool') return;
  agent.behaviour.trouble?.(agent);
}
