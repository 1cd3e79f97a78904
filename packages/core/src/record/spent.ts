import type { Meter } from '../vocabulary/spending.ts';

/** What is on the books of one agent, as running totals of this incarnation; see `fold/books.ts`. Zeros are left out. */
export type Spent = {
  /** At most `MODELS_MAX`, and one for the others. */
  readonly models?: readonly ModelTotal[];
  /** Tokens of no known model. */
  readonly rest?: number;
  /** What was reported for no known model. */
  readonly restMicros?: number;
  /** On the open task, earlier incarnations included. */
  readonly task?: Sum & { readonly id: string };
};

export type ModelTotal = Partial<Meter> & { readonly model: string };

export type Sum = Pick<Meter, 'tokens' | 'costMicros'>;
