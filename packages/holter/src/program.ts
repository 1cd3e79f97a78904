import { Command } from 'commander';
import { version } from './package/version.ts';
import { withExamples } from './terminal/help.ts';
import type { Io } from './terminal/io.ts';

type Register = (program: Command, io: Io) => void;
type Entry = readonly [names: string, load: () => Promise<Register>];

/** In the order of the help. Each is loaded only when it is called, because loading is what takes the time. */
const GROUPS: readonly (readonly [title: string, commands: readonly Entry[]])[] = [
  [
    'Watch agents:',
    [
      ['run', async () => (await import('./run/register.ts')).registerRun],
      ['tmux', async () => (await import('./tmux/command.ts')).registerTmux],
      ['connect', async () => (await import('./connect/command.ts')).registerConnect],
      ['ping', async () => (await import('./commands/ping.ts')).registerPing],
      ['mcp', async () => (await import('./mcp/command.ts')).registerMcp],
    ],
  ],
  [
    'See how they do:',
    [
      ['status', async () => (await import('./commands/status.ts')).registerStatus],
      ['top', async () => (await import('./top/command.ts')).registerTop],
      ['show', async () => (await import('./commands/show.ts')).registerShow],
      ['why', async () => (await import('./commands/why.ts')).registerWhy],
      ['logs', async () => (await import('./commands/logs.ts')).registerLogs],
      ['events', async () => (await import('./commands/events.ts')).registerEvents],
      ['cost', async () => (await import('./commands/cost.ts')).registerCost],
      ['open', async () => (await import('./commands/open.ts')).registerOpen],
      ['badge', async () => (await import('./commands/badge.ts')).registerBadge],
    ],
  ],
  [
    'Decide:',
    [
      ['decide', async () => (await import('./commands/decide.ts')).registerDecide],
      [
        'nudge terminate recover pause resume snooze wake wrong',
        async () => (await import('./commands/agent-decisions.ts')).registerAgentDecisions,
      ],
      ['breaker', async () => (await import('./commands/breaker.ts')).registerBreaker],
      ['estop', async () => (await import('./commands/estop.ts')).registerEstop],
    ],
  ],
  [
    'Tasks, letters and tickets:',
    [
      ['task', async () => (await import('./commands/task.ts')).registerTask],
      ['mail', async () => (await import('./commands/mail.ts')).registerMail],
      ['ticket', async () => (await import('./commands/ticket.ts')).registerTicket],
      ['judge', async () => (await import('./commands/judge.ts')).registerJudge],
      ['import', async () => (await import('./commands/import.ts')).registerImport],
    ],
  ],
  [
    'The server:',
    [
      ['up', async () => (await import('./commands/up.ts')).registerUp],
      ['down', async () => (await import('./commands/down.ts')).registerDown],
      ['service', async () => (await import('./commands/service.ts')).registerService],
      ['doctor', async () => (await import('./commands/doctor.ts')).registerDoctor],
      ['config', async () => (await import('./commands/config.ts')).registerConfig],
      ['db', async () => (await import('./commands/db.ts')).registerDb],
      ['token', async () => (await import('./commands/token.ts')).registerToken],
      ['alerts', async () => (await import('./commands/alerts.ts')).registerAlerts],
      ['maintenance', async () => (await import('./commands/maintenance.ts')).registerMaintenance],
      [
        'completion',
        async () => {
          const { registerCompletion } = await import('./commands/completion.ts');
          return (program, io) => registerCompletion(program, io, () => createProgram(io));
        },
      ],
      ['hook', async () => (await import('./connect/hook-command.ts')).registerHook],
    ],
  ],
  [
    'The watchdog chain:',
    [
      ['daemon', async () => (await import('./daemon/command.ts')).registerDaemon],
      ['town', async () => (await import('./commands/town.ts')).registerTown],
      ['boot', async () => (await import('./commands/boot.ts')).registerBoot],
      ['deacon', async () => (await import('./deacon/command.ts')).registerDeacon],
      ['handoff', async () => (await import('./deacon/command.ts')).registerHandoff],
      ['session', async () => (await import('./deacon/command.ts')).registerSession],
    ],
  ],
  [
    'Try the rules:',
    [
      ['replay', async () => (await import('./replay/command.ts')).registerReplay],
      ['sim', async () => (await import('./sim/command.ts')).registerSim],
    ],
  ],
];

/** All commands, or only the one that the first word names. */
export async function createProgram(io: Io, word?: string): Promise<Command> {
  const program = new Command('holter')
    .description('A heart monitor for AI agents: notices when one is stuck, says why, and acts.')
    .version(version, '-V, --version', 'print the version')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .configureHelp({ helpWidth: Number.isFinite(io.width) ? io.width : 100 })
    // Only main.ts may end the process.
    .exitOverride()
    .showHelpAfterError('(holter --help lists the commands)');
  withExamples(program, [
    ['holter up', 'run the server'],
    ['holter status', 'which agents need attention'],
    ['holter why worker-7', 'what is wrong with one agent, and what can be done'],
    ['holter events --follow', 'watch what happens'],
  ]);

  const isNamed = ([names]: Entry): boolean => word !== undefined && names.split(' ').includes(word);
  const hasNamed = GROUPS.some(([, commands]) => commands.some(isNamed));
  for (const [title, commands] of GROUPS) {
    program.commandsGroup(title);
    for (const entry of hasNamed ? commands.filter(isNamed) : commands) (await entry[1]())(program, io);
  }
  for (const command of program.commands) pointToHelp(command, 'holter');
  return program;
}

function pointToHelp(command: Command, parents: string): void {
  const path = `${parents} ${command.name()}`;
  command.showHelpAfterError(`(${path} --help shows examples)`);
  for (const subcommand of command.commands) pointToHelp(subcommand, path);
}
