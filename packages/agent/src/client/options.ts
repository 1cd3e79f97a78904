import { isAgentId } from '@holter/core';
import { checkPositive, OptionError, refuseUnknown } from '../option-error.ts';

/**
 * What `connect` takes. Under `holter run` no option is needed: without a token of its own, the client reports for the
 * agent of the run, whatever `agentId` says.
 */
export type ConnectOptions = {
  /** Who this is: 1 to 128 of A-Z a-z 0-9 . _ @ : - @default HOLTER_AGENT_ID */
  readonly agentId?: string;
  /** Which profile of the server it is judged by, such as `active-development`. @default 'default' */
  readonly role?: string;
  /** The task it works on now. @default none */
  readonly taskId?: string;
  /** The group of agents that it belongs to. @default 'default' */
  readonly group?: string;
  /** Where the server is. @default HOLTER_URL, else the server that runs on this user's data folder */
  readonly url?: string;
  /** A token that may register agents (`enroll`), or this agent's own. @default HOLTER_TOKEN, else that of the data folder */
  readonly token?: string;
  /** What the agent is judged by besides its beats. @default nothing */
  readonly promises?: AgentPromises;
  /**
   * What Holter may do to it. `terminate` needs an operator's token: the agent is then asked to stop, through `onStop`,
   * and has to end by itself. @default ['nudge']
   */
  readonly can?: readonly ('nudge' | 'terminate')[];
  /** How often it beats, in milliseconds; the server is promised the same. @default 30000 */
  readonly beatEveryMs?: number;
  /** Beats of the host within this time are sent as one, the newest. @default 1000 */
  readonly beatThrottleMs?: number;
  /**
   * While the agent has work, beats stop this long after its last report, unless a call is open: a running event
   * loop does not prove that the agent is working. @default 240000
   */
  readonly beatsBackedForMs?: number;
  /** Signals that are queued while the server is away; beyond this the oldest are dropped and counted. @default 1000 */
  readonly bufferMax?: number;
  /** How long one request may take. @default 10000 */
  readonly requestTimeoutMs?: number;
  /** How long `checkpoint` waits for the server before it says that nothing was written. @default 30000 */
  readonly checkpointTimeoutMs?: number;
  /** The thread that notices a blocked event loop and tells the server. See `startWatchdog`. @default 'report' */
  readonly watchdog?: 'report' | 'exit' | 'off';
  /** The key of the start that Holter ordered, for agents that it spawned. @default none */
  readonly spawnKey?: string;
};

export type AgentPromises = {
  /** Reports its tool calls; silence of an agent with work is then held against it. */
  readonly calls?: boolean | { readonly modelTimeoutSeconds: number };
  readonly turns?: boolean;
  readonly tasks?: boolean;
  readonly checkpoints?: boolean;
  readonly verdicts?: boolean;
};

/** The start of the agent that `holter run` has registered for this process. */
type JoinedRun = { readonly incarnation: number; readonly token: string };

export type FullOptions = Required<Omit<ConnectOptions, 'taskId' | 'token' | 'spawnKey' | 'promises'>> & {
  /** Null outside `holter run`: the client registers the agent itself. */
  readonly joined: JoinedRun | null;
  /** Neither options nor environment name a server: the client looks for one in the data folder. */
  readonly isLocal: boolean;
  readonly taskId: string | null;
  readonly token: string | null;
  readonly spawnKey: string | null;
  readonly promises: AgentPromises;
};

const DEFAULTS = {
  role: 'default',
  group: 'default',
  promises: {},
  can: ['nudge'],
  beatEveryMs: 30_000,
  beatThrottleMs: 1_000,
  beatsBackedForMs: 240_000,
  bufferMax: 1_000,
  requestTimeoutMs: 10_000,
  checkpointTimeoutMs: 30_000,
  watchdog: 'report',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

export function readOptions(given: ConnectOptions, env: Environment): FullOptions {
  refuseUnknown(
    given,
    ['agentId', 'taskId', 'url', 'token', 'spawnKey', ...Object.keys(DEFAULTS)],
    'connect',
  );
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const joined = joinedRun(given, env);
  const options = {
    ...DEFAULTS,
    agentId: env.HOLTER_AGENT_ID,
    taskId: null,
    spawnKey: null,
    url: env.HOLTER_URL || 'http://127.0.0.1:4658',
    token: env.HOLTER_TOKEN || null,
    ...named,
    ...(joined && { agentId: env.HOLTER_AGENT_ID, url: env.HOLTER_URL }),
    joined,
    isLocal: !joined && !(given.url ?? env.HOLTER_URL) && !(given.token ?? env.HOLTER_TOKEN),
  } as unknown as FullOptions;
  check(options);
  return options;
}

/** A token in the options is for another agent or another server, so the client then registers by itself. */
function joinedRun(given: ConnectOptions, env: Environment): JoinedRun | null {
  const { HOLTER_RUN_ID, HOLTER_AGENT_ID, HOLTER_URL, HOLTER_TOKEN: token } = env;
  const incarnation = Number(env.HOLTER_INCARNATION);
  if (!HOLTER_RUN_ID || !HOLTER_AGENT_ID || !HOLTER_URL || !token || !(incarnation > 0)) return null;
  return given.token === undefined && given.url === undefined ? { incarnation, token } : null;
}

function check(options: FullOptions): void {
  if (typeof options.agentId !== 'string' || !isAgentId(options.agentId))
    bad('agentId', '1 to 128 of A-Z a-z 0-9 . _ @ : -');
  for (const field of ['role', 'group'] as const)
    if (typeof options[field] !== 'string' || !isAgentId(options[field]))
      bad(field, 'a name like an agentId');
  for (const field of ['taskId', 'token', 'spawnKey'] as const)
    if (options[field] !== null && (typeof options[field] !== 'string' || options[field] === ''))
      bad(field, 'a text that is not empty');
  if (!isHttpUrl(options.url)) bad('url', 'an address that begins with http:// or https://');
  if (typeof options.promises !== 'object' || options.promises === null) bad('promises', 'an object');
  const isKnown = (what: unknown): boolean => what === 'nudge' || what === 'terminate';
  if (!Array.isArray(options.can) || !options.can.every(isKnown)) bad('can', 'a list of nudge and terminate');
  for (const field of TIMES) checkPositive(options[field], field);
  if (options.beatEveryMs < BEAT_EVERY_MIN) bad('beatEveryMs', `at least ${BEAT_EVERY_MIN}`);
  if (!Number.isSafeInteger(options.bufferMax) || options.bufferMax < 1)
    bad('bufferMax', 'a whole number from 1');
  if (!['report', 'exit', 'off'].includes(options.watchdog)) bad('watchdog', 'report, exit or off');
}

const TIMES = [
  'beatEveryMs',
  'beatThrottleMs',
  'beatsBackedForMs',
  'requestTimeoutMs',
  'checkpointTimeoutMs',
] as const;

/** The server accepts no shorter interval. */
const BEAT_EVERY_MIN = 100;

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  return /^https?:$/.test(new URL(value).protocol);
}

function bad(field: string, allowed: string): never {
  throw new OptionError('bad_option', `${field} must be ${allowed}`, field);
}
