import { EventEmitter } from 'node:events';
import { AgentHealthMonitor, OptionError } from '@holter/agent';
import { expect, it } from 'vitest';
import { listen, next, SeedAgent, sleep } from './kit.ts';

const quick = {
  heartbeatInterval: 100,
  heartbeatTimeout: 50,
  activityTimeout: 250,
  watchdog: 'off',
} as const;

it('refuses options that make no sense, and says which', () => {
  const wrong: readonly [config: object, message: string][] = [
    [{ heartbeatInterval: 0 }, 'heartbeatInterval must be'],
    [{ heartbeatInterval: Number.NaN }, 'heartbeatInterval must be'],
    [{ heartbeatTimeout: 3_000 }, 'heartbeatTimeout must be at most heartbeatInterval (2000 ms)'],
    [{ maxMissedBeats: 1.5 }, 'maxMissedBeats must be a whole number'],
    [{ heartBeatInterval: 1_000 }, 'has no option heartBeatInterval'],
    [{ preset: 'staging' }, 'preset must be one of development, production, high-tolerance'],
    [{ enableActivityTracking: false, enableHeartbeats: false }, 'nothing would be watched'],
    [{ recoveryStrategy: 'restart' }, 'recover must be given where the strategy is restart'],
    [{ activityEvents: ['error'] }, 'other than error'],
    [{ watchdog: true }, 'watchdog must be one of'],
  ];
  for (const [config, message] of wrong) {
    expect(() => new AgentHealthMonitor(config), message).toThrow(OptionError);
    expect(() => new AgentHealthMonitor(config), message).toThrow(message);
  }
  // Options that are undefined have their defaults.
  expect(() => new AgentHealthMonitor({ activityTimeout: undefined })).not.toThrow();
});

it('refuses a second registration, and agents without a name', () => {
  const monitor = new AgentHealthMonitor(quick);
  const agent = new SeedAgent('ada');
  monitor.registerAgent(agent);
  const before = agent.eventNames().length;
  expect(() => monitor.registerAgent(agent)).toThrow('ada is registered already');
  expect(() => monitor.registerAgent(new SeedAgent('ada'))).toThrow(OptionError);
  expect(() => monitor.registerAgent(new EventEmitter())).toThrow('needs a name');
  expect(() => monitor.registerAgent({ name: 'no emitter' } as never)).toThrow('must be an EventEmitter');
  expect(agent.eventNames()).toHaveLength(before);
  monitor.stop();
});

it('keeps equal names of several sessions apart', () => {
  const monitor = new AgentHealthMonitor(quick);
  for (const namespace of ['one', 'two']) monitor.registerAgent(new SeedAgent('ada'), { namespace });
  monitor.registerAgent(new SeedAgent('ada'));
  expect([...monitor.getAllHealth().keys()]).toEqual(['one/ada', 'two/ada', 'ada']);
  expect(monitor.getHealth('ada', 'two')).toMatchObject({ agentName: 'ada', namespace: 'two' });
  monitor.unregisterAgent('ada', 'one');
  expect(monitor.getHealth('ada', 'one')).toBe(undefined);
  expect(monitor.getHealth('ada')).toMatchObject({ namespace: null });
  monitor.stop();
});

it('leaves nothing behind after 10,000 agents came and went', { timeout: 30_000 }, () => {
  const monitor = new AgentHealthMonitor(quick);
  const agent = new SeedAgent('ada');
  for (let i = 0; i < 10_000; i += 1) {
    monitor.registerAgent(agent);
    monitor.unregisterAgent('ada');
  }
  expect(agent.eventNames()).toEqual(['heartbeat-ping']);
  const many = Array.from({ length: 10_000 }, (_, i) => new SeedAgent(`agent-${i}`));
  for (const each of many) monitor.registerAgent(each);
  expect(many[9_999]?.listenerCount('exit')).toBe(1);
  for (const each of many) each.emit('agent-removed');
  expect(many.every((each) => each.eventNames().length === 1)).toBe(true);
  expect(monitor.getAllHealth().size).toBe(0);
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThan(20);
});

