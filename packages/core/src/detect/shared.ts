import type { Instant } from '../base/time.ts';
import { type ConversationState, emptyConversation } from './conversation.ts';
import { emptyMemory, type Memory } from './memory.ts';

/** What is remembered of earlier steps for all detectors: what they are shown is read by it, once. */
export type Shared = {
  readonly memory: Memory;
  readonly conversation: ConversationState;
  readonly callCount: number;
  /** When the last call ended: the pace of the work. */
  readonly lastCallAt: Instant | null;
  /** The newest time seen: what comes with an older one is a replayed history and was judged already. */
  readonly newestAt: Instant | null;
};

export const emptyShared: Shared = {
  memory: emptyMemory,
  conversation: emptyConversation,
  callCount: 0,
  lastCallAt: null,
  newestAt: null,
};
