import type { AgentView } from '@holter/server/wire';
import { Countdown } from '../parts/time.tsx';
import { plain, stepWord } from '../parts/words.ts';
import { QuietLine } from './quiet-line.tsx';
import { Seen } from './seen.tsx';

const STEPS = ['nudge', 'escalate', 'terminate', 'recover', 'human'] as const;

/** The current step of the ladder, and the next one. */
export function Ladder({ agent }: { readonly agent: AgentView }) {
  const { incident } = agent;
  if (!incident) {
    return (
      <>
        <p class="soft">No incident is open.</p>
        <QuietLine quiet={agent.quiet} />
      </>
    );
  }
  const current = STEPS.indexOf(incident.step);
  const { next } = incident;
  return (
    <>
      <ol class="ladder">
        {STEPS.map((step, i) => (
          <li
            key={step}
            class={i < current ? 'passed' : i === current ? 'current' : ''}
            {...(i === current && { 'aria-current': 'step' as const })}
          >
            {stepWord(step)}
            {i === current && incident.attempt > 1 && ` ${incident.attempt}`}
          </li>
        ))}
      </ol>
      <p>
        About {plain(incident.cause)}
        {incident.orderedBy !== null && `, ordered by ${incident.orderedBy}`}. Next:{' '}
        <b>{stepWord(next.step)}</b>
        {next.at !== null && (
          <>
            {' '}
            in <Countdown to={next.at} />
          </>
        )}
        , {next.why}.
      </p>
      <Seen incident={incident} />
      <QuietLine quiet={agent.quiet} />
    </>
  );
}
