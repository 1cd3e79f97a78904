/**
 * Who says something about an agent. `holter` are Holter's own senses; `cli` is the program that the agent runs in,
 * by its hooks and its record, and `seen-cli` the same while Holter sees its process; `executor` is the `holter run`
 * that owns the process; `orchestrator` is the one of its group; a `starter` registers agents with an enroll token.
 * An `agent` speaks for itself, and is not believed where that would end, replace or quieten it.
 */
export type Source =
  | 'holter'
  | 'cli'
  | 'seen-cli'
  | 'executor'
  | 'operator'
  | 'orchestrator'
  | 'starter'
  | 'agent'
  | 'other-agent';

/**
 * The account of agents that registered without a token, through the port that takes such calls. Nobody has proven that
 * such a start is the agent that it is called.
 */
export const UNPROVEN = 'maestro-port';

type Authority = {
  /** Reports what only senses can know: a look at the process, its exit, a finding. */
  readonly senses: boolean;
  /** Says that the agent has stopped. Where its process is looked at, only the end that was seen counts. */
  readonly ends: 'always' | 'unless-watched' | 'announces' | 'never';
  /** Registers another instance under a name whose instance is not proven gone, but has missed a beat. */
  readonly replaces: 'always' | 'unless-owned' | 'never';
  /**
   * Registers an agent that is known: on new terms, or at least on those that it had. As before, it also keeps what its
   * detectors remember and the incident that was open, unless Holter has seen its end.
   */
  readonly returns: 'freely' | 'as-before';
  /**
   * Says that the agent rightly does nothing. A limited hold delays the ladder for a share of the time only. One that
   * is believed until contradicted is limited as well once a call has contradicted one like it during an incident.
   */
  readonly holds: 'always' | 'until-contradicted' | 'limited' | 'never';
  /** Registers what Holter acts upon: mode `act`, an executor, a process to look at, ways to stop and start it. */
  readonly claims: boolean;
  /** Pauses, snoozes, stops and starts it. */
  readonly decides: 'always' | 'own-group' | 'never';
};

const NOTHING: Authority = {
  senses: false,
  ends: 'never',
  replaces: 'never',
  returns: 'as-before',
  holds: 'never',
  claims: false,
  decides: 'never',
};
const EVERYTHING: Authority = {
  senses: true,
  ends: 'always',
  replaces: 'always',
  returns: 'freely',
  holds: 'always',
  claims: true,
  decides: 'always',
};

/** The program of the agent; any agent can post its hooks. */
const CLI: Authority = {
  ...NOTHING,
  ends: 'unless-watched',
  replaces: 'unless-owned',
  holds: 'until-contradicted',
};

/** The one place that says who may end, replace or quieten an agent. */
export const AUTHORITY: Readonly<Record<Source, Authority>> = {
  holter: { ...NOTHING, senses: true, ends: 'always', holds: 'always' },
  cli: CLI,
  'seen-cli': { ...CLI, ends: 'announces' },
  // What it sees on the agent's screen and in its output, the agent has written.
  executor: { ...EVERYTHING, holds: 'until-contradicted' },
  operator: EVERYTHING,
  orchestrator: { ...NOTHING, decides: 'own-group' },
  // What it starts is new.
  starter: { ...NOTHING, replaces: 'unless-owned', returns: 'freely' },
  agent: { ...NOTHING, ends: 'unless-watched', replaces: 'unless-owned', holds: 'limited' },
  'other-agent': NOTHING,
};
