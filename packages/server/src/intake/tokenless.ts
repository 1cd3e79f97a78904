import { type Agent, UNPROVEN } from '@holter/core';
import type { Sender } from './sender.ts';

/** Registers agents for calls without a token. */
export const TOKENLESS_REGISTRAR: Sender = {
  role: 'enroll',
  agentId: null,
  incarnation: null,
  tokenId: UNPROVEN,
};

/** Nothing that comes without a token counts for an agent that registered with one. */
export const isTokenless = ({ hard }: Agent): boolean => hard.enrolledBy === UNPROVEN;

/** Whose word it is when an agent without a token speaks. */
export const tokenlessSender = (agentId: string): Sender => ({ role: 'agent', agentId, incarnation: null });
