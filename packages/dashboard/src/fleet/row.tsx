import type { FleetRowView } from '@holter/server/wire';
import type { Signal } from '@preact/signals';
import { RowDecisions } from '../agent/decision-bar.tsx';
import { Link } from '../parts/link.tsx';
import { Name } from '../parts/name.tsx';
import { NextStep } from '../parts/next-step.tsx';
import { StateLabel } from '../parts/state-icon.tsx';
import { Age, Countdown } from '../parts/time.tsx';
import { dollars, holdWord, modeWord, plain, plural, short } from '../parts/words.ts';
import { agentPath, go } from '../state/route.ts';
import { mayDecide } from '../state/session.ts';
import { Strip } from '../strip/strip.tsx';
import { selected, toggle } from './selection.ts';

type Props = {
  readonly row: Signal<FleetRowView>;
  readonly index: number;
  readonly setSize: number;
  readonly y: number;
  readonly isCompact: boolean;
};

export function Row({ row: shown, index, setSize, y, isCompact }: Props) {
  const row = shown.value;
  const isSelected = selected.value.has(row.agentId);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link inside does the same for keys
    <li
      class={`row edge-${row.state.toLowerCase()}${isSelected ? ' selected' : ''}`}
      data-id={row.agentId}
      style={{ transform: `translateY(${y}px)` }}
      aria-setsize={setSize}
      aria-posinset={index + 1}
      onClick={() => go(agentPath(row.agentId))}
    >
      {mayDecide() && <Tick agentId={row.agentId} isSelected={isSelected} />}
      <div class="cell how">
        <StateLabel state={row.state} />
        <span class="soft">
          {isCompact ? '' : 'for '}
          <Age at={row.stateSince} />
        </span>
      </div>
      <div class="cell who">
        <Link to={agentPath(row.agentId)} label={row.agentId}>
          <Name>{row.agentId}</Name>
        </Link>
        {!isCompact && (
          <span class="soft" title={`${row.group} · ${row.role} · ${modeWord(row.mode)}`}>
            {row.group} · {row.role} · {row.mode}
          </span>
        )}
      </div>
      <div class="cell why" title={row.why ?? ''}>
        <span class="words">
          <Why row={row} />
        </span>
      </div>
      <Strip letters={row.strip} />
      <div class="cell when">
        <span title="last heard">
          <i aria-hidden="true">♥</i>
          <span class="hidden">last heard </span> <Age at={row.lastSignAt} />
        </span>
        {!isCompact && (
          <span class="soft" title="last progress">
            <i aria-hidden="true">↗</i>
            <span class="hidden">last progress </span> <Age at={row.lastProgressAt} />
          </span>
        )}
      </div>
      {!isCompact && <Work row={row} />}
      <Next row={row} isCompact={isCompact} />
    </li>
  );
}

function Tick({ agentId, isSelected }: { readonly agentId: string; readonly isSelected: boolean }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the box itself takes keys
    <label class="tick" onClick={(event: Event) => event.stopPropagation()}>
      <input
        type="checkbox"
        checked={isSelected}
        onChange={() => toggle(agentId)}
        aria-label={`Select ${agentId}`}
      />
    </label>
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
  if (row.hold !== null && row.needsYouSince !== null) return <>{holdWord(row.hold.kind)}</>;
  if (row.hold !== null && row.hold.kind !== 'in-tool')
    return <span class="soft">{holdWord(row.hold.kind)}</span>;
  // A state outlasts its finding for a while, so there may be a bad state without a finding.
  if (row.state !== 'HEALTHY' && row.state !== 'TERMINATED')
    return <span class="soft">resolved; it is watched for a while before it counts as healthy</span>;
  return <span class="soft">{row.isWorking ? 'working' : 'idle, no task'}</span>;
}

function Work({ row }: { readonly row: FleetRowView }) {
  return (
    <div class="cell work">
      <span>
        {row.errors > 0 && <span class="errors">{plural(row.errors, 'error')} · </span>}
        <span class="tool">{row.tool === null ? <span class="soft">no call</span> : `▸ ${row.tool}`}</span>
      </span>
      <span class="soft">
        {row.tokens === null ? '–' : short(row.tokens)} tokens
        {row.tokensPerMinute > 0 && ` · ${short(row.tokensPerMinute)}/min`}
      </span>
      {row.costUsd !== null && (
        <span class="soft">
          {dollars(row.costUsd)}
          {row.costPerHour > 0 && ` · ${dollars(row.costPerHour)}/h`}
        </span>
      )}
    </div>
  );
}

function Next({ row, isCompact }: { readonly row: FleetRowView; readonly isCompact: boolean }) {
  const { step, quietUntil, recommended } = row;
  return (
    <div class="cell next">
      <span class={recommended ? 'words' : 'words soft'}>
        {step ? (
          <NextStep next={step.next} mayDecide={mayDecide()} isShort={isCompact} />
        ) : (
          quietUntil !== null && (
            <>
              snoozed for <Countdown to={quietUntil} />
            </>
          )
        )}
      </span>
      {recommended && row.needsYouSince !== null && (
        <RowDecisions agentId={row.agentId} offers={[]} recommended={recommended.decision} isShort />
      )}
    </div>
  );
}
