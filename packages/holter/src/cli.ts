import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { CliFailure, EXIT } from './terminal/failure.ts';
import { tooFewFiles } from './terminal/few-files.ts';
import { processIo } from './terminal/io.ts';
import { painter } from './terminal/paint.ts';

const io = processIo();

// A reader that closes the pipe early (`holter events | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.fine);
  throw error;
});

try {
  const program = await createProgram(io, process.argv[2]);
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = tell(error);
}
// The command is done; an open connection must not keep the process alive.
if (process.stdout.writableLength === 0) process.exit();
else process.stdout.once('drain', () => process.exit());

function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  const sentence = tooFewFiles(error);
  if (sentence !== null) {
    io.err(`holter: ${sentence}\n`);
    return EXIT.error;
  }
  const paint = painter({ hasColour: process.stderr.isTTY === true && io.hasColour });
  if (error instanceof CliFailure) {
    io.err(`${paint('red', 'holter:')} ${error.message}\n`);
    if (error.next !== null) io.err(`  ${paint('dim', 'next:')} ${error.next}\n`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.err(`${paint('red', 'holter:')} this is a bug in Holter, please report it with these lines\n${stack}\n`);
  return EXIT.error;
}
