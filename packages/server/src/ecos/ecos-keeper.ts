import { type Ecos, type EcosContext, startEcos } from './ecos.ts';

/** The project whose files are kept up to date; another one takes its place when the configuration changes. */
export class EcosKeeper {
  current: Ecos | null = null;
  private readonly context: Omit<EcosContext, 'folder'>;
  private last: Promise<unknown> = Promise.resolve();

  constructor(context: Omit<EcosContext, 'folder'>) {
    this.context = context;
  }

  /** Rejects when the folder can't be written; the one before is then kept. */
  set(folder: string | null): Promise<void> {
    const next = this.last.then(() => this.change(folder));
    this.last = next.catch(() => undefined);
    return next;
  }

  private async change(folder: string | null): Promise<void> {
    const before = this.current;
    if (folder === (before?.folder ?? null)) return;
    this.current = folder === null ? null : await startEcos({ ...this.context, folder });
    await before?.stop();
  }
}
