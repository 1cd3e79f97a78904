import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { AgentHealthMonitor, OptionError } from '@holter/agent';
import { expect, it } from 'vitest';
import { fixture, listen, next, sleep, together } from './kit.ts';

const file = fixture('worker-agent.mjs');
const quick = { preset: 'development', watchdog: 'off' } as const;

together('a worker thread answers, freezes, and is told from one that crashed', async () => {
  const monitor = new AgentHealthMonitor(quick);
  const worker = new Worker(file);
  monitor.registerAgent(worker, { name: 'ada' });
  expect(await next(monitor, 'agent-healthy')).toMatchObject({ agent: 'ada' });
  worker.postMessage('spin');
  expect(await next(monitor, 'agent-disconnected')).toMatchObject({ type: 'event-loop-freeze' });
  const other = new Worker(file);
  monitor.registerAgent(other, { name: 'bob' });
  const crash = next(monitor, 'agent-disconnected');
  other.postMessage('crash');
  expect(await crash).toMatchObject({ agent: 'bob', type: 'process-crash', detail: 'worker exit code 3' });
  await worker.terminate();
  monitor.stop();
});

together(
  'a child process that freezes, one that crashes and one that is cut off are told apart',
  async () => {
    const monitor = new AgentHealthMonitor(quick);
    const [frozen, crashed, cutOff] = [fork(file), fork(file), fork(file)];
    monitor.registerAgent(frozen, { name: 'frozen' });
    monitor.registerAgent(crashed, { name: 'crashed' });
    monitor.registerAgent(cutOff, { name: 'cut-off' });
    const healthy = new Set<string>();
    while (healthy.size < 3) healthy.add((await next(monitor, 'agent-healthy')).agent);
    const types: Record<string, string> = {};
    monitor.on('agent-disconnected', ({ agent, type }) => {
      types[agent] = type;
    });
    frozen.send('spin');
    crashed.send('crash');
    cutOff.send('disconnect');
    await sleep(3_500);
    expect(types).toEqual({
      frozen: 'event-loop-freeze',
      crashed: 'process-crash',
      'cut-off': 'network-partition',
    });
    frozen.kill('SIGKILL');
    cutOff.kill('SIGKILL');
    monitor.stop();
  },
);

together('a child that ends on purpose is removed, not accused', async () => {
  const monitor = new AgentHealthMonitor(quick);
  const told = listen(monitor);
  const child = fork(file);
  monitor.registerAgent(child, { name: 'ada' });
  await next(monitor, 'agent-healthy');
  child.send('end');
  expect(await next(monitor, 'agent-removed')).toMatchObject({ agent: 'ada', reason: 'exited' });
  expect(told).toEqual(['agent-healthy ada', 'agent-removed ada']);
  expect(child.listenerCount('message') + child.listenerCount('exit')).toBe(0);
  monitor.stop();
});

it('wants a name for a child process, which has none', () => {
  const child = fork(file);
  const monitor = new AgentHealthMonitor(quick);
  expect(() => monitor.registerAgent(child)).toThrow(OptionError);
  child.kill('SIGKILL');
});
