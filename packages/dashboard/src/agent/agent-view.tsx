import type {
  AgentView as AgentData,
  BreakerPage,
  CheckpointPage,
  EventPage,
  PulseView,
} from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { Link } from '../parts/link.tsx';
import { Empty, Loading, Problem } from '../parts/messages.tsx';
import { StateLabel } from '../parts/state-icon.tsx';
import { Ago } from '../parts/time.tsx';
import { ApiError, get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';
import { useKeys } from '../state/keys.ts';
import { go } from '../state/route.ts';
import { BreakerTable } from '../views/breaker-table.tsx';
import { Calls } from './calls.tsx';
import { Checkpoints } from './checkpoints.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { Events } from './events.tsx';
import { Facts } from './facts.tsx';
import { Findings } from './findings.tsx';
import { Ladder } from './ladder.tsx';
import { Timeline } from './timeline.tsx';

type AgentAll = {
  readonly agent: AgentData;
  readonly pulse: PulseView;
  readonly events: EventPage['events'];
  readonly checkpoints: CheckpointPage;
  readonly breakers: BreakerPage['breakers'];
};

const EVENTS_SHOWN = 500;
/** Larger than any cursor, so that the newest events are returned. */
const LAST = 999_999_999_999_999;

async function readAll(agentId: string, stop: AbortSignal): Promise<AgentAll | null> {
  const path = `/v1/agents/${encodeURIComponent(agentId)}`;
  try {
    const [agent, pulse, events, checkpoints, breakers] = await Promise.all([
      get<AgentData>(path, {}, stop),
      get<PulseView>(`${path}/pulse`, {}, stop),
      get<EventPage>('/v1/events', { agentId, before: LAST, limit: EVENTS_SHOWN }, stop),
      get<CheckpointPage>(`${path}/checkpoints`, { limit: 20 }, stop),
      get<BreakerPage>(`${path}/breakers`, {}, stop),
    ]);
    return { agent, pulse, events: events.events, checkpoints, breakers: breakers.breakers };
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'unknown_agent' || error.code === 'bad_agent_id'))
      return null;
    throw error;
  }
}

/** One agent: its state and the reasons, what was done, what comes next, and the possible decisions. */
export function AgentView({ agentId }: { readonly agentId: string }) {
  const { data, problem, reload } = useFresh<{ readonly all: AgentAll | null }>(agentId, async (stop) => ({
    all: await readAll(agentId, stop),
  }));
  useKeys({ Escape: () => go('/') });
  useEffect(() => {
    document.title = `${agentId} · Holter`;
  }, [agentId]);
  if (!data)
    return problem === null ? <Loading what={agentId} /> : <Problem error={problem} retry={reload} />;
  if (!data.all)
    return <Empty title="Nobody of this name" text="No agent with this id has ever been heard." />;
  const { agent, pulse, events, checkpoints, breakers } = data.all;
  return (
    <article class="agent">
      <header class="agent-head">
        <p class="crumb">
          <Link to="/">Fleet</Link> / {agent.group}
        </p>
        <h1>{agent.agentId}</h1>
        <p class="agent-state">
          <StateLabel state={agent.state} />
          <span class="soft">
            <Ago at={agent.stateSince} /> · {agent.liveness}
            {agent.cause !== null && ` (${agent.cause})`} · start {agent.incarnation} · mode {agent.mode}
          </span>
        </p>
        <DecisionBar agent={agent} onDone={reload} />
      </header>
      {problem !== null && <Problem error={problem} retry={reload} />}
      <Timeline agent={agent} pulse={pulse} events={events} />
      <div class="columns">
        <section class="card">
          <h2>Findings</h2>
          <Findings agent={agent} onDone={reload} />
        </section>
        <section class="card">
          <h2>Ladder</h2>
          <Ladder agent={agent} />
        </section>
        <section class="card">
          <h2>Facts</h2>
          <Facts agent={agent} />
        </section>
        <section class="card">
          <h2>Last tool calls</h2>
          <Calls calls={pulse.newestCalls} />
        </section>
        <section class="card">
          <h2>Checkpoints</h2>
          <Checkpoints page={checkpoints} agent={agent} onDone={reload} />
        </section>
        <section class="card">
          <h2>Breakers</h2>
          <BreakerTable breakers={breakers} onDone={reload} />
        </section>
      </div>
      <section class="card">
        <h2>Events and audit trail</h2>
        <Events events={events} />
      </section>
    </article>
  );
}
