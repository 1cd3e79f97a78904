import type { CallOptions, Reply, TestServer } from '../http/kit.ts';

export const OWN = 'ecos-chief-of-staff';

export const letterOf = (from: string, to: string, rest: object = {}) => ({
  from,
  to,
  subject: 'about it',
  content: { type: 'request', message: 'please' },
  ...rest,
});

type Listed = { readonly id: string; readonly from: string; readonly [field: string]: unknown };

/** Calls of the message server, with a token or without. */
export class Mail {
  private readonly url: string;
  private readonly token: string | null;

  constructor(server: TestServer, token: string | null, url = server.url) {
    this.token = token;
    this.url = url;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    const json = JSON.parse(text) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, text, json };
  }

  send(from: string, to: string, rest: object = {}): Promise<Reply> {
    return this.call('POST', '/api/messages', { body: letterOf(from, to, rest) });
  }

  async list(agent: string, more = ''): Promise<readonly Listed[]> {
    const { json } = await this.call('GET', `/api/messages?agent=${agent}${more}`);
    return json.messages as readonly Listed[];
  }

  read(agent: string, id: string): Promise<Reply> {
    return this.call('GET', `/api/messages?agent=${agent}&id=${id}`);
  }

  mark(agent: string, id: string, action: string): Promise<Reply> {
    return this.call('PATCH', `/api/messages?agent=${agent}&id=${id}&action=${action}`);
  }

  static async register(server: TestServer, agentId: string, instanceId = 'i'): Promise<Mail> {
    const enroll = server.client(server.tokens.enroll);
    const { token } = await enroll.register({ agentId, instanceId });
    return new Mail(server, token);
  }
}

/** All letters that are stored for these names. */
export async function lettersOf({ store }: TestServer, ...names: readonly string[]): Promise<number> {
  const counts = await Promise.all(names.map((of) => store.countLetters({ of, box: 'inbox' })));
  return counts.reduce((sum, { total }) => sum + total, 0);
}
