import { createServer, type Socket } from 'node:net';
import type { Answering, OtherSide } from '../../src/channels/shared/contract.ts';
import { drip, openOtherSide } from './other-side.ts';

export type StrictSmtp = {
  readonly port: number;
  /** Raw messages, headers first. */
  readonly mails: readonly string[];
  readonly recipients: readonly string[];
  readonly other: OtherSide;
};

/** As much of SMTP as a submission needs: commands in their order, CRLF, dots unstuffed. */
export async function openSmtp(): Promise<StrictSmtp> {
  const mails: string[] = [];
  const recipients: string[] = [];
  const server = createServer((socket) => {
    if (answer() === 'is silent') return;
    if (answer() === 'talks nonsense') return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    serve(socket, {
      say: (line) => {
        if (answer() === 'is slow') void drip(socket, `${line}\r\n`);
        else socket.write(`${line}\r\n`);
      },
      verdict: () => VERDICTS.get(answer()) ?? null,
      recipient: (address) => void recipients.push(address),
      mail: (text) => {
        mails.push(text);
        const key = /^X-Holter-Key: (.+)$/m.exec(text)?.[1];
        if (key) arrived.add(key.trim());
      },
    });
  });
  const { port, other, answer, arrived } = await openOtherSide(server);
  return { port, mails, recipients, other };
}

const VERDICTS: ReadonlyMap<Answering, string> = new Map([
  ['asks to wait', '451 later'],
  ['fails', '451 local error'],
  ['refuses', '550 no such user'],
]);

type Desk = {
  readonly say: (line: string) => void;
  readonly verdict: () => string | null;
  readonly recipient: (address: string) => void;
  readonly mail: (text: string) => void;
};

function serve(socket: Socket, desk: Desk): void {
  const { say } = desk;
  let waiting = '';
  let data: string[] | null = null;
  const take = (line: string): void => {
    if (data) {
      if (line !== '.') return void data.push(line.startsWith('.') ? line.slice(1) : line);
      desk.mail(data.join('\n'));
      data = null;
      return say('250 queued');
    }
    const [verb = ''] = line.toUpperCase().split(' ', 1);
    if (verb === 'EHLO') return say('250 strict');
    if (verb === 'MAIL') return say(desk.verdict() ?? '250 ok');
    if (verb === 'RCPT') {
      desk.recipient(/<(.+)>/.exec(line)?.[1] ?? '');
      return say('250 ok');
    }
    if (verb === 'DATA') {
      data = [];
      return say('354 go on');
    }
    if (verb === 'QUIT') {
      say('221 bye');
      return void socket.end();
    }
    say('502 not known');
  };
  socket.on('data', (chunk) => {
    waiting += chunk.toString('utf8');
    for (let end = waiting.indexOf('\r\n'); end !== -1; end = waiting.indexOf('\r\n')) {
      const line = waiting.slice(0, end);
      waiting = waiting.slice(end + 2);
      take(line);
    }
  });
  say('220 strict ESMTP');
}
