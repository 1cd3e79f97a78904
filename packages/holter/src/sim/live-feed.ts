import { clock, type SimAgent, type Simulation, type Witness } from '@holter/sim';

type Parameters_<Name extends keyof Witness> = Parameters<Witness[Name]>;

/** How many columns of the strip are remembered; each stands for one frame. */
const STRIP_MAX = 60;
const NEWS_MAX = 200;

/** Collects what the live view shows: the pulse of each agent, and the news. */
export class LiveFeed implements Witness {
  /** One character class per frame: beats, calls, trouble. */
  readonly strips = new Map<number, string>();
  readonly news: string[] = [];
  private unread: string[] = [];
  private readonly pulses = new Map<number, Pulse>();

  delivering(agent: SimAgent, _at: number, packet: Parameters_<'delivering'>[2]): void {
    const pulse = this.pulses.get(agent.slot) ?? 'none';
    const { kind } = packet.signal;
    if (kind === 'call-ended' || kind === 'checkpoint') this.pulses.set(agent.slot, 'work');
    else if (kind === 'heartbeat' && pulse === 'none') this.pulses.set(agent.slot, 'beat');
  }

  folded(
    agent: SimAgent,
    at: number,
    _input: Parameters_<'folded'>[2],
    result: Parameters_<'folded'>[3],
  ): void {
    for (const event of result.events) {
      const line = headline(event);
      if (line !== null) this.tell(at, agent.name, line);
    }
  }

  private tell(at: number, name: string, text: string): void {
    const line = `${clock(at).slice(0, 8)}  ${name.padEnd(22)} ${text}`;
    this.news.push(line);
    this.unread.push(line);
    if (this.news.length > NEWS_MAX) this.news.shift();
  }

  takeNews(): readonly string[] {
    const taken = this.unread;
    this.unread = [];
    return taken;
  }

  /** Moves every strip on by one column. */
  sample({ world }: Simulation): void {
    for (const agent of world.agents) {
      const pulse = this.pulses.get(agent.slot) ?? 'none';
      const mark = !agent.isRunning ? 'x' : pulse === 'work' ? 'w' : pulse === 'beat' ? 'b' : '-';
      this.strips.set(agent.slot, `${this.strips.get(agent.slot) ?? ''}${mark}`.slice(-STRIP_MAX));
      this.pulses.set(agent.slot, 'none');
    }
  }

  enrolled(): void {}
  claimed(): void {}
  deciding(agent: SimAgent, at: number, decision: Parameters_<'deciding'>[2]): void {
    this.tell(
      at,
      agent.name,
      `a person decides: ${decision.decision.replaceAll('_', ' ')} (${decision.reason})`,
    );
  }
  stalled(): void {}
  truthChanged(): void {}
  inspect(): void {}
}

type Pulse = 'none' | 'beat' | 'work';
type LiveEvent = Parameters_<'folded'>[3]['events'][number];

/** What is worth a line; beats and receipts are not. */
function headline(event: LiveEvent): string | null {
  switch (event.type) {
    case 'HEALTH_STATE_CHANGED':
      return `${event.payload.from} → ${event.payload.to}: ${event.payload.evidence || event.payload.reason}`;
    case 'NUDGE_SENT':
      return `nudge ${event.payload.attempt}: ${event.payload.message.split('\n')[0]}`;
    case 'ESCALATION_TRIGGERED':
      return `escalated: ${event.payload.reason}`;
    case 'AGENT_TERMINATED':
      return `terminated: ${event.payload.reason}`;
    case 'RECOVERY_INITIATED':
      return `recovery ${event.payload.attempt} from ${event.payload.fromCheckpoint}`;
    case 'RECOVERY_FAILED':
      return `recovery failed: ${event.payload.reason}`;
    case 'AGENT_RETURNED':
      return `is back after ${Math.round(event.payload.downtimeMs / 60_000)} min`;
    case 'INCIDENT_CLOSED':
      return `incident closed: ${event.payload.reason}`;
    default:
      return null;
  }
}
