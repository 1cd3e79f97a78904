import type { AgentView, CheckpointPage } from '@holter/server/wire';
import type { Decision } from '../parts/decision-dialog.tsx';
import { agentUrl, canRestart, STOPPED } from './agent-decisions.ts';

type Checkpoints = CheckpointPage['checkpoints'];

export const isOfItsTask = ({ task }: AgentView, { taskId }: Checkpoints[number]): boolean =>
  taskId === (task?.taskId ?? null);

export const canStartFrom = (agent: AgentView, checkpoint: Checkpoints[number]): boolean =>
  checkpoint.isValid && isOfItsTask(agent, checkpoint) && canRestart(agent);

/** A restart from exactly this checkpoint, even if there are newer ones. */
export function restartFrom(agent: AgentView, checkpoints: Checkpoints, checkpointId: string): Decision {
  const newer = checkpoints.findIndex((each) => each.checkpointId === checkpointId);
  const passedOver = newer === 0 ? '' : ` ${newer} newer ${newer === 1 ? 'one is' : 'ones are'} passed over.`;
  const start = `a successor starts from ${checkpointId}, and from no other.${passedOver} It counts as an attempt like any other; if it can't start from there, you are asked again.`;
  return {
    agentId: agent.agentId,
    title: `Restart from ${checkpointId}: ${agent.agentId}`,
    label: 'Restart from here',
    tone: 'calm',
    needsReason: !agent.end,
    preview: agent.end
      ? `Without waiting for the backoff, ${start}`
      : `${STOPPED} When its end is proven, ${start}`,
    done: () => `${agent.agentId} is being restarted from ${checkpointId}`,
    send: ({ reason }) =>
      agent.end
        ? { path: agentUrl(agent, 'recover'), body: { reason, checkpointId } }
        : { path: agentUrl(agent, 'terminate'), body: { reason, recover: true, checkpointId } },
  };
}
