import type { Instant } from '../base/time.ts';

/**
 * What a reply of the server may carry to an agent. It states facts; the agent decides what to do. Clients drop a
 * directive whose id they have seen.
 */
export type Directive = {
  readonly type: 'nudge' | 'inquiry' | 'reminder' | 'handoff' | 'deny' | 'stop';
  readonly id: string;
  readonly message: string;
  /** Of an inquiry: when it is too late to answer, and the task that it is about. */
  readonly answerBy?: Instant;
  readonly taskId?: string;
};
