import type { MessagePriority } from '@holter/core';
import type { SimAgent } from './sim-agent.ts';

export const PRIORITIES: readonly MessagePriority[] = ['urgent', 'high', 'normal', 'low'];

const idOf = (agent: SimAgent, name: string): string => `m${agent.slot}.${name}`;

/** A letter of Holter is in its box. */
export const deliverLetter = (agent: SimAgent, name: string, priority: MessagePriority): void =>
  agent.env.sense(agent, { kind: 'message-delivered', messageId: idOf(agent, name), priority });

export const acknowledgeLetter = (agent: SimAgent, name: string): void =>
  agent.env.send(agent, { kind: 'message-acknowledged', messageId: idOf(agent, name) }, agent.freshId());
