import { type Client, ClientError, createClient, type LetterPage } from '@holter/server/local';
import type { Clock } from '@holter/server/process';
import { allAgents } from '../client/all-agents.ts';
import type { Connection } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { counted } from '../terminal/words.ts';
import type { TownSettings } from '../town/settings.ts';
import { BOOT, DEACON, OVERSEER, type Town } from '../town/town.ts';
import { HANDOFF, writeHandoff } from './handoff.ts';
import { checkHealth, type HealthCheck, writeHealthCheck, wrongInRow } from './health-check.ts';
import { lastCycle, writeHeartbeat } from './heartbeat.ts';

type PatrolOptions = {
  readonly town: Town;
  readonly settings: TownSettings;
  readonly clock: Clock;
  /** For dates in files. */
  readonly now: () => number;
  readonly incarnation: string;
  readonly connect: () => Connection;
  readonly say: (line: string) => void;
};

/** The server that is used. `agentToken` is null if the agent `deacon` could not be registered. */
type Link = Connection & { readonly agentToken: string | null };

/** A flood of letters must not become a flood of cycles. */
const CYCLE_MS_MIN = 5_000;
/** The server waits no longer for a letter. */
const WAIT_MS_MAX = 60_000;
/** After a question that was not answered: a connection that was closed meanwhile must not make it deaf for a minute. */
const RETRY_MS = 5_000;
const ANSWER_MS_MAX = 15_000;
const NAMES_MAX = 20;

/**
 * Holter's own Deacon: looks at all agents once a cycle, and writes down what it has seen. It acts on nobody: the server
 * does, through incidents. A letter to it begins the next cycle at once.
 */
export class Patrol {
  private readonly options: PatrolOptions;
  private firstCycle = 1;
  private cycle = 0;
  private lastAction = 'started';
  private health: HealthCheck | null = null;
  private readonly everWrong = new Set<string>();
  private link: Link | null = null;
  private isStopped = false;
  private wake: () => void = () => undefined;
  private noteStopped: () => void = () => undefined;
  private readonly stopped = new Promise<null>((resolve) => {
    this.noteStopped = () => resolve(null);
  });

  constructor(options: PatrolOptions) {
    this.options = options;
  }

  /** Until it is stopped, or until it has handed over to its successor. */
  async run(): Promise<void> {
    const { town, settings, now } = this.options;
    ({ cycle: this.cycle } = await lastCycle(town, now));
    this.firstCycle = this.cycle + 1;
    while (!this.isStopped) {
      const startedAt = now();
      this.cycle += 1;
      await this.beat(startedAt);
      await this.scan();
      await this.beat(startedAt);
      if (this.cycle - this.firstCycle + 1 >= settings.cyclesMax) {
        await this.handOver();
        break;
      }
      await this.untilNext(startedAt);
    }
    await this.leave();
  }

  stop(): void {
    this.isStopped = true;
    this.noteStopped();
    this.wake();
  }

  private beat(at: number): Promise<void> {
    const { town, incarnation } = this.options;
    const { cycle, firstCycle, lastAction, health } = this;
    const cycleOfRun = cycle - firstCycle + 1;
    const healthyAgents = health?.healthy ?? null;
    const unhealthyAgents = health?.unhealthy.length ?? null;
    return writeHeartbeat(
      town,
      { cycle, cycleOfRun, lastAction, healthyAgents, unhealthyAgents },
      at,
      incarnation,
    );
  }

  private async scan(): Promise<void> {
    const { town, now, incarnation } = this.options;
    const isDone = await this.withServer(async (client, link) => {
      if (link.agentToken !== null) await client.heartbeat(DEACON);
      const agents = await allAgents(link, {});
      this.health = checkHealth(
        agents.filter(({ agentId }) => agentId !== DEACON),
        await wrongInRow(town, now),
      );
      for (const agentId of this.health.unhealthy) this.everWrong.add(agentId);
      await writeHealthCheck(town, this.health, now(), incarnation);
      await this.readLetters(client, await client.letters({ agent: DEACON, status: 'unread', limit: '0' }));
      return true;
    });
    this.lastAction = isDone ? 'health-scan' : 'server-unreachable';
    if (!isDone) this.health = null;
  }

