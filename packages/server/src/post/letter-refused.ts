export type LetterRefusalCode =
  | 'agent_not_found'
  | 'agent_offline'
  | 'token_required'
  | 'forbidden'
  | 'not_found'
  | 'box_full'
  | 'client_id_reused'
  | 'future_time'
  | 'handoff_target_lost'
  | 'invalid_handoff'
  | 'invalid_lifecycle'
  | 'forward_loop'
  | 'too_many_agents'
  | 'stale_incarnation'
  | 'agent_ended';

type Details = {
  readonly field?: string;
  /** Said in the reply beside the code. */
  readonly also?: Readonly<Record<string, unknown>>;
};

/** Why the post office did not do what it was asked for. */
export class LetterRefused extends Error {
  override readonly name = 'LetterRefused';
  readonly code: LetterRefusalCode;
  readonly field: string | null;
  readonly also: Readonly<Record<string, unknown>>;
  constructor(code: LetterRefusalCode, message: string, { field, also }: Details = {}) {
    super(message);
    this.code = code;
    this.field = field ?? null;
    this.also = also ?? {};
  }
}

export const noAgent = (name: string): LetterRefused =>
  new LetterRefused('agent_not_found', `no agent with the name ${name}`);

export const noLetter = (): LetterRefused => new LetterRefused('not_found', 'no such letter in this box');

export const boxFull = (to: string): LetterRefused =>
  new LetterRefused(
    'box_full',
    `the box of ${to}, or your share of it, is full of unread or urgent letters`,
    { field: 'to' },
  );
