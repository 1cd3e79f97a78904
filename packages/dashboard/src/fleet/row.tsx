import type { FleetRowView } from '@holter/server/wire';
import type { Signal } from '@preact/signals';
import { Link } from '../parts/link.tsx';
import { StateLabel } from '../parts/state-icon.tsx';
import { Age, Countdown } from '../parts/time.tsx';
import { dollars, plain, short, stepWord } from '../parts/words.ts';
import { agentPath, go } from '../state/route.ts';
import { Strip } from '../strip/strip.tsx';

type Props = {
  readonly row: Signal<FleetRowView>;
  readonly index: number;
  readonly setSize: number;
  readonly y: number;
};

export function Row({ row: shown, index, setSize, y }: Props) {
  const row = shown.value;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link inside does the same for keys
    <li
      class={`row edge-${row.state.toLowerCase()}`}
      data-id={row.agentId}
      style={{ transform: `translateY(${y}px)` }}
      aria-setsize={setSize}
      aria-posinset={index + 1}
      onClick={() => go(agentPath(row.agentId))}
    >
      <div class="how">
        <StateLabel state={row.state} />
        <span class="soft">
          for <Age at={row.stateSince} />
        </span>
      </div>
      <div class="who">
        <Link to={agentPath(row.agentId)}>{row.agentId}</Link>
        <span class="soft" title={`${row.group} · ${row.role} · ${row.mode}`}>
          {row.group} · {row.role} · {row.mode}
        </span>
      </div>
      <div class="why">
        <Why row={row} />
      </div>
      <Strip letters={row.strip} />
      <div class="when">
        <span>
          <i aria-hidden="true">♥</i>
          <span class="hidden">last beat </span> <Age at={row.lastBeatAt} />
        </span>
        <span class="soft">
          <i aria-hidden="true">↗</i>
          <span class="hidden">last progress </span> <Age at={row.lastProgressAt} />
        </span>
      </div>
      <Work row={row} />
      <Next row={row} />
    </li>
  );
}

/** The evidence of the first finding; without one, what the agent waits for. */
function Why({ row }: { readonly row: FleetRowView }) {
  if (row.why !== null) {
    const more = row.findingCount - 1;
    return (
      <>
        {row.kind !== null && <b>{plain(row.kind)}: </b>}
        {row.why}
        {more > 0 && <span class="soft"> (+{more})</span>}
      </>
    );
  }
  if (row.hold !== null && row.hold.kind !== 'in-tool')
    return <span class="soft">on hold: {plain(row.hold.kind)}</span>;
  // A state outlasts its finding for a while, so there may be a bad state without a finding.
  if (row.state !== 'HEALTHY' && row.state !== 'TERMINATED')
    return <span class="soft">nothing found any more; it has to prove itself</span>;
  return <span class="soft">{row.isWorking ? 'working' : 'idle, no task'}</span>;
}

function Work({ row }: { readonly row: FleetRowView }) {
  return (
    <div class="work">
      <span>
        {row.errors > 0 && <span class="errors">{row.errors} err · </span>}
        <span class="tool">{row.tool === null ? <span class="soft">no call</span> : `▸ ${row.tool}`}</span>
      </span>
      <span class="soft">
        {short(row.tokens)} tok
        {row.tokensPerMinute > 0 && ` · ${short(row.tokensPerMinute)}/min`}
      </span>
      {row.costUsd > 0 && (
        <span class="soft">
          {dollars(row.costUsd)}
          {row.costPerHour > 0 && ` · ${dollars(row.costPerHour)}/h`}
        </span>
      )}
    </div>
  );
}

function Next({ row: { step, quietUntil } }: { readonly row: FleetRowView }) {
  if (step === null) {
    return (
      <div class="next soft">
        {quietUntil === null ? (
          ''
        ) : (
          <>
            quiet for <Countdown to={quietUntil} />
          </>
        )}
      </div>
    );
  }
  const { next } = step;
  return (
    <div class="next">
      <span class={`step step-${next.step}`}>{stepWord(next.step)}</span>
      <span class="soft">
        {next.at === null ? (
          next.why
        ) : (
          <>
            in <Countdown to={next.at} />
          </>
        )}
      </span>
    </div>
  );
}
