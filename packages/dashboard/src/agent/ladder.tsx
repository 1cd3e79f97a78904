import type { AgentView, EventView, IncidentView } from '@holter/server/wire';
import { NextStep } from '../parts/next-step.tsx';
import { clockTime, personOf, plural, stepWord } from '../parts/words.ts';
import { mayDecide } from '../state/session.ts';
import { eventSentence } from './event-sentence.ts';
import { Seen } from './seen.tsx';
import { SnoozeLine } from './snooze-line.tsx';

const STEPS = ['nudge', 'escalate', 'terminate', 'recover', 'human'] as const;

/** What has been done about the incident, when, and what comes next. */
const TOLD: ReadonlySet<string> = new Set([
  'INCIDENT_OPENED',
  'INCIDENT_REOPENED',
  'INCIDENT_ACKNOWLEDGED',
  'NUDGE_SENT',
  'ESCALATION_TRIGGERED',
  'DECISION_MADE',
  'AGENT_TERMINATED',
  'AGENT_ENDED',
  'RECOVERY_INITIATED',
  'RECOVERY_COMPLETED',
  'RECOVERY_FAILED',
]);
const SHOWN_MAX = 12;

type Nudges = NonNullable<IncidentView['nudges']>;
const nudgeWords: Readonly<Record<Nudges['newest'], string>> = {
  decided: 'not sent yet',
  offered: 'not read yet',
  delivered: 'delivered',
  seen: 'read',
  ignored: 'read and ignored',
  lost: 'not delivered',
};

const nudgesLine = ({ decided, newest }: Nudges): string =>
  `${plural(decided, 'nudge')}, ${decided > 1 ? 'the last one ' : ''}${nudgeWords[newest]}`;

type Props = { readonly agent: AgentView; readonly events: readonly EventView[] };

export function Ladder({ agent, events }: Props) {
  const { incident } = agent;
  if (!incident) {
    return (
      <>
        <p class="soft">No incident is open.</p>
        <SnoozeLine snooze={agent.quiet} />
      </>
    );
  }
  const current = STEPS.indexOf(incident.step);
  const told = events.filter(
    ({ type, at, payload }) => at >= incident.openedAt && (TOLD.has(type) || isRead(type, payload)),
  );
  const past = told.slice(0, SHOWN_MAX).reverse();
  const later =
    incident.next.step === 'close' || incident.next.step === 'human'
      ? []
      : STEPS.slice(current + 1).filter((step) => step !== incident.next.step && step !== 'human');
  return (
    <>
      <ol class="ladder">
        {past.map((event) => (
          <li key={event.cursor} class="passed">
            <time title={new Date(event.at).toString()}>{clockTime(event.at)}</time>
            <span>{eventSentence(event)}</span>
          </li>
        ))}
        <li class="current" aria-current="step">
          <b>now</b>
          <span>
            <b>
              {stepWord(incident.step)}
              {incident.attempt > 1 && ` ${incident.attempt}`}
            </b>
            {incident.orderedBy !== null && `, ordered by ${personOf(incident.orderedBy)}`}
            {incident.nudges && <span class="soft"> · {nudgesLine(incident.nudges)}</span>}
          </span>
        </li>
        <li class="to-come">
          <span class="soft">next</span>
          <span>
            <NextStep next={incident.next} mayDecide={mayDecide()} />
            {later.length > 0 && <span class="soft"> · then {later.map(stepWord).join(', ')}</span>}
          </span>
        </li>
      </ol>
      <Seen incident={incident} />
      <SnoozeLine snooze={agent.quiet} />
    </>
  );
}

const isRead = (type: string, { effect, outcome }: EventView['payload']): boolean =>
  type === 'EFFECT_RECEIPT' && effect === 'nudge' && outcome === 'seen';
