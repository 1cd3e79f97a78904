/**
 * What a reply of the server may carry to an agent. It states facts; what to do is up to the agent. The id lets a
 * client drop what it has had before.
 */
export type Directive = {
  readonly type: 'nudge' | 'inquiry' | 'reminder' | 'handoff' | 'deny' | 'stop';
  readonly id: string;
  readonly message: string;
};
