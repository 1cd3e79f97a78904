import type { LifecycleAction, LifecycleRequest } from '@holter/core';
import type { Violation } from '../audit/violation.ts';
import { Random } from '../base/random.ts';
import { ChainJudge } from './chain-judge.ts';
import { SimBoot } from './sim-boot.ts';
import { Killed, SimDaemon } from './sim-daemon.ts';
import { TrueDeacon } from './true-deacon.ts';
import { TrueMember } from './true-member.ts';
import { TrueServer } from './true-server.ts';
import { DAY, HOUR, Machine, MINUTE, SECOND } from './truth.ts';

type ChainScenario = { readonly seed: number; readonly days: number };

type ChainRun = {
  readonly scenario: ChainScenario;
  readonly violations: readonly Violation[];
  /** Ticks of the daemon. */
  readonly events: number;
  /** How often what happened. */
  readonly seen: ReadonlyMap<string, number>;
};

export const defaultChainScenario: ChainScenario = { seed: 1, days: 30 };

const MEMBERS = ['agent:witness', 'agent:refinery'] as const;
const STREAMS = 4_000_000;
const STEP_MS = 5 * SECOND;
const TICK_MS = 3 * MINUTE;
const RECOVERING_MS = 30 * SECOND;
/** How often each fault comes, on average. */
const FAULT_EVERY_MS = 14 * HOUR;
/** A daemon that was killed is started again by its service manager. */
const DAEMON_DOWN_MS = [5 * SECOND, 2 * MINUTE] as const;
/** Somebody changes its settings, and starts it anew each time. */
const RESTARTED_MS = [5 * SECOND, 30 * SECOND] as const;

/**
 * A town with its chain: the rules of the product look after a server and a Deacon that are killed, frozen, slow or
 * replaced, on a machine that sleeps, whose clock is set and whose tmux dies. The rules see only what looks show.
 */
class ChainSimulation {
  private readonly scenario: ChainScenario;
  private readonly random: Random;
  private readonly machine = new Machine();
  private readonly judge = new ChainJudge(this.machine);
  private readonly server: TrueServer;
  private readonly deacon: TrueDeacon;
  private readonly members: readonly TrueMember[];
  private readonly boot: SimBoot;
  private readonly daemon: SimDaemon;
  /** What comes when. */
  private readonly plan = new Map<string, number>();
  private readonly faults: Readonly<Record<string, () => void>>;
  /** Set back by a person or by the machine itself. */
  private readonly later: { readonly at: number; readonly act: () => void }[] = [];
  private ticks = 0;
  private tickAt = 0;
  private lookAt = Number.POSITIVE_INFINITY;
  /** So many more ticks are each the last of their daemon. */
  private restartsLeft = 0;

  constructor(scenario: ChainScenario) {
    this.scenario = scenario;
    const stream = (n: number): Random => new Random(scenario.seed, STREAMS + n);
    this.random = stream(0);
    const { machine, judge } = this;
    this.server = new TrueServer(machine, stream(1));
    this.deacon = new TrueDeacon(machine, stream(2));
    this.members = MEMBERS.map((name, n) => new TrueMember(name, machine, stream(4 + n)));
    const { server, deacon, members } = this;
    this.boot = new SimBoot({ machine, judge, server, deacon });
    this.daemon = new SimDaemon({
      ...{ machine, judge, server, deacon, members, boot: this.boot },
      random: stream(3),
      pass: () => this.step(),
    });
    this.faults = this.faultsOf();
    for (const name of Object.keys(this.faults)) this.planFault(name);
  }

  run(): ChainRun {
    const end = this.scenario.days * DAY;
    while (this.machine.now < end) {
      this.step();
      if (this.machine.now >= this.tickAt) this.runDaemon(() => this.tick());
      else if (this.machine.now >= this.lookAt) this.runDaemon(() => this.daemon.lookAgain());
    }
    const { scenario, ticks: events } = this;
    return { scenario, events, violations: this.judge.violations, seen: this.judge.seen };
  }

