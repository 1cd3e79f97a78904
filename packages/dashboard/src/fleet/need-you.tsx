import type { FleetRowView } from '@holter/server/wire';
import { RowDecisions } from '../agent/decision-bar.tsx';
import { Link } from '../parts/link.tsx';
import { Name } from '../parts/name.tsx';
import { NextStep } from '../parts/next-step.tsx';
import { StateLabel } from '../parts/state-icon.tsx';
import { Age } from '../parts/time.tsx';
import { holdWord, plain, plural } from '../parts/words.ts';
import { counts, needYou } from '../state/live.ts';
import { useNoticed } from '../state/noticed.ts';
import { agentPath } from '../state/route.ts';
import { mayDecide } from '../state/session.ts';

const SHOWN = 5;

/** Who needs a person, why, what comes next, and the decision: before everything else. */
export function NeedYou() {
  const waiting = needYou.value;
  const all = counts.value?.needYou ?? 0;
  const shown = waiting.slice(0, SHOWN);
  useNoticed(
    shown.flatMap(({ incidentId, step }) =>
      incidentId !== null && step ? [{ incidentId, next: step.next }] : [],
    ),
  );
  if (waiting.length === 0) return null;
  return (
    <section class="need-you" aria-labelledby="need-you">
      <h2 id="need-you">
        {mayDecide()
          ? `${all} ${all === 1 ? 'needs' : 'need'} you`
          : `${plural(all, 'agent')} waiting for a person`}
      </h2>
      <ol>
        {shown.map((row) => (
          <Asking key={row.agentId} row={row} />
        ))}
      </ol>
      {all > shown.length && (
        <p class="soft">
          and {all - shown.length} more: <Link to="/incidents">all incidents</Link>
        </p>
      )}
    </section>
  );
}

function Asking({ row }: { readonly row: FleetRowView }) {
  return (
    <li>
      <StateLabel state={row.state} />
      <Link to={agentPath(row.agentId)} label={row.agentId}>
        <Name>{row.agentId}</Name>
      </Link>
      <Reason row={row} />
      <span class="soft">{row.step && <NextStep next={row.step.next} mayDecide={mayDecide()} />}</span>
      <RowDecisions
        agentId={row.agentId}
        offers={row.offers}
        recommended={row.recommended?.decision ?? null}
      />
    </li>
  );
}

function Reason({ row }: { readonly row: FleetRowView }) {
  if (row.step === null && row.hold !== null)
    return (
      <span class="why">
        <b>{holdWord(row.hold.kind)}</b>, for <Age at={row.hold.since} />; answer where it runs
      </span>
    );
  return (
    <span class="why" title={row.why ?? ''}>
      {row.kind !== null && <b>{plain(row.kind)}: </b>}
      {row.why}
    </span>
  );
}
