import type { Signal } from '@holter/core';
import type { Random } from '../base/random.ts';
import type { Said } from '../world/packet.ts';

type Word = { readonly signal: Signal; readonly origin: Said };

interface ClientPort {
  after(ms: number, callback: () => void): void;
  /** Rejects when no answer comes in time; the signal may have been folded all the same. */
  say(word: Word): Promise<boolean>;
  answered(word: Word, isAccepted: boolean): void;
}

const RETRY_MS = [500, 6_000] as const;
const KEPT_MAX = 400;

/** What a client library does: in order, one at a time, and again until it is answered. */
export class Client {
  /** Its way to Holter is cut: what it has to say waits. */
  isCut = false;
  private words: Word[] = [];
  private isBusy = false;
  private seq = 0;
  private readonly port: ClientPort;
  private readonly random: Random;

  constructor(port: ClientPort, random: Random) {
    this.port = port;
    this.random = random;
  }

  say({ signal, origin }: Word): void {
    this.seq += 1;
    if (this.words.length < KEPT_MAX)
      this.words.push({ origin, signal: { ...signal, channel: 'client', seq: this.seq } });
    void this.work();
  }

  heal(): void {
    this.isCut = false;
    void this.work();
  }

  private async work(): Promise<void> {
    if (this.isBusy || this.isCut) return;
    const [word] = this.words;
    if (!word) return;
    this.isBusy = true;
    try {
      const answer = await this.port.say(word);
      this.words.shift();
      this.port.answered(word, answer);
      this.isBusy = false;
      void this.work();
    } catch {
      this.port.after(this.random.between(...RETRY_MS), () => {
        this.isBusy = false;
        void this.work();
      });
    }
  }
}