  /** It can't reason: what is not for it goes to a person, and everything that it was shown counts as read. */
  private async readLetters(client: Client, { messages }: LetterPage): Promise<void> {
    for (const { id, from, type, fromVerified, subject } of [...messages].reverse()) {
      const isOwn = (from === BOOT && type === 'nudge') || (from === DEACON && type === HANDOFF);
      if (isOwn) this.options.say(`${from}: ${subject}`);
      else if (fromVerified) await passOn(client, id);
      await client.markLetter(id, 'read', DEACON);
    }
  }

  private async handOver(): Promise<void> {
    const { town, now, incarnation, say } = this.options;
    const { cycle, firstCycle, health, everWrong } = this;
    const names = [...everWrong].slice(0, NAMES_MAX).join(', ');
    const message = [
      `${counted(cycle - firstCycle + 1, 'cycle')} (${firstCycle} to ${cycle}).`,
      health ? `Now ${health.healthy} healthy, ${health.unhealthy.length} unhealthy.` : 'No server answers.',
      names === '' ? 'No agent needed attention.' : `Needed attention: ${names}.`,
    ].join(' ');
    const subject = 'Routine cycle';
    await writeHandoff(town, { subject, message, cycle, incarnation }, now());
    const content = { type: HANDOFF, message };
    await this.withServer(async (client) => {
      await client.sendLetter({ from: DEACON, to: DEACON, subject, content, priority: 'normal' });
      return true;
    });
    say(`handed over: ${message}`);
  }

  /** Until the next cycle is due, or a letter comes. */
  private async untilNext(startedAt: number): Promise<void> {
    const { settings, now } = this.options;
    await this.pause(Math.min(settings.cycleMs, CYCLE_MS_MIN));
    for (;;) {
      const leftMs = Math.min(settings.cycleMs - (now() - startedAt), settings.cycleMs);
      if (leftMs <= 0 || this.isStopped) return;
      const waitMs = Math.min(leftMs, WAIT_MS_MAX);
      const seconds = Math.floor(waitMs / 1_000);
      const letters =
        seconds > 0
          ? await Promise.race([
              this.stopped,
              this.withServer((client) =>
                client.letters({ agent: DEACON, status: 'unread', limit: '1', wait: String(seconds) }),
              ),
            ])
          : null;
      if (letters && letters.messages.length > 0) return;
      if (!letters) await this.pause(Math.min(waitMs, RETRY_MS));
    }
  }

  private async leave(): Promise<void> {
    if (this.link?.agentToken === undefined || this.link.agentToken === null) return;
    await this.withServer(async (client) => {
      await client.signal(DEACON, { kind: 'stopped', reason: 'the patrol has ended' });
      return true;
    });
  }

  private pause(ms: number): Promise<void> {
    if (this.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.options.clock.after(ms, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Null if no server answers; the next cycle tries again. */
  private async withServer<T>(ask: (client: Client, link: Link) => Promise<T>): Promise<T | null> {
    try {
      this.link = await this.findLink();
      return await ask(clientOf(this.link), this.link);
    } catch (error) {
      const isAway = error instanceof ClientError || error instanceof CliFailure;
      if (!isAway && (error as Error).name !== 'TimeoutError') throw error;
      this.link = null;
      return null;
    }
  }

  private async findLink(): Promise<Link> {
    const { connect, incarnation, settings, say } = this.options;
    const { url, token } = connect();
    if (this.link?.url === url && this.link.agentToken !== null) return this.link;
    const operator = { url, token, agentToken: null };
    try {
      const registered = await clientOf(operator).register({
        agentId: DEACON,
        instanceId: incarnation,
        group: 'town',
        mode: 'observe',
        promises: { beatEverySeconds: Math.max(5, Math.ceil((2 * settings.cycleMs) / 1_000)) },
      });
      return { url, token, agentToken: registered.token };
    } catch (error) {
      // Its predecessor is not known to be gone yet: the letters can be read all the same.
      if (!(error instanceof ClientError) || error.code === 'unreachable') throw error;
      if (!this.link) say(`not registered: ${error.message}`);
      return operator;
    }
  }
}

function clientOf({ url, token: ofOperator, agentToken }: Link): Client {
  const token = agentToken ?? ofOperator;
  return createClient({ url, timeoutMs: WAIT_MS_MAX + ANSWER_MS_MAX, ...(token !== null && { token }) });
}

async function passOn(client: Client, messageId: string): Promise<void> {
  const note = "The Deacon is a program, and can't answer this letter.";
  await client.forwardLetter({ messageId, from: DEACON, to: OVERSEER, note });
}
