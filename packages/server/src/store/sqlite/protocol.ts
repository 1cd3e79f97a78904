import type { StoreFault } from '../store.ts';
import type { WriterOperation } from './handlers.ts';

/** What the main thread and the thread of the database say to each other. */
export type Request =
  | { readonly id: number; readonly operation: WriterOperation; readonly args: readonly unknown[] }
  | { readonly id: number; readonly operation: 'close' };

export type Reply =
  /** Not an answer: the file was copied before it is migrated. */
  | { readonly kind: 'copied'; readonly file: string }
  | { readonly id: number; readonly kind: 'answer'; readonly answer: unknown }
  /** `fault` is null for a mistake in the program. `isLast`: the thread ends now; another has to be started. */
  | {
      readonly id: number;
      readonly kind: 'failure';
      readonly fault: StoreFault | null;
      readonly message: string;
      readonly isLast: boolean;
    };
