import type { Clock } from '../engine/clock.ts';
import type { Estop } from '../engine/engine-options.ts';
import type { Logger } from '../logging/logger.ts';
import { metaJson, readMetaJson } from '../store/meta-json.ts';
import type { Store } from '../store/store.ts';

const LOOK_EVERY_MS = 1_000;
const KEY = 'estop';
const VERSION = 1;

/** `isShared`: the servers that share a database know of it. */
export type EstopNote = Estop & { readonly isShared?: true };

/** The file in which people say it; `lifted` until the other servers know. */
type EstopFile = {
  readEstop(): EstopNote | null;
  readEstopFile(): EstopNote | 'lifted' | null;
  writeEstop(estop: EstopNote): void;
  removeEstop(): void;
};

type EstopContext = {
  readonly folder: EstopFile;
  readonly store: Pick<Store, 'getMeta' | 'putMeta' | 'swapMeta'>;
  readonly clock: Clock;
  /** Other servers use the same database. */
  readonly isShared: boolean;
  readonly logger: Pick<Logger, 'warn'>;
};

/**
 * Whether a person has stopped Holter's own acts (`holter estop`). People and the daemon use a file in the data folder,
 * which works without a server. Servers that share a database stop together: a row in it is what holds, and the file of
 * each folder follows it. Both are looked at once a second.
 */
export class EstopWatch {
  private readonly context: EstopContext;
  private current: Estop | null = null;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  private constructor(context: EstopContext) {
    this.context = context;
  }

  /** Resolves when it is known whether Holter may act. */
  static async start(context: EstopContext): Promise<EstopWatch> {
    const watch = new EstopWatch(context);
    await watch.keepLooking();
    return watch;
  }

  private async keepLooking(): Promise<void> {
    await this.look();
    if (!this.isStopped) this.cancel = this.context.clock.after(LOOK_EVERY_MS, () => void this.keepLooking());
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  readonly read = (): Estop | null => this.current;

  private async look(): Promise<void> {
    const { folder, isShared, logger } = this.context;
    if (isShared)
      await this.share().catch((error) =>
        logger.warn({ err: error }, 'other servers may not know of an estop'),
      );
    const said = folder.readEstop();
    this.current = said && { at: said.at, by: said.by, reason: said.reason };
  }

  /** What was said in this folder goes to the others first; otherwise the folder follows them. */
  private async share(): Promise<void> {
    const { folder, store } = this.context;
    const held = await store.getMeta(KEY);
    const said = folder.readEstopFile();
    if (said === 'lifted') {
      if (held !== null) await store.swapMeta(KEY, held, null);
      if (folder.readEstopFile() === 'lifted') folder.removeEstop();
    } else if (said && !said.isShared) {
      await store.putMeta(KEY, metaJson(VERSION, said));
      // Unless somebody has written another one meanwhile.
      if (folder.readEstop()?.at === said.at) folder.writeEstop({ ...said, isShared: true });
    } else if (said && held === null) {
      folder.removeEstop();
    } else if (!said && held !== null) {
      folder.writeEstop({ ...readMetaJson<Estop>(held, VERSION, 'the estop'), isShared: true });
    }
  }
}
