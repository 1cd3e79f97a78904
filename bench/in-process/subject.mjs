// Measures one design with COUNT agents in a process of its own and prints one JSON line. `subject.mjs DESIGN COUNT
// SECONDS` measures CPU; with 0 seconds it measures memory. Not both, since a forced collection costs CPU later.
import { EventEmitter } from 'node:events';
import { AgentHealthMonitor } from '../../packages/agent/dist/index.js';
import { SeedMonitor } from './seed-monitor.mjs';

const design = process.argv[2];
const [count, seconds] = process.argv.slice(3).map(Number);

/** An agent that answers each ping by an event with the ping's id. */
class Agent extends EventEmitter {
  constructor(name) {
    super();
    this.name = name;
    this.on('heartbeat-ping', ({ id }) => {
      this.emit(`heartbeat-response-${id}`);
    });
  }
}

const monitors = {
  nothing: () => null,
  seed: () => new SeedMonitor(),
  holter: () => new AgentHealthMonitor({ watchdog: 'off' }),
  'holter+watchdog': () => new AgentHealthMonitor(),
};

const agents = Array.from({ length: count }, (_, i) => new Agent(`agent-${i}`));
const keepAlive = setInterval(() => undefined, 3_600_000);
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const heap = () => {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};

if (seconds === 0) {
  await rest(200);
  const before = heap();
  watch();
  await rest(2_500);
  say({ bytesPerAgent: (heap() - before) / count });
} else {
  watch();
  // Rounds to warm up, until the compiler and the start of the watchdog thread are done.
  await rest(6_000);
  const usedBefore = process.cpuUsage();
  const startedAt = performance.now();
  await rest(seconds * 1_000);
  const { user, system } = process.cpuUsage(usedBefore);
  say({ share: (user + system) / 1_000 / (performance.now() - startedAt) });
}

function watch() {
  const monitor = monitors[design]();
  for (const agent of agents) monitor?.registerAgent(agent);
}

function say(measured) {
  console.log(JSON.stringify({ design, ...measured }));
  clearInterval(keepAlive);
  process.exit(0);
}
