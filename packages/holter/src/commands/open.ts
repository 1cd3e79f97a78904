import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';

type OpenOptions = ServerOptions & {
  readonly viewer?: boolean;
  readonly print?: boolean;
  readonly name?: string;
};

export function registerOpen(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('open')
        .description('open the page in a browser, with a link that works once, for five minutes')
        .option('--viewer', 'a read-only log-in')
        .option(
          '--name <name>',
          'the name recorded with decisions made there (default: the user of this terminal)',
        )
        .option('--print', 'only print the link, also to a pipe'),
    ),
    [
      ['holter open', 'look at the fleet'],
      ['holter open --name alice', "decisions that are made there are alice's"],
      ['holter open --viewer --print', 'a read-only link'],
    ],
  ).action((options: OpenOptions) => open(io, options));
}

async function open(io: Io, options: OpenOptions): Promise<void> {
  refuseAgents(io, 'open');
  // The link is a secret and must not end up in a log or a pipe, unless somebody asks for that.
  if (!io.isTerminal && !options.print) {
    throw new CliFailure(
      'the link is a secret, so it is printed only on a terminal',
      'run `holter open` in a terminal, or `holter open --print`',
    );
  }
  const name =
    options.name ?? (options.viewer || io.env.HOLTER_TOKEN ? undefined : io.env.USER || io.env.LOGNAME);
  const role = options.viewer ? 'viewer' : 'operator';
  const link = await loginLink(findServer(io, options, 'operator'), role, name);
  io.out(`${link}\n`);
  if (io.isTerminal) io.out(`${painter(io)('dim', 'It works once, for five minutes.')}\n`);
  if (!options.print) showInBrowser(io, link);
}

type Server = Parameters<typeof ask>[0];

/** The secret is in the fragment, which browsers do not send to servers. */
export async function loginLink(
  server: Server,
  role: 'viewer' | 'operator',
  name: string | undefined,
): Promise<string> {
  const asked = { role, ...(name && { name }) };
  const { path } = await ask(server, (client) => client.makeLoginSecret(asked));
  return `${server.url}${path}`;
}

/** Without a desktop no browser can be opened; the printed link is enough. */
function showInBrowser(io: Io, link: string): void {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const hasDesktop = process.platform === 'darwin' || io.env.DISPLAY || io.env.WAYLAND_DISPLAY;
  if (!hasDesktop) return;
  const child = spawn(opener, [link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
