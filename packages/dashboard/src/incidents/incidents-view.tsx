import type {
  AgentView,
  FindingView,
  HistoryView,
  IncidentPage,
  IncidentView,
  JudgeCheckView,
  TicketPage,
  TicketView,
} from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { DecisionBar } from '../agent/decision-bar.tsx';
import { Ready } from '../agent/ready.tsx';
import { Seen } from '../agent/seen.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, NotYet, Problem } from '../parts/messages.tsx';
import { NextStep } from '../parts/next-step.tsx';
import { StateLabel } from '../parts/state-icon.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { causeWord, dollars, duration, plural, short, stepWord } from '../parts/words.ts';
import { get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';
import { link, rowOf } from '../state/live.ts';
import { useNoticed } from '../state/noticed.ts';
import { agentPath } from '../state/route.ts';
import { mayDecide } from '../state/session.ts';
import { Strip } from '../strip/strip.tsx';
import { Checks, Steps } from '../tickets/judged.tsx';
import { TicketList } from '../tickets/ticket-list.tsx';
import { TicketTable } from '../tickets/ticket-table.tsx';

/** What the judge says about the agent of an incident. */
type Judged = {
  readonly tickets: readonly TicketView[];
  /** Null without tickets. */
  readonly check: JudgeCheckView | null;
};

type Inbox = {
  readonly waiting: readonly WaitingProps[];
  readonly watched: readonly WatchedProps[];
  readonly past: HistoryView['incidents'];
  /** Those that are not beside an incident. */
  readonly tickets: readonly TicketView[];
};

const PAST_SHOWN = 20;
const TICKETS_READ = 200;
const TICKETS_SHOWN = 20;

const needsPerson = ({ step, next }: IncidentView): boolean =>
  (step === 'human' || step === 'escalate') && next.step !== 'close';

/** Unacknowledged incidents first, then the oldest first. */
const byUrgency = (a: IncidentView, b: IncidentView): number =>
  Number(a.acknowledged !== null) - Number(b.acknowledged !== null) || a.openedAt - b.openedAt;

async function readInbox(stop: AbortSignal): Promise<Inbox> {
  const [page, history, { tickets }] = await Promise.all([
    get<IncidentPage>('/v1/incidents', { limit: 200 }, stop),
    get<HistoryView>('/v1/history', {}, stop),
    get<TicketPage>('/v1/tickets', { status: 'all', limit: TICKETS_READ }, stop),
  ]);
  const sorted = [...page.incidents].sort(byUrgency);
  const judgedOf = (incident: IncidentView): Promise<Judged> => readJudged(incident, tickets, stop);
  const [waiting, watched] = await Promise.all([
    Promise.all(
      sorted.filter(needsPerson).map(async (incident) => {
        const path = `/v1/agents/${encodeURIComponent(incident.agentId)}`;
        const [agent, judged] = await Promise.all([get<AgentView>(path, {}, stop), judgedOf(incident)]);
        return { incident, agent, judged };
      }),
    ),
    Promise.all(
      sorted
        .filter((incident) => !needsPerson(incident))
        .map(async (incident) => ({ incident, judged: await judgedOf(incident) })),
    ),
  ]);
  const beside = new Set([...waiting, ...watched].flatMap(({ judged }) => judged.tickets));
  return {
    waiting,
    watched,
    past: history.incidents.slice(0, PAST_SHOWN),
    tickets: tickets.filter((ticket) => !beside.has(ticket)).slice(0, TICKETS_SHOWN),
  };
}

async function readJudged(
  { agentId, incidentId }: IncidentView,
  all: readonly TicketView[],
  stop: AbortSignal,
): Promise<Judged> {
  const tickets = all.filter((ticket) => ticket.incidentId === incidentId);
  if (tickets.length === 0) return { tickets, check: null };
  return { tickets, check: await get<JudgeCheckView>('/v1/judge/check', { session_id: agentId }, stop) };
}

/** Incidents that need a person, oldest first; then those that Holter handles, and closed ones. */
export function IncidentsView() {
  const { data, problem, reload } = useFresh('inbox', readInbox, 1_000);
  useEffect(() => {
    document.title = 'Incidents · Holter';
  }, []);
  useNoticed(data?.waiting.map(({ incident }) => incident) ?? []);
  if (!data) return <NotYet title="Incidents" what="the incidents" problem={problem} retry={reload} />;
  return (
    <>
      <h1>Incidents</h1>
      {problem !== null && link.value !== 'lost' && <Problem error={problem} retry={reload} />}
      {data.waiting.length === 0 ? (
        <Empty title="Nothing needs you" text="An agent that needs a decision appears here." />
      ) : (
        <ol class="inbox" aria-label="Waiting for a decision">
          {data.waiting.map((waiting) => (
            <Waiting key={waiting.incident.incidentId} {...waiting} />
          ))}
        </ol>
      )}
      <section class="card">
        <h2>Handled by Holter</h2>
        <Watched incidents={data.watched} />
      </section>
      {data.tickets.length > 0 && (
        <section class="card">
          <h2>Tickets</h2>
          <TicketTable tickets={data.tickets} />
        </section>
      )}
      <section class="card">
        <h2>Closed</h2>
        <Past incidents={data.past} />
      </section>
    </>
  );
}

type WaitingProps = {
  readonly incident: IncidentView;
  readonly agent: AgentView;
  readonly judged: Judged;
};

function Waiting({ incident, agent, judged }: WaitingProps) {
  const { next, findings } = incident;
  // A ticket is shown below with all that it says.
  const isNotBelow = ({ kind }: FindingView): boolean => kind !== 'ticket' || judged.tickets.length === 0;
  const row = rowOf(incident.agentId)?.value;
  const isQuiet = (kind: string): boolean => agent.quietFindings.some((quiet) => quiet.kind === kind);
  return (
    <li class="card incident">
      <div class="incident-head">
        <StateLabel state={incident.state} />
        <h2>
          <Link to={agentPath(incident.agentId)}>{incident.agentId}</Link>
        </h2>
        <span class="soft">
          {incident.group} · {causeWord(incident.cause)} · opened <Ago at={incident.openedAt} />
        </span>
        {row && <Strip letters={row.strip} />}
      </div>
      {findings.filter(isNotBelow).map((finding) => (
        <p key={finding.kind} class="evidence">
          {finding.evidence}{' '}
          <span class="soft">
            (limit: {finding.threshold}){isQuiet(finding.kind) && ' · snoozed'}
          </span>
        </p>
      ))}
      <p>
        <b>
          <NextStep next={next} mayDecide={mayDecide()} />
        </b>
      </p>
      <Ready agent={agent} />
      <Seen incident={incident} />
      <DecisionBar agent={agent} />
      <Opinion judged={judged} />
    </li>
  );
}

function Opinion({ judged: { tickets, check } }: { readonly judged: Judged }) {
  if (!check) return null;
  return (
    <div class="opinion">
      <TicketList tickets={tickets} />
      <Steps steps={check.steps} />
      <Checks checks={check.checks} />
    </div>
  );
}

type WatchedProps = Pick<WaitingProps, 'incident' | 'judged'>;

function Watched({ incidents }: { readonly incidents: readonly WatchedProps[] }) {
  if (incidents.length === 0) return <p class="soft">No other incident is open.</p>;
  return (
    <ul class="lines">
      {incidents.map(({ incident, judged }) => (
        <li key={incident.incidentId}>
          <StateLabel state={incident.state} />
          <Link to={agentPath(incident.agentId)}>{incident.agentId}</Link>
          <span>{causeWord(incident.cause)}</span>
          <span class="soft">
            {stepWord(incident.step)}
            {incident.attempt > 1 && ` ${incident.attempt}`};{' '}
            <NextStep next={incident.next} mayDecide={mayDecide()} />
          </span>
          <Opinion judged={judged} />
        </li>
      ))}
    </ul>
  );
}

function Past({ incidents }: { readonly incidents: Inbox['past'] }) {
  if (incidents.length === 0) return <p class="soft">None yet.</p>;
  return (
    <Table name="Closed incidents" columns={['Agent', 'Cause', 'Closed', 'Duration', 'Cost', 'How it ended']}>
      {incidents.map((each) => (
        <tr key={`${each.incidentId}-${each.openedAt}`}>
          <td>
            <Link to={agentPath(each.agentId)}>{each.agentId}</Link>
          </td>
          <td>{causeWord(each.cause)}</td>
          <td>
            <Ago at={each.closedAt} />
          </td>
          <td>{duration(each.closedAt - each.openedAt)}</td>
          <td>{costOf(each)}</td>
          <td>{each.reason}</td>
        </tr>
      ))}
    </Table>
  );
}

function costOf({ tokens, costUsd, nudges, recoveries, decisions }: Inbox['past'][number]): string {
  const count = (number: number, one: string): string[] => (number === 0 ? [] : [plural(number, one)]);
  const parts = [
    ...(tokens === 0 ? [] : [`${short(tokens)} tokens`]),
    ...(costUsd === 0 ? [] : [dollars(costUsd)]),
    ...count(nudges, 'nudge'),
    ...count(recoveries, 'restart'),
    ...count(decisions, 'decision'),
  ];
  return parts.join(', ') || '–';
}
