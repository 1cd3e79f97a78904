import { instant } from '@holter/core/time';
import type { AgentView } from '@holter/server/local';
import type { Io } from '../terminal/io.ts';
import { type Colour, colourOfState, painter, printable } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { ago, cutMiddle, dollars, lasted, short, wrapped } from '../terminal/words.ts';
import { endInWords, holdInWords, promisesOnlyToRun, stepInWords } from './explain-agent.ts';
import { patienceInWords } from './patience-in-words.ts';
import { hasEnded, stateWord } from './state-order.ts';

type Screen = Pick<Io, 'width' | 'hasColour'>;
type Column = {
  readonly title: string;
  readonly text: (agent: AgentView) => string;
  readonly colour?: (agent: AgentView) => Colour;
  readonly isRight?: true;
};

const COLUMNS: readonly Column[] = [
  { title: 'AGENT', text: ({ agentId }) => agentId },
  {
    title: 'STATE',
    text: stateWord,
    colour: (agent) => (hasEnded(agent) ? 'dim' : colourOfState(agent.state)),
  },
  {
    title: 'FOR',
    text: ({ at, stateSince, end }) => lasted(end?.at ?? stateSince, instant(at)),
  },
  { title: 'HEARD', text: heardInWords },
  { title: 'TOKENS', text: ({ tokens }) => short(tokens), isRight: true },
  { title: 'COST', text: ({ costUsd }) => dollars(costUsd), isRight: true },
];

/** One that promised only to run is not expected to say anything. */
function heardInWords(agent: AgentView): string {
  const { at, lastSignAt } = agent;
  return lastSignAt === null && promisesOnlyToRun(agent) ? '–' : ago(lastSignAt, instant(at));
}

/** What gives way first when a terminal is narrow. */
const DROPPED = ['HEARD', 'COST', 'TOKENS'];
const NAME_MIN = 16;
const GAP = '  ';
const INDENT = '    ';

/**
 * One line for each agent. A terminal gets what is wrong and what comes next below it, wrapped; a pipe gets it in the
 * same line, so that `grep` finds the whole.
 */
export function statusTable(screen: Screen, agents: readonly AgentView[]): string {
  const paint = painter(screen);
  if (!Number.isFinite(screen.width)) return pipeTable(screen, agents);
  const columns = fittingColumns(agents, screen.width);
  const widths = columns.map((column) => widthOf(column, agents));
  const others = widths.slice(1).reduce((sum, width) => sum + GAP.length + width, 0);
  widths[0] = Math.min(widths[0] ?? 0, Math.max(NAME_MIN, screen.width - others));
  const line = (cells: readonly string[], colours: readonly (Colour | undefined)[]): string =>
    columns
      .map(({ isRight }, index) => {
        const width = widths[index] ?? 0;
        const cell = cutMiddle(cells[index] ?? '', width);
        const padded = isRight ? cell.padStart(width) : cell.padEnd(width);
        const colour = colours[index];
        return colour ? paint(colour, padded) : padded;
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    columns.map(() => 'dim'),
  );
  const lines = agents.flatMap((agent) => [
    line(
      columns.map(({ text }) => printable(text(agent))),
      columns.map(({ colour }) => colour?.(agent)),
    ),
    ...below(agent)
      .flatMap((text) => wrapped(printable(text), screen.width - INDENT.length))
      .map((text) => `${INDENT}${paint('dim', text)}`),
  ]);
  return `${[head, ...lines].join('\n')}\n`;
}

function pipeTable(screen: Screen, agents: readonly AgentView[]): string {
  const rows = agents.map((agent) => [
    ...COLUMNS.map(({ text }) => text(agent)),
    reason(agent),
    agent.incident ? stepInWords(agent.incident, instant(agent.at)) : '',
  ]);
  const columns = [...COLUMNS, { title: 'WHY' }, { title: 'NEXT' }];
  return table(columns, rows, screen.width, painter(screen));
}

const reason = (agent: AgentView): string => {
  if (hasEnded(agent) && agent.end) return endInWords(agent.end);
  return agent.findings[0]?.evidence ?? agent.holds.map(({ kind }) => holdInWords(kind)).join(', ');
};

function below(agent: AgentView): readonly string[] {
  const { incident, patience, at } = agent;
  const why = reason(agent);
  return [
    ...(why === '' ? [] : [why]),
    ...(incident ? [`next: ${stepInWords(incident, instant(at))}`] : []),
    ...(patience ? [`limits lengthened: ${patienceInWords(patience)}`] : []),
  ];
}

const widthOf = ({ title, text }: Column, agents: readonly AgentView[]): number =>
  Math.max(title.length, ...agents.map((agent) => text(agent).length));

function fittingColumns(agents: readonly AgentView[], width: number): readonly Column[] {
  let columns = COLUMNS;
  for (const dropped of DROPPED) {
    const [name = 0, ...others] = columns.map((column) => widthOf(column, agents));
    const total = others.reduce((sum, each) => sum + GAP.length + each, Math.min(name, NAME_MIN));
    if (total <= width) break;
    columns = columns.filter(({ title }) => title !== dropped);
  }
  return columns;
}
