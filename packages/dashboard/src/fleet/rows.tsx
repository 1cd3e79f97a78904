import { useRef } from 'preact/hooks';
import { known, rowOf, total } from '../state/live.ts';
import { mayDecide } from '../state/session.ts';
import { isCompact } from './density.ts';
import { useGradually } from './gradually.ts';
import { Row } from './row.tsx';
import { useScreen } from './screen.ts';

const COLUMNS = [
  ['state', 'State'],
  ['agent', 'Agent'],
  ['why', 'Why'],
  ['strip', 'Last hour'],
  ['heard', 'Heard'],
  ['work', 'Work'],
  ['next', 'Next'],
] as const;

/** Only what is on the screen is drawn; the server sends that and some rows around it. */
export function Rows() {
  const list = useRef<HTMLOListElement>(null);
  const isDense = isCompact.value;
  const { height, first, last, from, to } = useScreen(list, isDense);
  const { offset, ids } = known.value;
  const all = total.value ?? 0;

  const placed = ids.map((agentId, i) => ({ agentId, index: offset + i }));
  const isSeen = ({ index }: { index: number }): boolean => index >= first && index <= last;
  const near = placed.filter(({ index }) => index >= from && index <= to);
  const wanted = [...near.filter(isSeen), ...near.filter((each) => !isSeen(each))];
  const drawn = useGradually(wanted.map(({ agentId }) => agentId));
  const look = `${isDense ? 'compact' : 'roomy'}${mayDecide() ? ' ticks' : ''}`;
  return (
    <div class={`list ${look}`}>
      <div class="row-head" aria-hidden="true">
        {mayDecide() && <span />}
        {COLUMNS.filter(([name]) => !isDense || name !== 'work').map(([name, words]) => (
          <span key={name} class={`head-${name}`}>
            {words}
          </span>
        ))}
      </div>
      <ol class="rows" ref={list} style={{ height: `${all * height}px` }} aria-label="Agents">
        {near.map(({ agentId, index }) => {
          const row = drawn.has(agentId) ? rowOf(agentId) : undefined;
          return (
            row && (
              <Row
                key={agentId}
                row={row}
                index={index}
                setSize={all}
                y={index * height}
                isCompact={isDense}
              />
            )
          );
        })}
      </ol>
    </div>
  );
}
