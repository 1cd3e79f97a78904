import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';

type OpenOptions = ServerOptions & { readonly viewer?: boolean; readonly print?: boolean };

export function registerOpen(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('open')
        .description('open the page in a browser, with a link that works once, for five minutes')
        .option('--viewer', 'a log-in that may look, but not decide')
        .option('--print', 'only print the link'),
    ),
    [
      ['holter open', 'look at the fleet'],
      ['holter open --viewer --print', 'a link for somebody who only looks'],
    ],
  ).action((options: OpenOptions) => open(io, options));
}

async function open(io: Io, options: OpenOptions): Promise<void> {
  refuseAgents(io, 'open');
  // The link is a secret and must not end up in a log or a pipe.
  if (!io.isTerminal) {
    throw new CliFailure(
      'the link is a secret, so it is printed only on a terminal',
      'run `holter open` in a terminal',
    );
  }
  const link = await loginLink(findServer(io, options, 'operator'), options.viewer ? 'viewer' : 'operator');
  io.out(`${link}\n${painter(io)('dim', 'It works once, for five minutes.')}\n`);
  if (!options.print) showInBrowser(io, link);
}

type Server = Parameters<typeof ask>[0];

/** The secret is in the fragment, which browsers do not send to servers. */
export async function loginLink(server: Server, role: 'viewer' | 'operator'): Promise<string> {
  const { path } = await ask(server, (client) => client.makeLoginSecret({ role }));
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
