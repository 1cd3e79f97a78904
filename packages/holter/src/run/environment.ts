/** The environment variables of one start of the command. */
type StartFacts = {
  readonly agentId: string;
  readonly incarnation: number;
  readonly token: string;
  readonly url: string;
  readonly runId: string;
  readonly taskId: string | undefined;
  readonly nudgeFile: string;
  readonly heartbeatFile: string;
  readonly checkpointFile: string;
  readonly checkpointId: string | null;
  /** 0 for the first start, then the number of the recovery. */
  readonly attempt: number;
  /** Why its predecessor was stopped; null for the first start. */
  readonly reason: string | null;
};

/**
 * The user's environment plus what the agent needs to report for itself. The operator's token is removed: an agent
 * must not be able to decide about agents, including itself.
 */
export function childEnvironment(own: NodeJS.ProcessEnv, facts: StartFacts): NodeJS.ProcessEnv {
  const { taskId, checkpointId, attempt, reason } = facts;
  return {
    ...own,
    HOLTER_URL: facts.url,
    HOLTER_TOKEN: facts.token,
    HOLTER_AGENT_ID: facts.agentId,
    HOLTER_INCARNATION: String(facts.incarnation),
    HOLTER_RUN_ID: facts.runId,
    HOLTER_NUDGE_FILE: facts.nudgeFile,
    HOLTER_HEARTBEAT_FILE: facts.heartbeatFile,
    HOLTER_CHECKPOINT_FILE: facts.checkpointFile,
    HOLTER_ATTEMPT: String(attempt),
    HOLTER_RESTART_REASON: reason ?? undefined,
    HOLTER_TASK_ID: taskId,
    HOLTER_CHECKPOINT_ID: checkpointId ?? undefined,
  };
}
