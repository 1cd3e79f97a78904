import type { Instant } from '../base/time.ts';
import { type ConversationState, emptyConversation } from './conversation.ts';
import { emptyMemory, type Memory } from './memory.ts';

/** What all detectors remember in common of earlier steps; a step's facts are computed from it once. */
export type Shared = {
  readonly memory: Memory;
  readonly conversation: ConversationState;
  readonly callCount: number;
  /** When the last call ended, for the pace of the work. */
  readonly lastCallAt: Instant | null;
  /** The newest time seen. A step with an older time is a replayed history and was already judged. */
  readonly newestAt: Instant | null;
};

export const emptyShared: Shared = {
  memory: emptyMemory,
  conversation: emptyConversation,
  callCount: 0,
  lastCallAt: null,
  newestAt: null,
};
