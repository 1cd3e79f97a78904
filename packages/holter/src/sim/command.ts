import { defaultScenario } from '@holter/sim';
import type { Command } from 'commander';
import { withExamples } from '../terminal/help.ts';
import { type Io, processIo } from '../terminal/io.ts';
import { showLive } from './live.ts';
import { behaviourList, faultList, positive, type SimOptions, slotList, wholeNumber } from './options.ts';
import { runSimulation } from './run.ts';
import { runEngine } from './run-engine.ts';
import { runMail } from './run-mail.ts';

/** `holter sim`: a simulated fleet, to try the rules in or to watch. */
export function registerSim(program: Command, io: Io = processIo()): void {
  withExamples(
    program
      .command('sim')
      .description('run the rules against simulated agents, and check the guarantees')
      .option('--agents <n>', 'how many agents', wholeNumber(1, 100_000), defaultScenario.agents)
      .option('--hours <n>', 'how many simulated hours', positive(24 * 30), defaultScenario.hours)
      .option('--seed <n>', 'the same seed gives the same run', wholeNumber(0, 2 ** 31), defaultScenario.seed)
      .option('--seeds <n>', 'number of seeds to run, beginning with --seed', wholeNumber(1, 1_000_000), 1)
      .option('--haste <n>', 'multiply the rate of faults by this', positive(100), defaultScenario.haste)
      .option('--faults <list>', 'which faults happen, or none', faultList, defaultScenario.faults)
      .option('--only <list>', 'only agents of these kinds', behaviourList, [])
      .option('--slots <list>', 'only these agents of the fleet', slotList, [])
      .option('--json', 'end with one line of JSON')
      .option('--live', 'show a small fleet live in the terminal')
      .option('--engine', 'a small fleet around the real engine, with servers and stores that fail')
      .option('--mail', 'agents that have nothing but a mailbox, around the real post office')
      .option('--seconds <n>', 'with --live: stop after this many seconds', positive(1_000_000)),
    [
      ['holter sim --agents 1000 --hours 24', 'a day of a thousand agents, beside the requirements'],
      ['holter sim --live', 'watch twelve agents, sixty times as fast'],
      ['holter sim --seed 7 --json', 'one line at the end, for a script'],
      ['holter sim --mail --seed 3', 'letters that are lost, doubled and late for four hours'],
      ['holter sim --engine --seed 3', 'the real engine, killed and misled for six hours'],
    ],
  ).action((options: SimOptions, command: Command) => {
    const isSet = (name: string) => command.getOptionValueSource(name) !== 'default';
    if (options.engine) return runEngine(io, options, isSet);
    if (options.mail) return runMail(io, options, isSet);
    return options.live ? showLive(io, options) : runSimulation(io, options);
  });
}
