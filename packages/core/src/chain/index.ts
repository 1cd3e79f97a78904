/** What Boot needs of the rules, without the rest of them: it is started anew with each tick of the daemon. */
export * from './boot-memory.ts';
export * from './freshness.ts';
export * from './triage.ts';
