import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { HolterEvent } from '@holter/core';
import { bash, type ModelMove, type Script } from '../../e2e/claude/scripted-model.ts';
import { TerminalSession } from '../../e2e/claude/terminal-session.ts';
import { type Event, World } from '../../e2e/claude/world.ts';
import { bin } from '../../e2e/holter-process.ts';
import { bareNodeMegabytes, cpuSeconds, median, megabytes, pidsOf } from './processes.ts';

type Type = HolterEvent['type'];

/** What an operator would notice; the rest is the ordinary life of an agent. */
const TOLD: ReadonlySet<string> = new Set<Type>([
  'HEALTH_STATE_CHANGED',
  'NUDGE_SENT',
  'ESCALATION_TRIGGERED',
  'INCIDENT_OPENED',
  'INCIDENT_STEP',
  'INCIDENT_CLOSED',
  'ATTENTION_RAISED',
  'AGENT_TERMINATED',
  'AGENT_ENDED',
  'RECOVERY_INITIATED',
  'RECOVERY_COMPLETED',
  'RECOVERY_FAILED',
  'HOLD_BEGAN',
  'HOLD_ENDED',
]);
const THINKING_MS = 8_000;
const KILL_AFTER_MS = 4 * 60_000;

type Moves = (turn: number, text: string) => ModelMove;

/** A model that thinks for a while before each move. */
const thinking =
  (moves: Moves): Script =>
  async ({ text }, turn) => {
    await pause(THINKING_MS * (0.5 + Math.random()));
    return moves(turn, text);
  };

const work = (name: string): Moves => {
  const steps = [
    (n: number) => bash(`mkdir -p ${name}; echo "export const part${n} = ${n};" > ${name}/part-${n}.mjs`),
    (n: number) => bash(`node -e "import('./${name}/part-${n - 1}.mjs').then(console.log)"`),
    () => bash(`ls ${name} | wc -l; cat ${name}/*.mjs | wc -c`),
  ];
  return (turn) => (steps[turn % steps.length] ?? steps[0])?.(turn) ?? { say: 'Finished.' };
};
const same = bash('node -e "process.exit(1)" # make the build pass', 'I will try it once more.');
const isTold = (text: string): boolean => text.includes('Holter:');

const sessions: Readonly<Record<string, Script>> = {
  'works-1': thinking(work('works-1')),
  'works-2': thinking(work('works-2')),
  'works-3': thinking(work('works-3')),
  'works-4': thinking(work('works-4')),
  'works-5': thinking(work('works-5')),
  'loops-and-listens': thinking((turn, text) => (isTold(text) ? work('listens')(turn, text) : same)),
  'loops-on': thinking(() => same),
  hangs: (request, turn) => (turn > 6 ? { hang: true } : thinking(work('hangs'))(request, turn)),
  killed: thinking(work('killed')),
};

/** The tenth runs in a terminal, where Claude Code asks a person before it deletes anything. */
async function startAsking(world: World): Promise<TerminalSession> {
  const model = await world.model(async (_request, turn) => {
    await pause(THINKING_MS);
    return turn > 3 ? bash('rm -rf ../everything') : { say: 'Reading.', call: readCall(world) };
  });
  return new TerminalSession(world, model, 'asks');
}

const readCall = (world: World) => ({
  tool: 'Read',
  input: { file_path: join(world.project, 'README.md') },
});

async function statusMs(world: World): Promise<number> {
  const startedAt = performance.now();
  await world.holter(['status']);
  return performance.now() - startedAt;
}

/** Sessions that nothing is wrong with: if one is called stuck, or anything is done to it, that is false. */
const WELL = ['works-1', 'works-2', 'works-3', 'works-4', 'works-5', 'asks'];
const FALSE: ReadonlySet<string> = new Set<Type>(['NUDGE_SENT', 'ESCALATION_TRIGGERED', 'AGENT_TERMINATED']);
/** What has to be noticed about the others. */
const DUE: readonly (readonly [name: string, type: Type])[] = [
  ['loops-and-listens', 'NUDGE_SENT'],
  ['loops-on', 'NUDGE_SENT'],
  ['loops-on', 'ESCALATION_TRIGGERED'],
  // Its model has 5 minutes to answer before 15 minutes of silence count, so in 20 minutes it is only DEGRADED.
  ['hangs', 'HEALTH_STATE_CHANGED'],
  ['asks', 'HOLD_BEGAN'],
  ['killed', 'RECOVERY_INITIATED'],
];
/** Share of a core, MB above bare Node, median of ten. */
const LIMITS = { serverShare: 0.02, runMegabytes: 35, statusMs: 400 };

