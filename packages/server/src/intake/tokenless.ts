import type { Agent } from '@holter/core';
import type { Sender } from './sender.ts';

/** The account of agents that registered without a token, through the port that takes such calls. */
const NO_TOKEN = 'maestro-port';

/** Registers agents for calls without a token. */
export const TOKENLESS_REGISTRAR: Sender = {
  role: 'enroll',
  agentId: null,
  incarnation: null,
  tokenId: NO_TOKEN,
};

/** Nothing that comes without a token counts for an agent that registered with one. */
export const isTokenless = ({ hard }: Agent): boolean => hard.enrolledBy === NO_TOKEN;

/** Whose word it is when an agent without a token speaks. */
export const tokenlessSender = (agentId: string): Sender => ({ role: 'agent', agentId, incarnation: null });
