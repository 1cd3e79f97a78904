import { EventEmitter } from 'node:events';
import { type AgentFailure, AgentHealthMonitor } from '@holter/agent';
import { expect, it } from 'vitest';
import { listen, next, SeedAgent, sleep } from './kit.ts';

const quick = {
  heartbeatInterval: 100,
  heartbeatTimeout: 50,
  recoveryBackoff: 50,
  watchdog: 'off',
} as const;

const deaf = (name: string): EventEmitter & { name: string } => {
  const agent = Object.assign(new EventEmitter(), { name });
  agent.on('heartbeat-ping', () => undefined);
  return agent;
};

it('restart: the host brings the same agent back, and it has recovered when it is heard', async () => {
  const failures: AgentFailure[] = [];
  const agent = new SeedAgent('ada');
  const recover = async (failure: AgentFailure): Promise<void> => {
    failures.push(failure);
    await sleep(20);
    agent.setupHeartbeat();
  };
  const monitor = new AgentHealthMonitor({ ...quick, recoveryStrategy: 'restart', recover });
  const told = listen(monitor);
  monitor.registerAgent(agent);
  await next(monitor, 'agent-healthy');
  agent.removeAllListeners('heartbeat-ping');
  expect(await next(monitor, 'agent-recovered')).toMatchObject({ strategy: 'restart', attempt: 1 });
  expect(failures).toEqual([
    { agent: 'ada', namespace: null, type: 'process-crash', strategy: 'restart', attempt: 1 },
  ]);
  expect(told.map((each) => each.split(' ')[0])).toEqual([
    'agent-healthy',
    'agent-disconnected',
    'agent-recovering',
    'agent-reconnected',
    'agent-recovered',
  ]);
  monitor.stop();
});

it('replace: another emitter takes the place of the lost one', async () => {
  const lost = deaf('ada');
  const monitor = new AgentHealthMonitor(quick);
  monitor.registerAgent(lost, { recoveryStrategy: 'replace', recover: () => new SeedAgent('ada') });
  await next(monitor, 'agent-recovered');
  expect(monitor.getHealth('ada')).toMatchObject({ status: 'healthy' });
  expect(lost.eventNames()).toEqual(['heartbeat-ping']);
  monitor.stop();
});

it('calls for a person once recovery was tried often enough', async () => {
  const attempts: number[] = [];
  const recover = ({ attempt }: AgentFailure): undefined => {
    attempts.push(attempt);
    if (attempt === 2) throw new Error('no room');
  };
  const monitor = new AgentHealthMonitor({ ...quick, recoveryStrategy: 'restart', recover });
  monitor.registerAgent(deaf('ada'));
  expect(await next(monitor, 'agent-health-critical')).toMatchObject({
    agent: 'ada',
    type: 'event-loop-freeze',
    attempts: 3,
    because: 'recovery did not help: it was not heard afterwards',
  });
  expect(attempts).toEqual([1, 2, 3]);
  monitor.stop();
});

it('alert tells the host, none leaves it alone', async () => {
  const monitor = new AgentHealthMonitor(quick);
  const told = listen(monitor);
  monitor.registerAgent(deaf('told'));
  monitor.registerAgent(deaf('left-alone'), { recoveryStrategy: 'none' });
  await sleep(500);
  expect(told).toContain('agent-health-critical told');
  expect(told).toContain('agent-disconnected left-alone');
  expect(told).not.toContain('agent-health-critical left-alone');
  monitor.stop();
});
