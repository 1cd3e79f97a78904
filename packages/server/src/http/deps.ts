import type { Instant } from '@holter/core';
import type { Logger } from 'pino';
import type { Alerts } from '../alerts/index.ts';
import type { UnreadNotices } from '../channels/index.ts';
import type { Config } from '../config/load.ts';
import type { Ecos } from '../ecos/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import type { ExecutorHub } from '../executors/index.ts';
import type { Intake } from '../intake/index.ts';
import type { Judge } from '../judge/index.ts';
import type { PostOffice } from '../post/index.ts';
import type { HookSessions } from '../sessions/index.ts';
import type { Store } from '../store/store.ts';
import type { Traces } from '../tracing/index.ts';

/** What the HTTP side is given. It starts nothing, owns no clock and no dice. */
export type HttpDeps = {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly store: Store;
  readonly replies: ReplyQueue;
  readonly notices: UnreadNotices;
  readonly alerts: Alerts;
  /** Told about the calls of agents; without it none is traced. */
  readonly traces?: Pick<Traces, 'isOn' | 'heard' | 'answered'>;
  readonly office: PostOffice;
  readonly judge: Judge;
  /** Other ways by which agents and people are reached. */
  readonly reach?: () => { readonly maestroUrl: string | null; readonly ecos: Ecos | null };
  /** For `holter run`; without it nobody outside can carry out effects. */
  readonly executors?: ExecutorHub;
  /** One for each agent kind that reports by hooks. */
  readonly hooks?: readonly HookSessions[];
  readonly clock: Clock;
  /** Where `clock` is not the clock on the wall (a demo runs faster): log-ins and the pace of streams go by this. */
  readonly wall?: Clock;
  /** The built page; without it there is only the API. */
  readonly page?: { readonly folder: string; readonly demoSpeed: number | null };
  /** In hex. */
  readonly sha256: (text: string) => string;
  /** At least 256 bits; whoever presents it is believed. */
  readonly newSecret: () => string;
  readonly newId: () => string;
  /** What the server runs with now. */
  readonly config: () => Config;
  readonly version: string;
  readonly logger: Logger | false;
  readonly limits?: Partial<HttpLimits>;
  /** Names in a `Host` header that are meant for this server, on any port, besides those of the configuration. */
  readonly hosts: readonly string[];
  /** With a certificate it speaks only https. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Whether the server is about to stop. */
  readonly isDraining?: () => boolean;
  readonly startedAt: Instant;
};

/** Limits of the protocol; `Quotas` are those that an operator sets. */
export type HttpLimits = {
  /** Of a JSON body, before and after inflation. One call's input and output together fit well into it. */
  readonly bodyBytesMax: number;
  /** What is kept of a body that is the output of a job. */
  readonly beginningBytesMax: number;
  readonly checkpointBytesMax: number;
  /** Of a whole NDJSON body after inflation; whoever has more sends two. */
  readonly batchBytesMax: number;
  readonly lineBytesMax: number;
  /** A signal's input may be 32 deep (core), and stands a few levels down in its body. */
  readonly depthMax: number;
  /** For a request to arrive as a whole. A sender that trickles holds a socket, and this is how long. */
  readonly requestMsMax: number;
  /** Tokens that nobody knows, per address: guessing must not become work for the store. */
  readonly failedLoginsPerSecond: number;
  /** What may wait in memory for one listener of the event stream. */
  readonly streamBytesMax: number;
  /** How long a listener may take nothing before it is sent away. */
  readonly streamStallMs: number;
};

export const limitDefaults: HttpLimits = {
  bodyBytesMax: 1024 * 1024,
  beginningBytesMax: 4 * 1024,
  checkpointBytesMax: 4 * 1024 * 1024,
  batchBytesMax: 256 * 1024 * 1024,
  lineBytesMax: 1024 * 1024,
  depthMax: 40,
  requestMsMax: 30_000,
  failedLoginsPerSecond: 50,
  streamBytesMax: 1024 * 1024,
  streamStallMs: 30_000,
};
