import type { AgentView, CheckpointPage, RegisteredView } from '@holter/server/wire';
import { codeOfRefusal, sayRefusal } from '../background/http-call.ts';
import type { KeptCheckpoint } from './checkpoint-keeper.ts';
import { CODE, RunFailure } from './end.ts';
import type { RunOptions } from './options.ts';
import type { Plan } from './plan.ts';
import type { RunContext } from './run-context.ts';
import type { ServerLink } from './server-link.ts';
import type { DirectoryRequest } from './working-directory.ts';

type AgentRecordContext = Pick<RunContext, 'link' | 'newId' | 'directory' | 'say'> & {
  readonly plan: Pick<Plan, 'agentId' | 'mode' | 'promises' | 'can'>;
  readonly options: Pick<RunOptions, 'role' | 'group' | 'task'>;
};

export class AgentRunning extends RunFailure {
  readonly agentId: string;
  constructor(agentId: string) {
    const what = `an agent called ${agentId} is already running`;
    super(CODE.error, `${what}; choose another name with --agent, or stop that one first`);
    this.agentId = agentId;
  }
}

/** The server's record of the agent of this run: incarnations, checkpoints, incident. */
export class AgentRecord {
  incarnation = 0;
  token = '';
  private readonly link: ServerLink;
  private readonly plan: AgentRecordContext['plan'];
  private readonly options: AgentRecordContext['options'];
  private readonly executorId: string;
  private readonly path: string;
  private readonly newId: () => string;
  private readonly directory: DirectoryRequest | null;
  private readonly say: (line: string) => void;

  constructor({ link, plan, options, newId, directory, say }: AgentRecordContext, executorId: string) {
    this.link = link;
    this.plan = plan;
    this.options = options;
    this.executorId = executorId;
    this.newId = newId;
    this.directory = directory;
    this.say = say;
    this.path = `/v1/agents/${plan.agentId}`;
  }

  /** Each start registers a new instance; the key identifies a start that the server ordered. */
  async register(spawnKey?: string, instanceId = this.newId()): Promise<void> {
    const { agentId, mode, promises, can } = this.plan;
    const { role, group, task } = this.options;
    const { directory } = this;
    const reply = await this.link.insist('POST', '/v1/agents', {
      agentId,
      instanceId,
      role,
      group,
      ...(task !== undefined && { taskId: task }),
      mode,
      promises,
      can,
      executor: this.executorId,
      ...(directory && { patience: { file: directory.file, settings: directory.settings } }),
      ...(spawnKey !== undefined && { spawnKey }),
    });
    if (codeOfRefusal(reply) === 'agent_running') throw new AgentRunning(agentId);
    if (reply.status >= 300) throw new RunFailure(CODE.error, sayRefusal(reply));
    const { incarnation, token, refusedSettings = [], stops } = reply.body as RegisteredView;
    // Told once: every start asks for the same.
    if (this.incarnation === 0) {
      if (directory)
        for (const { path, message } of refusedSettings) this.say(directory.lineAbout(path, message));
      if (stops) this.say(mayStop(agentId, stops));
    }
    this.incarnation = incarnation;
    this.token = token;
  }

  async look(): Promise<AgentView | null> {
    const { status, body } = await this.link.insist('GET', this.path);
    return status === 200 ? (body as AgentView) : null;
  }

  /** The checkpoints of earlier runs of this agent, oldest first: a new run continues their chain. */
  async checkpoints(): Promise<readonly KeptCheckpoint[]> {
    const { status, body } = await this.link.insist('GET', `${this.path}/checkpoints`);
    if (status !== 200) return [];
    return (body as CheckpointPage).checkpoints
      .flatMap(({ checkpointId, content }) => {
        const { sha256, bytes = 0 } = (content ?? {}) as Partial<KeptCheckpoint>;
        return typeof sha256 === 'string' ? { checkpointId, sha256, bytes } : [];
      })
      .reverse();
  }

  async writeCheckpoint({ checkpointId, sha256, bytes }: KeptCheckpoint): Promise<void> {
    await this.link.insist('POST', `${this.path}/checkpoints`, { checkpointId, content: { sha256, bytes } });
  }

  async terminate(by: string, reason: string): Promise<void> {
    await this.link.insist('POST', `${this.path}/terminate`, { reason, by, recover: false });
  }
}

function mayStop(agentId: string, { afterSeconds, from }: NonNullable<RegisteredView['stops']>): string {
  const wait = afterSeconds % 60 === 0 ? `${afterSeconds / 60} min` : `${afterSeconds} s`;
  const since = from === 'notice' ? '' : ' of seeing the question';
  return `may stop and restart ${agentId} if it gets stuck and you do not decide within ${wait}${since} (--mode nudge turns this off)`;
}
