import type { Partition } from '../agents/partition.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { groupOf } from '../base/scenario.ts';
import type { Fault } from './faults.ts';

export interface FaultPort {
  readonly now: number;
  readonly slots: number;
  readonly agents: readonly SimAgent[];
  /** The monitor does nothing for so long. */
  leave(forMs: number, isReload: boolean): void;
  /** Everything stands still for so long. */
  sleep(forMs: number): void;
  healAt(at: number, group: string): void;
  truthChanged(agent: SimAgent): void;
  noise(draw: number): void;
  judgeWrongly(draw: number): void;
  stepWall(byMs: number): void;
}

/** Lets faults happen to the world. */
export class FaultInjector {
  private readonly port: FaultPort;

  constructor(port: FaultPort) {
    this.port = port;
  }

  strike(fault: Fault): void {
    switch (fault.kind) {
      case 'away':
        return this.port.leave(fault.forMs, fault.isReload);
      case 'sleep':
        this.port.sleep(fault.forMs);
        return this.port.leave(fault.forMs, false);
      case 'partition':
        return this.cutOff(this.drawGroup(fault.draw), fault.forMs, fault.partition);
      case 'power':
        return this.powerOff(this.ofGroup(this.drawGroup(fault.draw)));
      case 'blackout':
        if (fault.partition === 'none') return this.powerOff(this.port.agents);
        for (const group of new Set(this.port.agents.map((agent) => agent.group)))
          this.cutOff(group, fault.forMs, fault.partition);
        return;
      case 'clocks':
        this.port.stepWall(fault.wallMs);
        for (const agent of this.ofGroup(this.drawGroup(fault.draw))) agent.clockOffsetMs += fault.hostMs;
        return;
      case 'noise':
        return this.port.noise(fault.draw);
      case 'tickets':
        return this.port.judgeWrongly(fault.draw);
    }
  }

  heal(group: string): void {
    for (const agent of this.ofGroup(group)) {
      agent.groupPartition = 'none';
      this.port.truthChanged(agent);
    }
  }

  private powerOff(agents: readonly SimAgent[]): void {
    for (const agent of agents) if (agent.profile.isLocal) agent.die(null, 'SIGKILL');
  }

  private cutOff(group: string, forMs: number, partition: Partition): void {
    for (const agent of this.ofGroup(group)) {
      agent.groupPartition = partition;
      this.port.truthChanged(agent);
    }
    this.port.healAt(this.port.now + forMs, group);
  }

  private drawGroup(draw: number): string {
    return groupOf(Math.floor(draw * this.port.slots));
  }

  private ofGroup(group: string): readonly SimAgent[] {
    return this.port.agents.filter((agent) => agent.group === group);
  }
}
