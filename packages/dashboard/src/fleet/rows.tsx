import { useRef } from 'preact/hooks';
import { known, rowOf, total } from '../state/live.ts';
import { useGradually } from './gradually.ts';
import { Row } from './row.tsx';
import { useScreen } from './screen.ts';

/** Only what is on the screen is drawn; the server sends that and some rows around it. */
export function Rows() {
  const list = useRef<HTMLOListElement>(null);
  const { height, first, last, from, to } = useScreen(list);
  const { offset, ids } = known.value;
  const all = total.value ?? 0;

  const placed = ids.map((agentId, i) => ({ agentId, index: offset + i }));
  const isSeen = ({ index }: { index: number }): boolean => index >= first && index <= last;
  const near = placed.filter(({ index }) => index >= from && index <= to);
  const wanted = [...near.filter(isSeen), ...near.filter((each) => !isSeen(each))];
  const drawn = useGradually(wanted.map(({ agentId }) => agentId));
  return (
    <>
      <div class="row-head" aria-hidden="true">
        <span>State</span>
        <span>Agent</span>
        <span>Why</span>
        <span>Last hour</span>
        <span>Heard · progress</span>
        <span>Work</span>
        <span>Next</span>
      </div>
      <ol class="rows" ref={list} style={{ height: `${all * height}px` }} aria-label="Agents">
        {near.map(({ agentId, index }) => {
          const row = drawn.has(agentId) ? rowOf(agentId) : undefined;
          return row && <Row key={agentId} row={row} index={index} setSize={all} y={index * height} />;
        })}
      </ol>
    </>
  );
}