/** Returns what was missed, in words. */
export async function measure(minutes: number): Promise<readonly string[]> {
  const world = await World.start('');
  writeFileSync(join(world.project, 'README.md'), '# Shop\n');
  let terminal: TerminalSession | null = null;
  const startedAt = Date.now();
  const cpuBefore = cpuSeconds(world.server.pid);
  try {
    for (const [name, script] of Object.entries(sessions)) {
      world.run(await world.model(script), { options: ['--agent', name] });
    }
    terminal = await startAsking(world);
    process.stderr.write(`${new Date().toISOString()} ten sessions started\n`);
    await pause(Math.min(KILL_AFTER_MS, (minutes * 60_000) / 3));
    process.kill(await world.childOf('killed'), 'SIGKILL');
    const killedAt = Date.now();
    await pause(minutes * 60_000 - (Date.now() - startedAt));

    const seconds = (Date.now() - startedAt) / 1_000;
    const runs = pidsOf([bin, 'run'], world.folder).map(megabytes);
    const bare = await bareNodeMegabytes();
    const times = [];
    for (let n = 0; n < 10; n++) times.push(await statusMs(world));
    const { out } = await world.holter(['status']);
    process.stdout.write(`\`holter status\` after ${minutes} min:\n${out}\n`);
    process.stdout.write(`the terminal of asks:\n${terminal.screen()}\n\n`);
    for (const name of [...Object.keys(sessions), 'asks']) await tell(world, name, startedAt);
    process.stdout.write(`killed at ${at(killedAt, startedAt)}\n`);
    const serverShare = (cpuSeconds(world.server.pid) - cpuBefore) / seconds;
    process.stdout.write(
      `server: ${percent(serverShare)} of a core, ${megabytes(world.server.pid).toFixed(0)} MB\n`,
    );
    const runMegabytes = median(runs) - bare;
    process.stdout.write(
      `a run: ${runMegabytes.toFixed(1)} MB above bare node (${bare.toFixed(1)} MB), worst ${(Math.max(...runs) - bare).toFixed(1)} MB, of ${runs.length}\n`,
    );
    process.stdout.write(`holter status: median ${median(times).toFixed(0)} ms of ${times.length}\n`);
    return [
      ...(await mistakes(world)),
      ...(serverShare > LIMITS.serverShare
        ? [`the server used more than ${percent(LIMITS.serverShare)}`]
        : []),
      ...(runMegabytes > LIMITS.runMegabytes ? [`a run used more than ${LIMITS.runMegabytes} MB`] : []),
      ...(median(times) > LIMITS.statusMs ? [`status took more than ${LIMITS.statusMs} ms`] : []),
    ];
  } finally {
    terminal?.end();
    await world.stop();
  }
}

async function mistakes(world: World): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of WELL)
    for (const { type, payload } of await world.events(name)) {
      const isLost = type === 'HEALTH_STATE_CHANGED' && /^(STUCK|FAILING)$/.test(String(payload.to));
      if (isLost || FALSE.has(type)) found.push(`${name} works: ${type} ${JSON.stringify(payload)}`);
    }
  for (const [name, wanted] of DUE)
    if (!(await world.events(name)).some(({ type }) => type === wanted)) found.push(`${name}: no ${wanted}`);
  return found;
}

async function tell(world: World, name: string, startedAt: number): Promise<void> {
  const agent = await world.agent(name);
  const events = (await world.events(name)) as readonly (Event & { readonly at: number })[];
  process.stdout.write(`${name}: ${String(agent.state)}, ${events.length} events\n`);
  for (const { type, at: when, payload } of events.filter((event) => TOLD.has(event.type)))
    process.stdout.write(`  ${at(when, startedAt)}  ${type}  ${JSON.stringify(payload).slice(0, 160)}\n`);
}

const at = (when: number, startedAt: number): string => {
  const seconds = Math.max(0, Math.round((when - startedAt) / 1_000));
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
};
const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
