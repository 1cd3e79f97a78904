import { hours, milliseconds, minutes, seconds } from '@holter/core';

/** What an operator may choose from. Wide on purpose: a range stops slips of the pen, not opinions. */
export type Range = { readonly min: number; readonly max: number };

const days = (n: number) => hours(24 * n);

export const ranges = {
  // More often would only read the same again.
  judgeInterval: { min: seconds(1), max: days(1) },
  judgeTimeout: { min: milliseconds(100), max: minutes(10) },
  judgeTokens: { min: 0, max: 1_000_000_000 },
  judgeStreak: { min: 1, max: 10_000 },
  // Faster than ten a second is not a beat but a load.
  beatInterval: { min: milliseconds(100), max: days(1) },
  beatTimeout: { min: milliseconds(100), max: days(7) },
  missed: { min: 1, max: 100 },
  slack: { min: 0, max: hours(1) },
  share: { min: 0, max: 1 },
  probeInterval: { min: milliseconds(100), max: days(1) },
  // A threshold or wait of zero would mean "always": switch the thing off instead.
  threshold: { min: milliseconds(1), max: days(30) },
  wait: { min: milliseconds(1), max: days(7) },
  // An agent is warned at least a minute before it is stopped (seed 001).
  handoffWait: { min: minutes(1), max: days(7) },
  settle: { min: 0, max: hours(1) },
  // Longer than that, a supervisor has killed the process.
  drain: { min: 0, max: minutes(1) },
  cleanup: { min: 0, max: hours(1) },
  // None would ignore real rate limits, all would let an agent stop the ladder.
  ownHoldShare: { min: 0.1, max: 0.95 },
  holdAge: { min: seconds(1), max: days(365) },
  // Zero attempts: never do it by yourself.
  attempts: { min: 0, max: 20 },
  // Each recovery of the last hour is remembered with the agent, and its record is small.
  attemptsPerHour: { min: 0, max: 60 },
  terminationAttempts: { min: 1, max: 10 },
  backoff: { min: 0, max: days(1) },
  backoffSteps: { min: 1, max: 20 },
  inRow: { min: 1, max: 1_000 },
  // The window is kept as one letter per call.
  windowCalls: { min: 1, max: 100 },
  repeats: { min: 1, max: 1_000 },
  // Two of anything is no pattern yet.
  detections: { min: 2, max: 10_000 },
  pollers: { min: 0, max: 50 },
  tokens: { min: 1, max: 1e15 },
  costUsd: { min: 0.01, max: 1e9 },
  // Dollars per million tokens; a model of one's own may cost nothing.
  price: { min: 0, max: 1e6 },
  warnAt: { min: 0.01, max: 1 },
  runtime: { min: seconds(1), max: days(365) },
  memory: { min: 1e6, max: 1e15 },
  breakerFailures: { min: 1, max: 1_000 },
  breakerTimeout: { min: milliseconds(100), max: days(1) },
  breakerPermits: { min: 1, max: 100 },
  hungModel: { min: seconds(1), max: days(1) },
  // Losses are remembered with their group.
  brakeLosses: { min: 1, max: 1_000 },
  brakeCalm: { min: 0, max: days(1) },
  brakeRelease: { min: 0, max: minutes(60) },
  perMinute: { min: 0.1, max: 100_000 },
  burst: { min: 1, max: 100_000 },
  channels: { min: 0, max: 20 },
  // One checkpoint of the largest size has to fit.
  checkpointBytes: { min: 4 * 1024 * 1024, max: 1e12 },
  checkpoints: { min: 1, max: 100_000 },
  agentTokens: { min: 1, max: 1_000 },
  agentStarts: { min: 1, max: 10_000 },
  auditRows: { min: 1, max: 10_000 },
  auditBytes: { min: 64 * 1024, max: 1e9 },
  // Less than one a second would refuse agents that only beat.
  requestRate: { min: 1, max: 1_000_000 },
  tokenAgents: { min: 1, max: 1_000_000 },
  streams: { min: 1, max: 10_000 },
  // Three series each; Prometheus keeps every series that it has seen.
  metricAgents: { min: 1, max: 10_000 },
  // Services that expect pings count in minutes.
  pingEvery: { min: seconds(5), max: days(1) },
  logBytes: { min: 64 * 1024, max: 1e9 },
  logFiles: { min: 1, max: 100 },
  port: { min: 1, max: 65_535 },
  retention: { min: days(1), max: days(3_650) },
  // Log-ins last a week; an alert that ends looks up what was sent about it.
  retentionLong: { min: days(8), max: days(3_650) },
  alertAfter: { min: 0, max: days(7) },
  // Slack takes about one a second.
  channelRate: { min: 0.1, max: 60 },
} as const satisfies Record<string, Range>;
