import { type Agent, type DurationMs, findingsOf, inWords, NEVER } from '@holter/core';
import { clock, type SimAgent, type Simulation } from '@holter/sim';
import { colourOfState, type Paint, printable } from '../terminal/paint.ts';
import { cutTo } from '../terminal/table.ts';
import { ecg } from './ecg.ts';
import type { LiveFeed } from './live-feed.ts';

type FrameStyle = { readonly paint: Paint; readonly width: number; readonly speed: number };

const NEWS_SHOWN = 8;
const NAME_WIDTH = 20;
const STATE_WIDTH = 10;
const STRIP_WIDTH = 24;

/** One frame of the live view: for each agent its strip, its state, the reason, and what comes next. */
export function frame(simulation: Simulation, feed: LiveFeed, style: FrameStyle): string {
  const { paint } = style;
  const width = Number.isFinite(style.width) ? style.width : 150;
  const { world } = simulation;
  const title = `${paint('bold', '♥ Holter')}  a simulated fleet, ${style.speed}× as fast as life   ${clock(world.now).slice(0, 8)}`;
  const head = `${'AGENT'.padEnd(NAME_WIDTH)} ${'PULSE'.padEnd(STRIP_WIDTH)} ${'STATE'.padEnd(STATE_WIDTH)} WHY AND WHAT NEXT`;
  const rows = world.agents.map((agent) => row(simulation, agent, feed, paint, width));
  const news = feed.news.slice(-NEWS_SHOWN).map((line) => paint('dim', cutTo(line, width - 1)));
  const hint = paint(
    'dim',
    'Ctrl-C ends it. A day of a thousand agents: holter sim --agents 1000 --hours 24',
  );
  return [title, summary(simulation, paint), '', paint('dim', head), ...rows, '', ...news, '', hint].join(
    '\n',
  );
}

function row(simulation: Simulation, sim: SimAgent, feed: LiveFeed, paint: Paint, width: number): string {
  const agent = simulation.world.monitor.agentOf(sim.slot);
  const state = agent?.hard.health ?? 'starting';
  const strip = ecg(feed.strips.get(sim.slot) ?? '', STRIP_WIDTH);
  const why = agent ? whyAndNext(agent, simulation.world.holterNow) : '';
  const rest = Math.max(10, width - NAME_WIDTH - STRIP_WIDTH - STATE_WIDTH - 4);
  const colour = colourOfState(state);
  return [
    sim.name.padEnd(NAME_WIDTH),
    paint(state === 'HEALTHY' ? 'green' : colour, strip),
    paint(colour, state.padEnd(STATE_WIDTH)),
    cutTo(printable(why), rest),
  ].join(' ');
}

/** The leading finding, the incident's step and what it waits for; or what the agent is doing. */
function whyAndNext({ hard }: Agent, now: number): string {
  const why = findingsOf(hard)[0]?.evidence ?? doing(hard);
  const { incident } = hard;
  if (!incident) return why;
  if (incident.step === 'recover' && !hard.end) return `${why}; restarted, on probation`;
  const step = incident.attempt > 1 ? `${incident.step} ${incident.attempt}` : incident.step;
  return `${why} → ${step}${waitingFor(hard, now)}`;
}

function doing({ end, holds, task }: Agent['hard']): string {
  if (end) return `ended: ${end.detail}`;
  const hold = holds.find(({ kind }) => kind !== 'in-tool') ?? holds[0];
  if (hold !== undefined) return hold.kind === 'in-tool' ? 'a tool runs' : `on hold: ${hold.kind}`;
  return task ? 'thinks' : 'idle';
}

function waitingFor({ wakeAt, quiet }: Agent['hard'], now: number): string {
  if (quiet && quiet.until > now) return `, left alone for ${inWords((quiet.until - now) as DurationMs)}`;
  if (wakeAt >= NEVER) return ', waits for a person';
  return wakeAt > now ? `, next look in ${inWords((wakeAt - now) as DurationMs)}` : '';
}

/** The number of agents in each state, in one line. */
function summary(simulation: Simulation, paint: Paint): string {
  const counts = new Map<string, number>();
  for (const { slot } of simulation.world.agents) {
    const state = simulation.world.monitor.agentOf(slot)?.hard.health;
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const order = ['HEALTHY', 'DEGRADED', 'STUCK', 'FAILING', 'TERMINATED'];
  return order
    .filter((state) => counts.has(state))
    .map((state) => paint(colourOfState(state), `${counts.get(state)} ${state}`))
    .join('  ');
}
