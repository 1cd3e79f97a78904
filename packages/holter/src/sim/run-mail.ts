import { defaultMailScenario, type MailRun, mailReplayLine, runMailSeed } from '@holter/sim';
import { EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import type { SimOptions } from './options.ts';

const AGENTS_MAX = 200;

/** `holter sim --mail`: agents with nothing but a mailbox around the real post office, until a violation. */
export async function runMail(io: Io, options: SimOptions, isSet: (name: string) => boolean): Promise<void> {
  const { agents: usualAgents, hours: usualHours } = defaultMailScenario;
  const agents = Math.min(AGENTS_MAX, isSet('agents') ? options.agents : usualAgents);
  const hours = isSet('hours') ? options.hours : usualHours;
  for (let offset = 0; offset < options.seeds; offset++) {
    const run = await runMailSeed({ agents, hours, seed: options.seed + offset });
    if (options.json) io.out(`${JSON.stringify({ ...run, seen: Object.fromEntries(run.seen) })}\n`);
    else tell(io, run);
    if (run.violations.length > 0) return io.setExitCode(EXIT.foundWrong);
  }
}

function tell(io: Io, { scenario, violations, events, seen }: MailRun): void {
  const paint = painter(io);
  const { agents, hours, seed } = scenario;
  io.out(`\n${paint('bold', `${agents} agents with a mailbox, ${hours} hours, seed ${seed}`)}\n`);
  const rows = [...seen].map(([what, times]) => [what, String(times)]);
  io.out(table([{ title: 'what' }, { title: 'times' }], rows, io.width, paint));
  io.out(`${events} events\n`);
  for (const { invariant, agentId, what } of violations)
    io.out(`${paint('red', `invariant ${invariant} broken`)}: ${agentId}: ${what}\n`);
  if (violations.length === 0) io.out(`${paint('green', 'nothing to complain about')}\n`);
  else io.out(`\n${paint('bold', 'again:')} ${mailReplayLine(scenario)}\n`);
}
