import { type AlertPage, realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, refuseAgents, withServer } from '../client/connection.ts';
import { EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { ago, until } from '../terminal/words.ts';

export function registerAlerts(program: Command, io: Io): void {
  const alerts = program.command('alerts').description('list alerts and channels, and test the channels');

  withExamples(
    withServer(
      alerts
        .command('list')
        .description('open alerts, channels with their last delivery, and maintenance windows')
        .option('--json', 'print JSON'),
    ),
    [['holter alerts list', 'which alerts are open, and whether they are delivered']],
  ).action((options: PrintOptions) => list(io, options));

  withExamples(
    withServer(
      alerts
        .command('test')
        .description('send a test notice; exit code 3 when one did not go out')
        .argument('[channel]', 'one channel instead of all of them')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter alerts test', 'through every channel'],
      ['holter alerts test phone', 'through one'],
    ],
  ).action((channel: string | undefined, options: PrintOptions) => test(io, channel, options));
}

async function test(io: Io, channel: string | undefined, options: PrintOptions): Promise<void> {
  refuseAgents(io, 'alerts test');
  const { results } = await ask(findServer(io, options, 'operator'), (client) => client.testAlerts(channel));
  if (results.some(({ isSent }) => !isSent)) io.setExitCode(EXIT.foundWrong);
  if (options.json) return io.out(`${JSON.stringify(results)}\n`);
  if (results.length === 0) return io.out(NO_CHANNELS);
  const paint = painter(io);
  for (const { channel: name, isSent, detail } of results)
    io.out(`${isSent ? paint('green', 'sent  ') : paint('red', 'failed')}  ${name}: ${detail}\n`);
}

const NO_CHANNELS = 'no channels are defined: see docs/alerts.md\n';

async function list(io: Io, options: PrintOptions): Promise<void> {
  const page = await ask(findServer(io, options, 'viewer'), (client) => client.alerts());
  if (options.json) return io.out(`${JSON.stringify(page)}\n`);
  const { channels, alerts, windows, warnings } = page;
  const paint = painter(io);
  const now = realClock().now();
  if (channels.length === 0) io.out(NO_CHANNELS);
  else
    io.out(
      table(
        CHANNEL_COLUMNS,
        channels.map((each) => channelRow(each, now)),
        io.width,
        paint,
      ),
    );
  for (const warning of warnings) io.out(`${paint('yellow', 'warning')}  ${warning}\n`);
  for (const { group, until: end, by, reason } of windows)
    io.out(`group ${group} is in maintenance, which ends ${until(end, now)} (${by}: ${reason})\n`);
  io.out(alerts.length === 0 ? 'no open alerts\n' : '\n');
  if (alerts.length > 0)
    io.out(
      table(
        ALERT_COLUMNS,
        alerts.map((each) => alertRow(each, now)),
        io.width,
        paint,
      ),
    );
}

type Now = ReturnType<ReturnType<typeof realClock>['now']>;

const CHANNEL_COLUMNS = [
  { title: 'CHANNEL' },
  { title: 'TYPE' },
  { title: 'STATE' },
  { title: 'LAST SENT' },
  { title: 'LAST FAILURE', canShrink: true as const },
];

function channelRow(channel: AlertPage['channels'][number], now: Now) {
  const { name, type, state, lastPostedAt, lastFailure, lastFailedAt } = channel;
  const colour = { ok: 'green', failing: 'red', unused: 'dim' } as const;
  const failure = lastFailure === null ? '' : `${ago(lastFailedAt, now)}: ${lastFailure}`;
  return [name, type, { text: state, colour: colour[state] }, ago(lastPostedAt, now), failure];
}

const ALERT_COLUMNS = [
  { title: 'TOPIC' },
  { title: 'ABOUT', canShrink: true as const },
  { title: 'TOLD' },
  { title: 'TO', canShrink: true as const },
  { title: '' },
];

function alertRow(alert: AlertPage['alerts'][number], now: Now) {
  const { topic, about, group, toldAt, channels, isAcknowledged } = alert;
  const agents = about.flatMap(({ agentId }) => agentId ?? []);
  const subject = agents.length > 0 ? agents.join(', ') : (group ?? about[0]?.summary ?? '');
  const note = isAcknowledged ? 'acknowledged' : about.length === 0 ? 'ending' : '';
  return [topic, subject, ago(toldAt, now), channels.join(', '), note];
}
