import { defaultEngineScenario, type EngineRun, engineReplayLine, runEngineSeed } from '@holter/sim';
import { EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import type { SimOptions } from './options.ts';
import { secondsNow } from './wall-clock.ts';

/** The real engine is slower than the rules alone: dozens of agents instead of thousands. */
const AGENTS_MAX = 200;

/** `holter sim --engine`: simulated fleets with the real engine, seed by seed, until the audit reports a violation. */
export async function runEngine(
  io: Io,
  options: SimOptions,
  isSet: (name: string) => boolean,
): Promise<void> {
  const { agents: usualAgents, hours: usualHours } = defaultEngineScenario;
  const agents = Math.min(AGENTS_MAX, isSet('agents') ? options.agents : usualAgents);
  const hours = isSet('hours') ? options.hours : usualHours;
  for (let offset = 0; offset < options.seeds; offset++) {
    const startedAt = secondsNow();
    const scenario = { ...defaultEngineScenario, agents, hours, seed: options.seed + offset };
    const run = await runEngineSeed(scenario);
    tell(io, run, secondsNow() - startedAt, options.json === true);
    if (run.violations.length > 0) {
      io.setExitCode(EXIT.foundWrong);
      return;
    }
  }
}

function tell(io: Io, run: EngineRun, seconds: number, isJson: boolean): void {
  const { scenario, agentHours, violations, events, reports, struck, deaths, wrongTerminations } = run;
  const { seed, agents, hours } = scenario;
  const wallSeconds = Math.round(seconds * 100) / 100;
  if (isJson) {
    const counts = {
      events,
      reports,
      deaths: deaths.length,
      violations: violations.length,
      wrongTerminations,
    };
    const faults = Object.fromEntries(struck);
    io.out(
      `${JSON.stringify({ agents, hours, seed, ...counts, faults, complaints: violations, wallSeconds })}\n`,
    );
    return;
  }
  const paint = painter(io);
  const head = `${agents} agents around the real engine, ${agentHours} agent-hours, seed ${seed}`;
  io.out(`\n${paint('bold', head)}\n`);
  const rows = [...struck].map(([fault, times]) => [fault, String(times)]);
  io.out(table([{ title: 'fault' }, { title: 'times' }], rows, io.width, paint));
  io.out(
    `${events} events, ${reports} reports acknowledged, ${deaths.length} servers died, ${wallSeconds} s\n`,
  );
  for (const { invariant, agentId, what } of violations)
    io.out(`${paint('red', `invariant ${invariant} broken`)}: ${agentId}: ${what}\n`);
  if (violations.length === 0) io.out(`${paint('green', 'nothing to complain about')}\n`);
  else io.out(`\n${paint('bold', 'again:')} ${engineReplayLine(scenario)}\n`);
}
