import { readFile } from 'node:fs/promises';
import type { Client, LetterPage, LetterView } from '@holter/server/local';
import { type Command, Option } from 'commander';
import { ask } from '../client/ask.ts';
import { type Connection, findServer, type PrintOptions, withServer } from '../client/connection.ts';
import { takeLetters } from '../client/letters.ts';
import { printUntilStopped } from '../client/print-until-stopped.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter, printable } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { counted } from '../terminal/words.ts';
import { OVERSEER } from '../town/town.ts';

type BoxOptions = PrintOptions & { readonly box?: string };
type ListOptions = BoxOptions & {
  readonly sent?: boolean;
  readonly unread?: boolean;
  readonly all?: boolean;
  readonly follow?: boolean;
};
type SendOptions = PrintOptions & {
  readonly from?: string;
  readonly subject: string;
  readonly message?: string;
  readonly content?: string;
  readonly priority: 'urgent' | 'high' | 'normal' | 'low';
  readonly type?: string;
  readonly replyTo?: string;
};
type CheckOptions = BoxOptions & { readonly inject?: boolean };

const BOX = 'whose box (default: your own; in the terminal of an agent, the one of the agent)';

/** Letters in one answer of the server, at most. */
const PAGE = 1_000;

/** `holter mail`: the post office for people, hooks and scripts. */
export function registerMail(program: Command, io: Io): void {
  const mail = program.command('mail').description('read and write letters to and from agents');
  const command = (name: string, does: string): Command =>
    withServer(mail.command(name).description(does).option('--json', 'print JSON'));

  withExamples(
    command('list', 'list the letters of a box, newest first')
      .option('--box <name>', BOX)
      .option('--sent', 'letters from this name instead of letters to it')
      .option('--unread', 'only letters that were not read')
      .option('--all', 'all letters, not only the newest 25')
      .addOption(
        new Option(
          '-f, --follow',
          'the unread letters, oldest first, and each that comes, until Ctrl-C',
        ).conflicts(['sent', 'all']),
      ),
    [
      ['holter mail list --unread', 'what was written to you'],
      ['holter mail list --follow', 'and what is written from now on'],
      ['holter mail list --box worker-7', 'letters to an agent'],
    ],
  ).action((options: ListOptions) => list(io, options));

  withExamples(
    command('read', 'show a letter; in your own box and the one of the overseer it then counts as read')
      .argument('<id>', 'the id of the letter')
      .option('--box <name>', BOX),
    [['holter mail read msg-1737000000000-4f6b2c9d1e0a', 'one letter, whole']],
  ).action((id: string, options: BoxOptions) => read(io, id, options));

  withExamples(
    command('send', 'write to an agent')
      .argument('<to>', 'the id of the agent')
      .requiredOption('-s, --subject <text>', 'what it is about')
      .option('-m, --message <text>', 'what it says')
      .option('--content <json>', 'more than words: a JSON object, or @FILE that holds one')
      .addOption(
        new Option('--priority <word>', 'how long its acknowledgement may take')
          .choices(['urgent', 'high', 'normal', 'low'])
          .default('normal'),
      )
      .option('--type <word>', 'the type of its content (default: that of --content, else request)')
      .option('--reply-to <id>', 'the letter that it answers')
      .option('--from <name>', 'send under another name'),
    [
      [
        'holter mail send worker-7 -s "Tests" -m "Please run them again." --priority high',
        'within 5 minutes',
      ],
      ['holter mail send worker-7 -s Handoff --content @handoff.json', 'an emergency handoff'],
    ],
  ).action((to: string, options: SendOptions) => send(io, to, options));

  withExamples(
    command('ack', 'acknowledge a letter')
      .argument('<id>', 'the id of the letter')
      .option('--box <name>', BOX),
    [['holter mail ack msg-1737000000000-4f6b2c9d1e0a', 'its sender sees that it has arrived']],
  ).action(async (id: string, options: BoxOptions) => {
    const connection = findServer(io, options, 'operator');
    const answer = await ask(connection, (client) => client.markLetter(id, 'acknowledge', options.box));
    io.out(options.json ? `${JSON.stringify(answer)}\n` : `acknowledged ${id}\n`);
  });

  withExamples(
    command('check', 'say how many letters are unread, and nothing when there are none')
      .option('--box <name>', BOX)
      .option(
        '--inject',
        'print the letters of verified senders, for the context of an agent; fails silently',
      ),
    [
      ['holter mail check', 'how many letters are unread'],
      ['holter mail check --inject', 'in a hook whose output an agent reads'],
    ],
  ).action((options: CheckOptions) => check(io, options));
}

