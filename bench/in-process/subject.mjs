// One design with so many agents, alone in its process, prints one JSON line. `subject.mjs DESIGN COUNT SECONDS`
// measures CPU; with 0 seconds it measures memory, since a collection on demand brings others later that cost CPU.
import { EventEmitter } from 'node:events';
import { AgentHealthMonitor } from '../../packages/agent/dist/index.js';
import { SeedMonitor } from './seed-monitor.mjs';

const design = process.argv[2];
const [count, seconds] = process.argv.slice(3).map(Number);

/** The seed's agent: it answers each ping by an event of the ping's id. */
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
  // Rounds to warm up in; the compiler and a watchdog thread have done their part by then.
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
