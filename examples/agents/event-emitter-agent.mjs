// An EventEmitter agent, watched inside its own process: it works, hangs, and recovers.
// Run: node examples/agents/event-emitter-agent.mjs
import { EventEmitter } from 'node:events';
import { AgentHealthMonitor, answerHeartbeats } from '@holter/agent';

class Researcher extends EventEmitter {
  name = 'researcher';

  constructor() {
    super();
    this.stopAnswering = answerHeartbeats(this);
  }

  work() {
    this.emit('tool_executed', { tool: 'search' });
  }
}

const monitor = new AgentHealthMonitor({ preset: 'development' });
monitor.on('agent-healthy', ({ agent }) => console.log(`${agent} is healthy`));
monitor.on('agent-degraded', ({ agent, reason }) => console.log(`${agent} is degraded: ${reason}`));
monitor.on('agent-disconnected', ({ agent, type }) => console.log(`${agent} is gone: ${type}`));
monitor.on('agent-reconnected', ({ agent }) => console.log(`${agent} is back`));

const researcher = new Researcher();
monitor.registerAgent(researcher);
researcher.work();

// It hangs: it still listens, but does not answer. Then it recovers.
researcher.stopAnswering();
const hang = () => undefined;
researcher.on('heartbeat-ping', hang);
setTimeout(() => {
  researcher.off('heartbeat-ping', hang);
  researcher.work();
  console.log(monitor.getMetrics('researcher').disconnectionCount, 'disconnection');
}, 3_000);