  private step(): void {
    const { machine, server, deacon } = this;
    machine.pass(STEP_MS);
    server.step(STEP_MS);
    deacon.step(STEP_MS);
    for (const member of this.members) member.step();
    for (const { at, act } of this.later.splice(0))
      if (machine.now >= at) act();
      else this.later.push({ at, act });
    for (const [name, at] of this.plan) {
      if (machine.now < at) continue;
      this.planFault(name);
      this.faults[name]?.();
      this.judge.count(name);
    }
  }

  private tick(): void {
    this.ticks += 1;
    this.tickAt = this.machine.now + TICK_MS;
    this.daemon.tick();
    if (this.restartsLeft === 0) return;
    this.restartsLeft -= 1;
    this.tickAt = this.machine.now + this.random.between(...RESTARTED_MS);
    this.daemon.startAgain();
  }

  private runDaemon(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.tickAt = this.machine.now + this.random.between(...DAEMON_DOWN_MS);
      this.daemon.startAgain();
    }
    this.lookAt = this.daemon.isRecovering ? this.machine.now + RECOVERING_MS : Number.POSITIVE_INFINITY;
  }

  private planFault(name: string): void {
    this.plan.set(name, this.machine.now + this.random.exponential(FAULT_EVERY_MS));
  }

  private after(low: number, high: number, act: () => void): void {
    this.later.push({ at: this.machine.now + this.random.between(low, high), act });
  }

  private in(low: number, high: number): number {
    return this.machine.now + this.random.between(low, high);
  }

  /** A person asks for it; the daemon hears of it at once, later, or too late. */
  private ask(name: LifecycleRequest['name'], action: LifecycleAction): void {
    const { daemon, random, deacon, members } = this;
    const target = name === 'deacon' ? deacon : members.find((each) => each.name === name);
    const process = target?.process?.incarnation ?? null;
    const request = { action, name, process, by: 'ada', reason: 'because', at: daemon.now };
    this.after(0, random.chance(0.7) ? 0 : 15 * MINUTE, () => daemon.asked.push(request));
    if (action === 'shutdown') this.after(MINUTE, 3 * HOUR, () => this.ask(name, 'resume'));
  }

  private restartInRow(): void {
    this.restartsLeft = 2 + this.random.below(6);
    this.tickAt = this.machine.now;
  }

  private faultsOf(): Readonly<Record<string, () => void>> {
    const { machine, server, deacon, boot, daemon, random, members, judge } = this;
    const anyOf = (): LifecycleRequest['name'] => random.pick(['deacon', ...MEMBERS] as const);
    const forMember = (act: (member: TrueMember) => void) => () => {
      const member = random.pick(members);
      if (member.process) act(member);
    };
    const forServer = (act: (process: NonNullable<TrueServer['process']>) => void) => () => {
      if (server.process?.condition === 'well') act(server.process);
    };
    const forDeacon = (act: (process: NonNullable<TrueDeacon['process']>) => void) => () => {
      if (deacon.process?.condition === 'well') act(deacon.process);
    };
    const die = (): void => {
      server.process = null;
    };
    return {
      'server killed': forServer(die),
      'server stopped': forServer((process) =>
        process.become('stopped', random.chance(0.4) ? this.in(SECOND, 15 * MINUTE) : undefined),
      ),
      'server wedged': forServer((process) =>
        process.become('wedged', random.chance(0.4) ? this.in(SECOND, 15 * MINUTE) : undefined),
      ),
      'server slow': forServer((process) => process.become('slow', this.in(MINUTE, HOUR))),
      'server spins': forServer((process) => process.become('spinning', this.in(2 * HOUR, 8 * HOUR))),
      'server stopped on purpose': forServer(() => {
        server.process = null;
        server.isStoppedOnPurpose = true;
        this.after(MINUTE, 2 * HOUR, () => {
          if (!server.process) server.start();
        });
      }),
      'server replaced': () => server.start(),
      'server crash loop': forServer(() => {
        die();
        server.crashesLeft = 3 + random.below(8);
      }),
      'deacon killed': forDeacon(() => deacon.die(random.chance(0.5))),
      'deacon stopped': forDeacon((process) =>
        process.become('stopped', random.chance(0.4) ? this.in(SECOND, 40 * MINUTE) : undefined),
      ),
      'deacon wedged': forDeacon((process) =>
        process.become('wedged', random.chance(0.4) ? this.in(SECOND, 40 * MINUTE) : undefined),
      ),
      'deacon sleepy': forDeacon((process) => {
        process.become('sleepy');
        // Somebody notices, and tries to help.
        if (random.chance(0.3)) this.after(14 * MINUTE, 20 * MINUTE, () => this.restartInRow());
      }),
      'deacon at its usage limit': forDeacon((process) => {
        if (deacon.isAgent) deacon.reachLimit(process, this.in(MINUTE, 5 * HOUR), random.chance(0.5));
      }),
      'deacon slow': forDeacon((process) => process.become('slow', this.in(MINUTE, 3 * HOUR))),
      'deacon asking': forDeacon((process) => {
        if (deacon.isInPane) process.become('asking', this.in(MINUTE, 5 * HOUR));
      }),
      'deacon replaced': () => deacon.start(),
      'deacon crash loop': forDeacon(() => {
        deacon.die(false);
        deacon.crashesLeft = 3 + random.below(8);
      }),
      'deacon of another kind': () => {
        if (!deacon.process) deacon.isAgent = !deacon.isAgent;
      },
      'deacon handed over': forDeacon(() => deacon.handOver()),
      'member killed': forMember((member) => {
        member.process = null;
      }),
      'member ended by itself': forMember((member) => member.stop('meant')),
      'member terminated by a person': forMember((member) => {
        member.stop({ by: 'ada', reason: 'enough', at: daemon.now });
        judge.down.add(member.name);
        this.after(MINUTE, 3 * HOUR, () => this.ask(member.name, 'resume'));
      }),
      'member crash loop': forMember((member) => {
        member.process = null;
        member.crashesLeft = 3 + random.below(8);
      }),
      'member started by hand': () => {
        const member = random.pick(members);
        // An order of which the daemon has not heard is over then.
        if (!daemon.isDown(member.name)) judge.down.delete(member.name);
        member.start();
      },
      'a restart is wanted': () => this.ask(anyOf(), 'restart'),
      'a cycle is wanted': () => this.ask(anyOf(), 'cycle'),
      'a shutdown is wanted': () => this.ask(anyOf(), 'shutdown'),
      'letter for the deacon': () => {
        deacon.letters += 1;
      },
      'heartbeat torn': () => {
        deacon.damage = 'torn';
        deacon.damagedUntil = this.in(SECOND, 2 * HOUR);
      },
      'heartbeat of the future': () => {
        deacon.damage = 'future';
        deacon.damagedUntil = this.in(SECOND, 2 * HOUR);
      },
      'triage crashes': () => {
        boot.nextFault = 'crash';
      },
      'triage hangs': () => {
        boot.nextFault = 'hang';
      },
      'daemon killed': () => {
        daemon.diesAfter = 1 + random.below(6);
      },
      'daemon restarted in a row': () => this.restartInRow(),
      'machine suspended': () => {
        machine.now += STEP_MS * random.below((10 * HOUR) / STEP_MS);
        this.judge.stalled();
        // Who runs first after a sleep is not known.
        if (random.chance(0.5)) this.tickAt = machine.now;
      },
      'clock set': () => {
        machine.setClock(STEP_MS * (random.below(1_441) - 720));
        this.judge.clockSet();
      },
      'tmux died': () => {
        if (deacon.hasSession) deacon.die(false);
        for (const member of members) member.process = null;
      },
      'tmux missing': () => {
        if (deacon.hasSession) deacon.die(false);
        for (const member of members) member.process = null;
        machine.isWithoutTmux = true;
        this.after(MINUTE, 3 * HOUR, () => {
          machine.isWithoutTmux = false;
        });
      },
      'tmux hung': () => {
        machine.isTmuxHung = true;
        this.after(SECOND, HOUR, () => {
          machine.isTmuxHung = false;
        });
      },
      'acts stopped by a person': () => {
        daemon.isHeld = true;
        this.after(MINUTE, HOUR, () => {
          daemon.isHeld = false;
        });
      },
    };
  }
}

/** The whole scenario with one seed. */
export const runChainSeed = (scenario: ChainScenario): ChainRun => new ChainSimulation(scenario).run();