async function list(io: Io, options: ListOptions): Promise<void> {
  const { box, sent, unread, all, follow, json, ...server } = options;
  const connection = findServer(io, server, 'viewer');
  if (follow)
    return printUntilStopped(
      io,
      connection,
      (client, more) => client.followLetters(box, more),
      (letter) => io.out(`${json ? JSON.stringify(letter) : lineOf(letter)}\n`),
    );
  const wanted: Wanted = {
    agent: box,
    box: sent ? 'sent' : 'inbox',
    status: unread ? 'unread' : undefined,
  };
  const { messages, limit } = all
    ? { messages: await allLetters(connection, wanted), limit: null }
    : await ask(connection, (client) => client.letters(wanted));
  if (json) return io.out(`${JSON.stringify(messages)}\n`);
  if (messages.length === 0) return io.out('no letters\n');
  const rows = messages.map((each) => [
    each.id,
    each.timestamp,
    `${sent ? each.to : each.from}${each.fromVerified ? '' : ' (unverified)'}`,
    each.priority,
    each.acknowledgedAt === null ? each.status : 'acknowledged',
    each.subject,
  ]);
  const titles = ['id', 'sent', sent ? 'to' : 'from', 'priority', 'status'];
  const columns = [...titles.map((title) => ({ title })), { title: 'subject', canShrink: true as const }];
  io.out(table(columns, rows, io.width, painter(io)));
  if (messages.length === limit) io.err(`the newest ${limit}; to see all: holter mail list --all\n`);
}

type Wanted = NonNullable<Parameters<Client['letters']>[0]>;

/** Page by page. */
async function allLetters(connection: Connection, wanted: Wanted): Promise<LetterPage['messages']> {
  const letters: LetterPage['messages'] = [];
  for (;;) {
    const before = letters.at(-1)?.id;
    const { messages } = await ask(connection, (client) =>
      client.letters({ ...wanted, limit: String(PAGE), before }),
    );
    letters.push(...messages);
    if (messages.length < PAGE) return letters;
  }
}

const lineOf = ({ id, timestamp, from, fromVerified, priority, subject }: LetterView): string =>
  printable(`${timestamp} ${from}${fromVerified ? '' : ' (unverified)'} ${priority} ${subject} (${id})`);

async function read(io: Io, id: string, { box, json, ...options }: BoxOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const letter = await ask(connection, (client) => client.letter(id, box));
  const isOwn = box === undefined || box === OVERSEER;
  if (isOwn) await ask(connection, (client) => client.markLetter(id, 'read', box));
  if (json) return io.out(`${JSON.stringify(letter)}\n`);
  const { type, message, ...rest } = letter.content;
  const more = Object.keys(rest).length > 0 ? `${JSON.stringify(rest)}\n` : '';
  io.out(
    `${letter.from}${letter.fromVerified ? '' : ' (unverified)'} to ${letter.to}, ${letter.timestamp}, ${letter.priority}\n` +
      `${printable(letter.subject)} (${printable(type)})\n\n${linesOf(message)}\n${printable(more)}`.trimEnd() +
      '\n',
  );
}

async function send(io: Io, to: string, options: SendOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const { subject, priority, replyTo, from, json } = options;
  const content = await contentOf(options);
  const answer = await ask(connection, (client) =>
    client.sendLetter({
      to,
      subject,
      priority,
      content,
      ...(from !== undefined && { from }),
      ...(replyTo !== undefined && { inReplyTo: replyTo }),
    }),
  );
  io.out(json ? `${JSON.stringify(answer)}\n` : `sent ${answer.id}\n`);
}

/** What the words on the command line say goes before what the JSON says. */
async function contentOf({ content = '{}', message, type }: SendOptions) {
  const text = content.startsWith('@') ? await readFile(content.slice(1), 'utf8').catch(unreadable) : content;
  const given = objectOf(text);
  const words = message ?? given.message;
  if (typeof words !== 'string')
    throw new CliFailure('a letter says something: -m TEXT, or `message` in --content', null, EXIT.usage);
  return { ...given, type: type ?? String(given.type ?? 'request'), message: words };
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // As what is no object.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CliFailure('--content is a JSON object, or @FILE that holds one', null, EXIT.usage);
  return value as Record<string, unknown>;
}

function unreadable(error: NodeJS.ErrnoException): never {
  throw new CliFailure(`--content: ${error.path ?? 'the file'} can't be read (${error.code})`);
}

async function check(io: Io, { inject, box, json, ...options }: CheckOptions): Promise<void> {
  try {
    const connection = findServer(io, options, 'operator');
    if (json) {
      const letters = await allLetters(connection, { agent: box, status: 'unread' });
      return io.out(`${JSON.stringify(letters)}\n`);
    }
    if (inject) return io.out(await takeLetters(connection, box));
    const { count } = await ask(connection, (client) => client.unreadLetters({ agent: box }));
    if (count > 0) io.out(`${counted(count, 'unread letter')}: holter mail list --unread\n`);
  } catch (error) {
    // A hook must not disturb the agent that it belongs to.
    if (!inject || !(error instanceof CliFailure)) throw error;
  }
}

/** Line by line, because control characters could change the user's terminal. */
const linesOf = (text: string): string => text.split('\n').map(printable).join('\n');
