// The design to compare with: a timer per agent; per ping an id, a time-out and a listener.
import { randomFillSync } from 'node:crypto';
import { EventEmitter } from 'node:events';

/** What nanoid does: 21 characters from a pool of random bytes. */
const letters = 'useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict';
const pool = Buffer.allocUnsafe(21 * 128);
let used = pool.length;
function nanoid() {
  if (used + 21 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let id = '';
  for (let i = 0; i < 21; i += 1) id += letters[pool[used + i] & 63];
  used += 21;
  return id;
}

export class SeedMonitor extends EventEmitter {
  healthState = new Map();
  config = { activityTimeout: 5000, heartbeatInterval: 2000, heartbeatTimeout: 1000, maxMissedBeats: 2 };

  registerAgent(agent) {
    const state = {
      agentName: agent.name,
      lastActivity: Date.now(),
      lastHeartbeat: Date.now(),
      missedHeartbeats: 0,
      status: 'healthy',
    };
    this.healthState.set(agent.name, state);
    const activityEvents = ['response_generated', 'tool_executed', 'config_updated', 'personality_updated'];
    for (const event of activityEvents) {
      agent.on(event, () => {
        state.lastActivity = Date.now();
        state.missedHeartbeats = 0;
        this.updateHealthStatus(agent.name);
      });
    }
    const heartbeatInterval = setInterval(() => {
      this.sendHeartbeat(agent, state);
    }, this.config.heartbeatInterval);
    agent.once('agent-removed', () => {
      clearInterval(heartbeatInterval);
      this.healthState.delete(agent.name);
    });
  }

  sendHeartbeat(agent, state) {
    const heartbeatId = nanoid();
    const timeout = setTimeout(() => {
      state.missedHeartbeats++;
      this.updateHealthStatus(agent.name);
    }, this.config.heartbeatTimeout);
    agent.once(`heartbeat-response-${heartbeatId}`, () => {
      clearTimeout(timeout);
      state.lastHeartbeat = Date.now();
      state.missedHeartbeats = 0;
      this.updateHealthStatus(agent.name);
    });
    agent.emit('heartbeat-ping', { id: heartbeatId });
  }

  updateHealthStatus(agentName) {
    const state = this.healthState.get(agentName);
    if (!state) return;
    const timeSinceActivity = Date.now() - state.lastActivity;
    if (state.missedHeartbeats >= this.config.maxMissedBeats) {
      state.status = 'disconnected';
      this.emit('agent-disconnected', { agent: agentName, reason: 'missed_heartbeats' });
    } else if (timeSinceActivity > this.config.activityTimeout) {
      state.status = 'degraded';
      this.emit('agent-degraded', { agent: agentName, reason: 'inactivity', idleTime: timeSinceActivity });
    } else {
      state.status = 'healthy';
    }
  }
}
