import type { EventEmitter } from 'node:events';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';
import { discount, type IpcHeartbeat, isHeartbeat, recount, workerChannelName } from './heartbeat-channel.ts';
import { OptionError } from './option-error.ts';

const PONG: IpcHeartbeat = { holter: 'pong' };
const ignore = (): void => undefined;

/**
 * Makes an agent answer the pings of an `AgentHealthMonitor`. With an emitter, that emitter answers; without
 * one, this worker thread or child process answers the monitor that registered it. Does not keep it alive.
 * @returns a function that stops answering
 */
export function answerHeartbeats(agent?: EventEmitter): () => void {
  if (agent) return answerOn(agent);
  if (!isMainThread) return answerAsWorker();
  if (process.send) return answerAsChild();
  throw new OptionError(
    'no_parent',
    'this is neither a worker thread nor a child process with an IPC channel',
  );
}

function answerOn(agent: EventEmitter): () => void {
  let lastId: unknown;
  let response = '';
  const answer = (ping: { readonly id: unknown }): void => {
    if (ping.id !== lastId) {
      lastId = ping.id;
      response = `heartbeat-response-${ping.id}`;
    }
    agent.emit(response);
  };
  agent.on('heartbeat-ping', answer);
  return () => agent.off('heartbeat-ping', answer);
}

function answerAsWorker(): () => void {
  const channel = new BroadcastChannel(workerChannelName(threadId));
  channel.unref();
  channel.onmessage = () => channel.postMessage('pong');
  return () => channel.close();
}

function answerAsChild(): () => void {
  const answer = (message: unknown): void => {
    if (isHeartbeat(message, 'ping') && process.connected) process.send?.(PONG, undefined, undefined, ignore);
  };
  process.on('message', answer);
  discount(process.channel, 1);
  return () => {
    recount(process.channel, 1);
    process.off('message', answer);
  };
}