it('pings each of many agents once per interval, spread over it', async () => {
  const monitor = new AgentHealthMonitor({ ...quick, heartbeatInterval: 400, heartbeatTimeout: 200 });
  const told = listen(monitor);
  const agents = Array.from({ length: 3_000 }, (_, i) => new SeedAgent(`agent-${i}`));
  for (const agent of agents) monitor.registerAgent(agent);
  await sleep(1_300);
  const beats = agents.map(({ name }) => monitor.getMetrics(name)?.totalHeartbeats ?? 0);
  expect(Math.min(...beats)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...beats)).toBeLessThanOrEqual(5);
  expect(told.filter((each) => !each.startsWith('agent-healthy'))).toEqual([]);
  monitor.stop();
});

it('is not harmed by an agent or a listener that throws', async () => {
  const warnings: string[] = [];
  const hear = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', hear);
  const monitor = new AgentHealthMonitor(quick);
  const agent = Object.assign(new EventEmitter(), { name: 'ada' });
  agent.on('heartbeat-ping', () => {
    throw new Error('not today');
  });
  monitor.registerAgent(agent);
  monitor.registerAgent(new SeedAgent('bob'));
  // Before the listeners that throw: those behind them hear nothing, as with any emitter.
  const degraded = next(monitor, 'agent-degraded');
  const disconnected = next(monitor, 'agent-disconnected');
  monitor.on('agent-degraded', () => {
    throw new Error('a listener of the host');
  });
  monitor.on('agent-disconnected', async () => {
    throw new Error('a promise of the host');
  });
  expect(await degraded).toMatchObject({ agent: 'ada', reason: 'heartbeat_error' });
  expect(await disconnected).toMatchObject({ agent: 'ada' });
  await sleep(150);
  expect(monitor.getHealth('bob')).toMatchObject({ status: 'healthy' });
  expect(warnings.join('\n')).toMatch(/a listener of the host[\s\S]*a promise of the host/);
  process.off('warning', hear);
  monitor.stop();
});

it('counts natural activity as life, and silence as idleness only where pings are off', async () => {
  const monitor = new AgentHealthMonitor({ ...quick, enableHeartbeats: false });
  const agent = Object.assign(new EventEmitter(), { name: 'ada' });
  monitor.registerAgent(agent, { activityEvents: ['thought'] });
  const busy = setInterval(() => agent.emit('thought'), 50);
  await sleep(600);
  expect(monitor.getHealth('ada')).toMatchObject({ status: 'healthy', isIdle: false });
  clearInterval(busy);
  const { reason, idleTime } = await next(monitor, 'agent-degraded');
  expect(reason).toBe('inactivity');
  expect(idleTime).toBeGreaterThanOrEqual(250);
  agent.emit('thought');
  expect(monitor.getHealth('ada')).toMatchObject({ status: 'healthy' });
  monitor.stop();
});

it('calls the silence of a remote agent a partition, and starts no twin of it', async () => {
  let recoveries = 0;
  const recover = (): undefined => {
    recoveries += 1;
  };
  const monitor = new AgentHealthMonitor({ ...quick, recoveryStrategy: 'restart', recover });
  const agent = new SeedAgent('ada');
  agent.removeAllListeners();
  agent.on('heartbeat-ping', () => undefined);
  monitor.registerAgent(agent, { isRemote: true });
  const critical = next(monitor, 'agent-health-critical');
  expect(await next(monitor, 'agent-disconnected')).toMatchObject({ type: 'network-partition' });
  expect(await critical).toMatchObject({ agent: 'ada', because: 'it may still be alive elsewhere' });
  await sleep(200);
  expect(recoveries).toBe(0);
  monitor.stop();
});

it('does not accuse anybody for a stall of its own loop', async () => {
  const monitor = new AgentHealthMonitor(quick);
  const told = listen(monitor);
  // Answers a little later, so that the stall falls between ping and answer.
  const agent = Object.assign(new EventEmitter(), { name: 'ada' });
  agent.on('heartbeat-ping', ({ id }) => void setTimeout(() => agent.emit(`heartbeat-response-${id}`), 5));
  monitor.registerAgent(agent);
  await sleep(350);
  const stalled = next(monitor, 'monitor-stalled');
  const end = performance.now() + 1_500;
  while (performance.now() < end);
  expect((await stalled).duration).toBeGreaterThan(1_000);
  await sleep(400);
  expect(told).toEqual(['agent-healthy ada']);
  monitor.stop();
});
