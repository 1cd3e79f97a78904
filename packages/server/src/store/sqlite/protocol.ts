import type { StoreFault } from '../store.ts';
import type { WriterOperation } from './handlers.ts';

/** Messages between the main thread and the database thread. */
export type Request =
  | { readonly id: number; readonly operation: WriterOperation; readonly args: readonly unknown[] }
  | { readonly id: number; readonly operation: 'close' };

export type Reply =
  /** Not an answer: reports the copy made before a migration. */
  | { readonly kind: 'copied'; readonly file: string }
  | { readonly id: number; readonly kind: 'answer'; readonly answer: unknown }
  /** `fault` is null for a programming error. `isLast`: the thread ends now and must be replaced. */
  | {
      readonly id: number;
      readonly kind: 'failure';
      readonly fault: StoreFault | null;
      readonly message: string;
      readonly isLast: boolean;
    };
