import type {
  AgentView as AgentData,
  BreakerPage,
  CheckpointPage,
  EventPage,
  JudgeCheckView,
  PulseView,
  TicketPage,
} from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { ask } from '../parts/decision-dialog.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, Loading, Problem } from '../parts/messages.tsx';
import { StateLabel } from '../parts/state-icon.tsx';
import { Age, Ago } from '../parts/time.tsx';
import { holdWord, modeWord, ordinal, plain } from '../parts/words.ts';
import { ApiError, get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';
import { useKeys } from '../state/keys.ts';
import { link } from '../state/live.ts';
import { useNoticed } from '../state/noticed.ts';
import { go, query, setQuery } from '../state/route.ts';
import { mayDecide } from '../state/session.ts';
import { tell } from '../state/toasts.ts';
import { Judged } from '../tickets/judged.tsx';
import { BreakerTable } from '../views/breaker-table.tsx';
import { decisionAbout, decisionNamed, obstacleTo } from './agent-decisions.ts';
import { Calls } from './calls.tsx';
import { Checkpoints } from './checkpoints.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { Events } from './events.tsx';
import { Facts, isProcessOnly } from './facts.tsx';
import { Findings } from './findings.tsx';
import { Ladder } from './ladder.tsx';
import { Output } from './output.tsx';
import { Ready } from './ready.tsx';
import { Timeline } from './timeline.tsx';

type AgentAll = {
  readonly agent: AgentData;
  readonly pulse: PulseView;
  readonly events: EventPage['events'];
  readonly checkpoints: CheckpointPage;
  readonly breakers: BreakerPage['breakers'];
  readonly tickets: TicketPage['tickets'];
  readonly judged: JudgeCheckView;
};

const EVENTS_SHOWN = 500;
const TICKETS_SHOWN = 10;
/** Larger than any cursor, so that the newest events are returned. */
const LAST = 999_999_999_999_999;

const UNKNOWN: ReadonlySet<string> = new Set(['unknown_agent', 'unknown_session', 'bad_agent_id']);

async function readAll(agentId: string, stop: AbortSignal): Promise<AgentAll | null> {
  const path = `/v1/agents/${encodeURIComponent(agentId)}`;
  try {
    const [agent, pulse, events, checkpoints, breakers, tickets, judged] = await Promise.all([
      get<AgentData>(path, {}, stop),
      get<PulseView>(`${path}/pulse`, {}, stop),
      get<EventPage>('/v1/events', { agentId, before: LAST, limit: EVENTS_SHOWN }, stop),
      get<CheckpointPage>(`${path}/checkpoints`, { limit: 20 }, stop),
      get<BreakerPage>(`${path}/breakers`, {}, stop),
      get<TicketPage>('/v1/tickets', { agentId, status: 'all', limit: TICKETS_SHOWN }, stop),
      get<JudgeCheckView>('/v1/judge/check', { session_id: agentId }, stop),
    ]);
    return {
      ...{ agent, pulse, checkpoints, judged },
      ...{ events: events.events, breakers: breakers.breakers, tickets: tickets.tickets },
    };
  } catch (error) {
    if (error instanceof ApiError && UNKNOWN.has(error.code)) return null;
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
    return (
      <Empty title="No agent with this id" text={`“${agentId}” has never registered here.`}>
        <Link to="/">All agents</Link>
      </Empty>
    );
  return <Whole all={data.all} problem={problem} reload={reload} />;
}

type WholeProps = {
  readonly all: AgentAll;
  readonly problem: string | null;
  readonly reload: () => void;
};

function Whole({ all, problem, reload }: WholeProps) {
  const { agent, pulse, events, checkpoints, breakers, tickets, judged } = all;
  useNoticed(agent.incident ? [agent.incident] : []);
  useDecisionLink(agent);
  return (
    <article class="agent">
      <header class="agent-head">
        <p class="crumb">
          <Link to="/">Fleet</Link> /{' '}
          <Link to={`/?group=${encodeURIComponent(agent.group)}`}>{agent.group}</Link>
        </p>
        <h1>{agent.agentId}</h1>
        <p class="agent-state">
          <StateLabel state={agent.state} />
          <span class="soft">
            <Since agent={agent} /> · {ordinal(agent.incarnation)} start · {modeWord(agent.mode)}
          </span>
        </p>
      </header>
      {problem !== null && link.value !== 'lost' && <Problem error={problem} retry={reload} />}
      <div class="sides">
        <div>
          <section class="card">
            <h2>Cause and decision</h2>
            <Cause agent={agent} />
            <Ready agent={agent} />
            <DecisionBar agent={agent} />
          </section>
          <section class="card">
            <h2>What has been done</h2>
            <Ladder agent={agent} events={events} />
          </section>
          <section class="card">
            <h2>Facts</h2>
            <Facts agent={agent} />
          </section>
          <section class="card">
            <h2>Checkpoints</h2>
            <Checkpoints page={checkpoints} agent={agent} />
          </section>
        </div>
        <div>
          <Timeline agent={agent} pulse={pulse} events={events} />
          <section class="card">
            <h2>Findings</h2>
            <Findings agent={agent} />
          </section>
          <Judged tickets={tickets} judged={judged} />
          <section class="card">
            <h2>Last tool calls</h2>
            <Calls calls={pulse.newestCalls} />
          </section>
          <Output key={agent.agentId} agentId={agent.agentId} />
          <section class="card">
            <h2>Breakers</h2>
            <BreakerTable breakers={breakers} />
          </section>
        </div>
      </div>
      <section class="card">
        <h2>Events and audit trail</h2>
        <Events events={events} />
      </section>
    </article>
  );
}

/** A link in an alert names a decision about one incident: the dialog opens, and a person confirms it there. */
function useDecisionLink(agent: AgentData): void {
  useEffect(() => {
    const decision = decisionNamed(query.value.get('decide') ?? '');
    const incidentId = query.value.get('incident');
    if (!decision || incidentId === null) return;
    setQuery({ decide: undefined, incident: undefined });
    if (agent.incident?.incidentId !== incidentId)
      return tell(`The incident ${incidentId} is closed; there is nothing to decide.`);
    if (!mayDecide()) return tell('A viewer can look but not decide.', true);
    const obstacle = obstacleTo(agent, decision);
    if (obstacle === null) ask(decisionAbout(agent, decision));
    else tell(`${decision.label} is not possible now: ${obstacle}`, true);
  }, [agent.agentId, query.value]);
}

/** How long it has been as it is; of one that has ended for good, how and when. */
function Since({ agent }: { readonly agent: AgentData }) {
  const { end, incident, stateSince, liveness } = agent;
  if (end && incident === null)
    return (
      <>
        {endWord(end)} <Ago at={end.at} />
      </>
    );
  return (
    <>
      for <Age at={stateSince} />
      {liveness !== 'alive' && ` · ${livenessWord(agent)}`}
    </>
  );
}

function endWord({ how, byHolter }: NonNullable<AgentData['end']>): string {
  if (byHolter) return 'stopped by Holter';
  if (how === 'exit-0') return 'finished (exit 0)';
  return how === 'stopped' ? 'stopped' : 'failed';
}

function livenessWord({ liveness, cause }: AgentData): string {
  if (liveness === 'gone') return 'ended';
  return `not heard (likely ${plain(cause ?? 'silence')})`;
}

/** The one sentence that somebody has to read. */
function Cause({ agent }: { readonly agent: AgentData }) {
  const [lead] = agent.findings;
  if (lead)
    return (
      <p class="cause">
        <b>{plain(lead.kind)}:</b> {lead.evidence}
      </p>
    );
  if (agent.end)
    return (
      <p class="cause">
        Ended <Ago at={agent.end.at} />: {agent.end.detail}
      </p>
    );
  const hold = agent.holds.find(({ kind }) => kind !== 'in-tool');
  if (hold?.kind === 'waiting-for-permission')
    return <p class="cause">Waiting for your permission: answer where it runs.</p>;
  if (hold) return <p class="cause">On hold: {holdWord(hold.kind)}.</p>;
  if (isProcessOnly(agent))
    return <p class="soft">No findings; only its process is watched, not what it does.</p>;
  return (
    <p class="soft">
      No findings; last heard <Ago at={agent.lastSignAt} />.
    </p>
  );
}
