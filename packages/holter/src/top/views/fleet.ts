import { instant } from '@holter/core/time';
import type { FleetRowView } from '@holter/server/local';
import { type Colour, colourOfState, type Paint } from '../../terminal/paint.ts';
import { cutMiddle, lasted } from '../../terminal/words.ts';
import type { State } from '../state/state.ts';
import { fitted, visibleFrom } from './row-line.ts';
import { type StripCell, stripCells } from './strip.ts';

const STATE_WIDTH = 10;
const FOR_WIDTH = 7;
/** From here on there is room for long names and strips. */
const WIDE = 120;

type Widths = { readonly name: number; readonly strip: number; readonly why: number };

function widthsOf(columns: number): Widths {
  const [name, strip] = columns >= WIDE ? [32, 40] : [16, 12];
  return { name, strip, why: columns - 2 - name - 1 - strip - 1 - STATE_WIDTH - 1 - FOR_WIDTH - 1 };
}

/** All agents: who needs a person first, then the worst. Only visible rows are built. */
export function fleetLines(state: State, height: number, paint: Paint): readonly string[] {
  const { fleet, size, selected } = state;
  if (!fleet)
    return [paint('dim', state.isConnected ? 'waiting for the server…' : 'no answer from the server')];
  if (fleet.total === 0)
    return [
      state.filter === '' ? 'No agents yet. Watch one: holter run -- COMMAND' : 'No agents match the filter.',
    ];
  const widths = widthsOf(size.columns);
  const head = [
    '  ',
    'AGENT'.padEnd(widths.name + 1),
    'LAST HOUR'.padEnd(widths.strip + 1),
    'STATE'.padEnd(STATE_WIDTH + 1),
    'FOR'.padEnd(FOR_WIDTH + 1),
    'WHY',
  ].join('');
  const rows = height - 1;
  const from = visibleFrom(selected.fleet, fleet.total, rows);
  const lines = [paint('dim', head)];
  for (let index = from; index < Math.min(fleet.total, from + rows); index += 1) {
    const row = fleet.rows.get(fleet.order[index - fleet.offset] ?? '');
    lines.push(row ? rowLine(row, fleet.at, widths, index === selected.fleet, paint) : paint('dim', '  …'));
  }
  return lines;
}

function rowLine(row: FleetRowView, at: number, widths: Widths, isSelected: boolean, paint: Paint): string {
  const needsYou = row.needsYouSince !== null;
  const mark = `${isSelected ? '›' : ' '}${needsYou ? '!' : ' '}`;
  const name = cutMiddle(row.agentId, widths.name).padEnd(widths.name);
  const hasEnded = row.endedAt !== null && row.incidentId === null;
  const since = lasted(row.endedAt ?? row.stateSince, instant(at));
  return [
    paint(needsYou ? 'red' : 'cyan', mark),
    isSelected ? paint('bold', name) : name,
    ' ',
    stripText(stripCells(row.strip, widths.strip), paint),
    ' ',
    paint(hasEnded ? 'dim' : colourOfState(row.state), (hasEnded ? 'ended' : row.state).padEnd(STATE_WIDTH)),
    ' ',
    since.padEnd(FOR_WIDTH),
    ' ',
    fitted(whyOf(row), widths.why),
  ].join('');
}

function whyOf({ why, hold, tool, needsYouSince }: FleetRowView): string {
  const isInTool = tool !== null && (hold === null || hold.kind === 'in-tool');
  const what = why ?? (isInTool ? `runs ${tool}` : (hold?.kind.replaceAll('-', ' ') ?? ''));
  return needsYouSince === null ? what : `waiting for you: ${what}`;
}

const TONES: Readonly<Record<StripCell['tone'], Colour>> = { calm: 'green', warn: 'yellow', alarm: 'red' };

/** Neighbours of one colour are painted together. */
function stripText(cells: readonly StripCell[], paint: Paint): string {
  let text = '';
  for (let from = 0; from < cells.length; ) {
    const tone = cells[from]?.tone ?? 'calm';
    let run = '';
    for (; from < cells.length && cells[from]?.tone === tone; from += 1) run += cells[from]?.glyph;
    text += paint(TONES[tone], run);
  }
  return text;
}
