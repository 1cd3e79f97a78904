import { AgentHealthMonitor } from '@holter/agent';
import { expect } from 'vitest';
import { cpuShareOf100, listen, next, SeedAgent, sleep, together } from '../kit.ts';

/** The six contract tests of seed 002, in real time and with its defaults; all at once, since they wait. */
together('contract: healthy agent responds to heartbeats', async () => {
  const monitor = new AgentHealthMonitor({ watchdog: 'off' });
  monitor.registerAgent(new SeedAgent('ada'));
  const { agent, metrics } = await next(monitor, 'agent-healthy');
  expect(agent).toBe('ada');
  expect(metrics).toMatchObject({ status: 'healthy', missedHeartbeats: 0, totalHeartbeats: 1 });
  await sleep(2_100);
  expect(monitor.getMetrics('ada')).toMatchObject({ totalHeartbeats: 2, disconnectionCount: 0 });
  expect(Math.abs((monitor.getHealth('ada')?.lastHeartbeat ?? 0) - Date.now())).toBeLessThan(1_500);
  monitor.stop();
});

together('contract: frozen agent (no heartbeat response) detected within 4 seconds', async () => {
  const monitor = new AgentHealthMonitor({ watchdog: 'off' });
  const told = listen(monitor);
  const agent = new SeedAgent('ada');
  monitor.registerAgent(agent);
  await next(monitor, 'agent-healthy');
  const heardAt = Date.now();
  agent.removeAllListeners('heartbeat-ping');
  // It still listens, as a frozen one would; it only never answers.
  agent.on('heartbeat-ping', () => undefined);
  const degraded = await next(monitor, 'agent-degraded');
  expect(degraded).toMatchObject({ agent: 'ada', reason: 'missed_heartbeat' });
  expect(monitor.getHealth('ada')).toMatchObject({ status: 'degraded', missedHeartbeats: 1 });
  const { type, reason, lastSeen, timestamp } = await next(monitor, 'agent-disconnected');
  expect({ type, reason }).toEqual({ type: 'event-loop-freeze', reason: 'missed_heartbeats' });
  expect(timestamp - lastSeen).toBeGreaterThanOrEqual(3_990);
  // Four seconds after the last proof of life, and what a busy machine adds.
  expect(timestamp - heardAt).toBeLessThan(4_500);
  expect(monitor.getHealth('ada')).toMatchObject({ status: 'disconnected', missedHeartbeats: 2 });
  await sleep(4_500);
  // One event per change, not one per missed beat.
  expect(told.filter((each) => each !== 'agent-health-critical ada')).toEqual([
    'agent-healthy ada',
    'agent-degraded ada',
    'agent-disconnected ada',
  ]);
  monitor.stop();
});

together('contract: idle agent (no activity) remains healthy (heartbeat succeeds)', async () => {
  const monitor = new AgentHealthMonitor({ watchdog: 'off' });
  const told = listen(monitor);
  monitor.registerAgent(new SeedAgent('ada'));
  await sleep(6_500);
  expect(monitor.getHealth('ada')).toMatchObject({ status: 'healthy', isIdle: true });
  expect(told).toEqual(['agent-healthy ada']);
  monitor.stop();
});

together('contract: crashed agent detected within 2 seconds', async () => {
  const monitor = new AgentHealthMonitor({ watchdog: 'off' });
  const byEvent = new SeedAgent('by-event');
  const tornDown = new SeedAgent('torn-down');
  monitor.registerAgent(byEvent);
  monitor.registerAgent(tornDown);
  const crashedAt = Date.now();
  const told = next(monitor, 'agent-disconnected');
  byEvent.emit('exit', 1);
  // At once, by its exit event.
  expect(await told).toMatchObject({ agent: 'by-event', type: 'process-crash', detail: 'exit code 1' });
  expect(Date.now() - crashedAt).toBeLessThan(200);
  tornDown.removeAllListeners();
  expect(await next(monitor, 'agent-disconnected')).toMatchObject({
    agent: 'torn-down',
    type: 'process-crash',
    reason: 'no_listener',
  });
  expect(Date.now() - crashedAt).toBeLessThan(2_000);
  monitor.stop();
});

together('contract: reconnected agent recovers health state', async () => {
  const monitor = new AgentHealthMonitor({ watchdog: 'off' });
  const agent = new SeedAgent('ada');
  agent.removeAllListeners();
  monitor.registerAgent(agent);
  const { lastSeen } = await next(monitor, 'agent-disconnected');
  agent.setupHeartbeat();
  const { downtime, timestamp } = await next(monitor, 'agent-reconnected');
  expect(Math.abs(downtime - (timestamp - lastSeen))).toBeLessThan(50);
  expect(monitor.getHealth('ada')).toMatchObject({ status: 'healthy', missedHeartbeats: 0 });
  expect(monitor.getMetrics('ada')).toMatchObject({ disconnectionCount: 1 });
  monitor.stop();
});

together('contract: CPU overhead <1% for 100 agents', async () => {
  expect(await cpuShareOf100()).toBeLessThan(0.01);
});
