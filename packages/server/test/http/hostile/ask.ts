import type { CallOptions, Reply, TestServer } from '../kit.ts';
import { wire } from '../wire.ts';

/** Who asks in the table: `ada` is the agent's current token, `old` that of its first start. */
export type Tokens = TestServer['tokens'] & {
  readonly ada: string;
  readonly old: string;
  readonly bob: string;
};

export type Hostile = {
  readonly name: string;
  readonly send: (server: TestServer, tokens: Tokens) => Promise<{ status: number; text: string }>;
  readonly status: number;
  /** Of the error, or a word that the answer must hold. */
  readonly code: string;
};

type Who = keyof Tokens | null;

export function ask(
  name: string,
  [method, path]: readonly [string, string],
  who: Who,
  [status, code]: readonly [number, string],
  options: CallOptions = {},
): Hostile {
  return {
    name: `${method} ${path.slice(0, 60)}: ${name}`,
    status,
    code,
    send: (server, tokens): Promise<Reply> =>
      server.call(method, path, { ...options, ...(who && { token: tokens[who] }) }),
  };
}

export function raw(
  name: string,
  [status, code]: readonly [number, string],
  parts: (server: TestServer, tokens: Tokens) => string | readonly (string | Buffer)[],
  options: { isCut?: true } = {},
): Hostile {
  return {
    name,
    status,
    code,
    send: (server, tokens) => wire(server.port, parts(server, tokens), options),
  };
}
