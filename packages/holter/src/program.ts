import { Command } from 'commander';
import { registerAgentDecisions } from './commands/agent-decisions.ts';
import { registerBreaker } from './commands/breaker.ts';
import { registerConfig } from './commands/config.ts';
import { registerDb } from './commands/db.ts';
import { registerDecide } from './commands/decide.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerEvents } from './commands/events.ts';
import { registerOpen } from './commands/open.ts';
import { registerShow } from './commands/show.ts';
import { registerStatus } from './commands/status.ts';
import { registerTask } from './commands/task.ts';
import { registerToken } from './commands/token.ts';
import { registerUp } from './commands/up.ts';
import { registerWhy } from './commands/why.ts';
import { registerConnect } from './connect/command.ts';
import { version } from './package/version.ts';
import { registerReplay } from './replay/command.ts';
import { registerRun } from './run/register.ts';
import { registerSim } from './sim/command.ts';
import { withExamples } from './terminal/help.ts';
import type { Io } from './terminal/io.ts';

export function createProgram(io: Io): Command {
  const program = new Command('holter')
    .description('A heart monitor for AI agents: is it alive, is it getting anywhere, what now?')
    .version(version, '-V, --version', 'print the version')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .configureHelp({ helpWidth: Number.isFinite(io.width) ? io.width : 100 })
    // Only main.ts may end the process.
    .exitOverride()
    .showHelpAfterError('(holter --help lists the commands)');
  withExamples(program, [
    ['holter up', 'run the server'],
    ['holter status', 'who is well, who is not'],
    ['holter why worker-7', 'what is wrong with one agent, in three lines'],
    ['holter events --follow', 'watch what happens'],
  ]);

  for (const register of [
    registerUp,
    registerOpen,
    registerRun,
    registerStatus,
    registerShow,
    registerWhy,
    registerEvents,
    registerAgentDecisions,
    registerDecide,
    registerBreaker,
    registerTask,
    registerToken,
    registerConnect,
    registerDoctor,
    registerConfig,
    registerDb,
    registerSim,
    registerReplay,
  ]) {
    register(program, io);
  }
  return program;
}
