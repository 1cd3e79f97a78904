import {
  countsOf,
  INVARIANTS,
  replayLine,
  reportOf,
  requirementRows,
  type Scenario,
  Simulation,
  type SimViolation,
  shrink,
} from '@holter/sim';
import { EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Paint, painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { type SimOptions, scenarioOf } from './options.ts';
import { progressBar } from './progress-bar.ts';
import { sampler, secondsNow } from './wall-clock.ts';

/** Runs one seed after the other; stops at the first that breaks an invariant. */
export function runSimulation(io: Io, options: SimOptions): void {
  const first = scenarioOf(options);
  for (let offset = 0; offset < options.seeds; offset++) {
    const isClean = runOne(io, { ...first, seed: first.seed + offset }, options.json === true);
    if (!isClean) {
      io.setExitCode(EXIT.foundWrong);
      return;
    }
  }
}

function runOne(io: Io, scenario: Scenario, isJson: boolean): boolean {
  const paint = painter(io);
  const stopwatch = sampler();
  const bar = progressBar(io, `${scenario.agents} agents, ${scenario.hours} h, seed ${scenario.seed}`);
  const startedAt = secondsNow();
  const simulation = new Simulation(scenario, { stopwatch });
  simulation.run((share) => {
    bar.at(share);
    return true;
  });
  const wallSeconds = Math.round((secondsNow() - startedAt) * 100) / 100;
  bar.done();
  const report = reportOf(simulation, { microsPerStep: stopwatch.microsPerStep(), wallSeconds });

  const [violation] = simulation.violations;
  if (!isJson) tellRun(io, paint, simulation, wallSeconds);
  if (violation !== undefined) tellViolation(isJson ? io.err : io.out, paint, scenario, violation);
  if (isJson) io.out(`${JSON.stringify(report)}\n`);
  return violation === undefined;

  function tellRun(to: Io, colour: Paint, done: Simulation, seconds: number): void {
    to.out(`\n${colour('bold', 'A simulated day')} ${colour('dim', `(seed ${scenario.seed})`)}\n`);
    const counts = countsOf(done).map(({ what, count }) => [what, count.toLocaleString('en-US')]);
    const speed = Math.round(done.world.monitor.inputs / seconds).toLocaleString('en-US');
    to.out(
      table([{ title: '' }, { title: '' }], [...counts, ['inputs per second', speed]], to.width, colour),
    );
    to.out(`\n${colour('bold', 'Beside seed 000, Performance Requirements')}\n`);
    const rows = requirementRows(done, report).map(({ metric, target, measured, isMet }) => [
      { text: isMet ? '✓' : '✗', colour: isMet ? ('green' as const) : ('red' as const) },
      metric,
      target,
      measured,
    ]);
    const titles = [
      { title: '' },
      { title: 'metric', canShrink: true as const },
      { title: 'target' },
      { title: 'here' },
    ];
    to.out(table(titles, rows, to.width, colour));
    to.out(
      colour(
        'dim',
        '\nDetection counts from the moment a rule’s condition holds; the monitor’s own absences do not.\n',
      ),
    );
    const { violations, wrongTerminations, wrongNudgesPer1000AgentHours } = report;
    const verdict =
      violations === 0 ? colour('green', 'no violation') : colour('red', `${violations} violations`);
    to.out(
      `${verdict}, ${wrongTerminations} wrong terminations, ${wrongNudgesPer1000AgentHours} wrong nudges per 1,000 agent-hours, ${seconds} s\n`,
    );
  }
}

/** The seed, the shortest sequence that still shows the violation, and the command that repeats it. */
function tellViolation(
  say: (text: string) => void,
  paint: Paint,
  scenario: Scenario,
  violation: SimViolation,
): void {
  say(`\n${paint('red', `invariant ${violation.invariant} broken`)}: ${INVARIANTS[violation.invariant]}\n`);
  say(`  ${violation.agentId}: ${violation.what}\n`);
  const shrunk = shrink(scenario, violation);
  const { agentId, what } = shrunk.violation;
  say(`\nshortened in ${shrunk.runs} runs; ${agentId}: ${what}\n\n`);
  for (const line of shrunk.trace) say(`  ${line}\n`);
  say(`\n${paint('bold', 'again:')} ${replayLine(shrunk.scenario)}\n`);
}
