/**
 * Every number of the simulated agents, with its reason. None of them is read by the core, and none is taken
 * from it: if a rule of the core and the life of an agent disagree, the simulator shall show it.
 */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export const parameters = {
  work: {
    // A tool call of a coding agent: mostly reads and edits, now and then a test run of minutes.
    toolMedianMs: 13 * second,
    toolSigma: 1.2,
    // Between two calls the model thinks: for a steady worker under a minute, with a mild tail.
    thinkMedianMs: 46 * second,
    thinkSigma: 0.7,
    // A few calls in a hundred fail in any healthy session (a missing file, a failing test).
    errorShare: 0.03,
    // A few of them it reports as failures of its own, with retries: up to three in a row are still healthy.
    errorReportShare: 0.3,
    errorReportsMax: 3,
    // A task is between one look and an afternoon.
    taskMedianMs: 50 * minute,
    taskSigma: 0.9,
    // Between tasks an agent waits for the next one.
    restMedianMs: 25 * minute,
    restSigma: 1,
    // Checkpoint protocols write at the end of a unit of work; well inside the ten fresh minutes.
    checkpointEveryMs: 6 * minute,
    // A boot: read the repository, connect, say hello.
    bootMinMs: 2 * second,
    bootMaxMs: 25 * second,
    tokensPerCall: 1_800,
    memoryBytes: 300_000_000,
    // A share of status lines says "busy"; seed 001 lets it stretch the deadline once.
    busyShare: 0.002,
  },
  beats: {
    // Clients beat a little early, so that the journey does not make every beat late.
    periodShare: 0.94,
    // Timers of a loaded process fire late by a few per cent.
    jitterShare: 0.05,
  },
  thinker: {
    // Reasoning models: median a third of a minute, p99 four minutes, one in 10,000 beyond fifteen. Not cut.
    thinkMedianMs: 22 * second,
    thinkSigma: 1,
  },
  /** What adapters of model clients declare: the client's own time-out, after which it tries again by itself. */
  modelTimeoutMs: 10 * minute,
  idle: {
    // A standby agent is asked for something twice a day.
    taskEveryMs: 11 * hour,
    taskMs: 12 * minute,
  },
  waiting: {
    // A person answers after lunch, or the next morning; within the day that a hold may last.
    everyMs: 50 * minute,
    medianMs: 40 * minute,
    sigma: 1,
  },
  rateLimit: {
    // Usage windows of providers are hours long; the reset time is told.
    everyMs: 3 * hour,
    minMs: 4 * minute,
    maxMs: 5 * hour,
  },
  slowStart: {
    // A cold container: clone, install, index. The tail beyond four minutes is the point of this agent.
    medianMs: 100 * second,
    sigma: 0.7,
  },
  longTool: {
    // Builds, training runs, test suites: one tool for twenty minutes and more.
    everyMs: 45 * minute,
    medianMs: 24 * minute,
    sigma: 0.6,
  },
  letters: {
    // Somebody writes every quarter of an hour; reading may take longer than every time for an acknowledgement.
    everyMs: 15 * minute,
    readMaxMs: 90 * minute,
  },
  crash: { everyMs: 7 * hour },
  freeze: {
    everyMs: 9 * hour,
    // One in four is only stopped (Ctrl-Z, a debugger) and comes back by itself.
    stoppedShare: 0.25,
    stoppedMs: 11 * minute,
  },
  partition: {
    everyMs: 4 * hour,
    minMs: 30 * second,
    // Longer than the whole ladder takes from the first missed beat to an unattended termination.
    maxMs: 95 * minute,
  },
  loop: {
    everyMs: 6 * hour,
    // A loop hammers several times a minute; what repeats slower than every 20 s passes for waiting.
    repeatMinMs: 4 * second,
    repeatMaxMs: 17 * second,
    // Some do wait, for something that will never come.
    slowShare: 0.2,
    slowMinMs: 25 * second,
    slowMaxMs: 70 * second,
    // Some loops end by themselves: the build that was polled is done.
    selfCureShare: 0.2,
    selfCureMs: 9 * minute,
  },
  pausingLoop: {
    // Quiet for longer than an incident needs to close, shorter than it stays reopenable.
    pauseMinMs: 12 * minute,
    pauseMaxMs: 26 * minute,
  },
  errorSpiral: {
    everyMs: 8 * hour,
    betweenMs: 15 * second,
    // Left alone, one spiral in three finds the way out after some more tries.
    selfCureShare: 0.33,
    failuresMax: 14,
    // The others keep their failures to themselves: only the calls show them.
    reportShare: 0.5,
  },
  zombie: {
    everyMs: 9 * hour,
    // Half of them beat from a sidecar, so that the process itself does nothing at all.
    flatShare: 0.5,
  },
  nudge: {
    // An agent reads what was put in its context at the next turn.
    seenMinMs: 2 * second,
    seenMaxMs: 40 * second,
    // Then it changes what it does, or not.
    cureMinMs: 5 * second,
    cureMaxMs: 50 * second,
  },
  relapse: {
    // Fails again soon, well inside the probation.
    againMinMs: 40 * second,
    againMaxMs: 9 * minute,
    // Up to this many times: past the limits, so that a person is needed now and then.
    timesMax: 5,
  },
  corruptCheckpoint: {
    // How many of the newest checkpoints can't be read; sometimes all of them.
    skippedMax: 3,
    allCorruptShare: 0.15,
  },
  selfRestart: {
    everyMs: 5 * hour,
    // systemd's RestartSec and a boot.
    backMinMs: 3 * second,
    backMaxMs: 50 * second,
    retryMs: 20 * second,
  },
  twin: {
    everyMs: 3 * hour,
    retryMs: 25 * second,
    tries: 6,
    // How long the elder goes on talking after the younger has taken the name.
    lingerMs: 6 * minute,
  },
  swap: {
    // A mixed-up configuration is noticed, and another one is mixed up.
    everyMs: 4 * hour,
  },
  flood: {
    everyMs: 7 * hour,
    // Ten calls a second, for half a minute to two minutes.
    betweenMs: 100,
    callsMin: 300,
    callsMax: 900,
  },
  replay: {
    everyMs: 6 * hour,
    // A spool is read soon after a start.
    withinMs: 5 * minute,
    // Enough for any detector, if it counted them.
    calls: 12,
  },
  generic: {
    // A command that promised only a process: a training run that prints nothing.
    runMedianMs: 5 * hour,
    runSigma: 0.8,
    crashShare: 0.3,
  },
  inProcess: {
    // A blocked event loop: a large file parsed at once, up to a minute of regular expressions.
    everyMs: 2 * hour,
    blockMinMs: 5 * second,
    blockMaxMs: 70 * second,
  },
  breaker: {
    // A service that a whole agent lives by is asked several times a minute, sometimes by several at once.
    callEveryMs: 20 * second,
    callersMax: 3,
    callMs: 2 * second,
    failShare: 0.01,
    // A provider has a bad quarter of an hour now and then: nearly everything fails, or hangs, or takes its time.
    badEveryMs: 2 * hour,
    badMinMs: 4 * minute,
    badMaxMs: 25 * minute,
    badTimes: {
      failing: { failShare: 0.9, slowShare: 0.3 },
      // An overloaded index answers rightly, and late.
      slow: { failShare: 0.1, slowShare: 0.9 },
    },
    slowMs: 70 * second,
    // The caller was killed or cut off, and never reports the outcome.
    lostShare: 0.03,
    // A response that was stuck in a queue, minutes after everybody has given it up.
    lateShare: 0.05,
    lateMaxMs: 9 * minute,
    // In the middle of it the caller itself dies now and then, its permits in its hands.
    deathShare: 0.1,
    // Somebody looks at the dashboard, switches the service off for a while, and maybe on again earlier.
    isolateShare: 0.25,
    resetShare: 0.4,
    isolateMaxMs: 20 * minute,
  },
  spender: {
    // Beyond what policies.ts allows, at one blow: what creeps up to a limit crosses it no differently.
    everyMs: 3 * hour,
    tokens: 20_000_000,
    memoryBytes: 3_000_000_000,
  },
  odd: { everyMs: 80 * minute, laterMs: 20 * second },
  visited: {
    // Somebody clicks through the page now and then, and does what it offers.
    everyMs: 3 * hour,
    pauseMaxMs: 25 * minute,
    bringBackMinMs: 5 * minute,
    bringBackMaxMs: 60 * minute,
  },
  adversary: {
    everyMs: 90 * minute,
    // Longer than one beat and its slack, shorter than the answer to an inquiry.
    quietMs: 100 * second,
    fastRepeats: 8,
    slowMs: 25 * minute,
    holdMs: 20 * hour,
    // One call less than its loop takes to be found.
    callsPerReturn: 4,
    returns: 6,
    backMs: 8 * second,
  },
  handoff: { writeMinMs: 20 * second, writeMaxMs: 4 * minute },
  /** Adversaries that work together. */
  siege: {
    trustedAfterMs: 12 * minute,
    // Less than the calm after which a brake is released.
    brakeEveryMs: 95_000,
    heardMs: 4_000,
  },
} as const;
