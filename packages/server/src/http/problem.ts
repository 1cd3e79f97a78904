import { InvariantError } from '@holter/core';
import { z } from 'zod';
import { EngineBusy } from '../engine/engine-options.ts';
import type { Refused, Taken } from '../intake/index.ts';
import { type LetterRefusalCode, LetterRefused } from '../post/index.ts';
import { NewerRecord, StoreUnavailable } from '../store/store.ts';
import { isMissing, issueInWords } from './issue-in-words.ts';

/** Why a request was not done, in words for the one who sent it. Never repeats what was sent. */
export type Refusal = {
  readonly status: number;
  readonly code: string;
  /** Why, as a code of its own, where `code` stands for many reasons. */
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
  /** Said beside the code, where the form of the reply allows it. */
  readonly also?: Readonly<Record<string, unknown>>;
};

type ErrorBody = { readonly error: Pick<Refusal, 'code' | 'reason' | 'message' | 'field'> };

/** A refusal on its way out of a handler. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function problem(status: number, code: string, message: string, field?: string): HttpProblem {
  return new HttpProblem({ status, code, message, ...(field !== undefined && { field }) });
}

/** The status of what the intake refused; a code that is not listed is a mistake in what was sent. */
const statuses: Readonly<Partial<Record<Refused['code'], number>>> = {
  forbidden: 403,
  too_many_agents: 403,
  too_many_sessions: 429,
  too_many_starts: 429,
  unknown_agent: 404,
  stale_incarnation: 409,
  unknown_incarnation: 409,
  no_incarnation: 409,
  agent_ended: 409,
  too_many_tasks: 409,
  rejected: 409,
};

export function refusalOfIntake({ code, message, field }: Refused): Refusal {
  const status = statuses[code] ?? 400;
  return {
    status,
    code,
    message,
    ...(field !== undefined && { field }),
    ...(status === 429 && { retryAfterSeconds: 1 }),
  };
}

/** Null when it was taken. What nobody foresaw is thrown: the error handler logs it. */
export async function refusalOfTaking(taking: Promise<Taken>): Promise<Refusal | null> {
  try {
    const taken = await taking;
    return taken.kind === 'taken' ? null : refusalOfIntake(taken);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.status === 500) throw error;
    return refusal;
  }
}

export function errorBody({ code, reason, message, field }: Refusal): ErrorBody {
  return {
    error: {
      code,
      ...(reason !== undefined && { reason }),
      message,
      ...(field !== undefined && { field }),
    },
  };
}

/** The form of seed 001, on paths below `/api/`: the code itself is `error`. */
export const letterErrorBody = ({ code, message, field, also }: Refusal): object => ({
  error: SEED_CODES[code] ?? code,
  message,
  ...(field !== undefined && { field }),
  ...also,
});

/** Seed 001 §1.4.1 has one word for a server that can't take it now. */
const SEED_CODES: Readonly<Record<string, string>> = {
  unknown_agent: 'agent_not_found',
  store_unavailable: 'timeout',
  busy: 'timeout',
  too_many_requests: 'timeout',
};

/** Anything that was thrown. What is not known here is our fault, and its words stay in the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof HttpProblem) return error.refusal;
  if (error instanceof LetterRefused) return refusalOfLetter(error);
  if (error instanceof z.ZodError) return refusalOfZod(error);
  if (error instanceof EngineBusy)
    return { status: 429, code: 'busy', message: 'too much is waiting already', retryAfterSeconds: 1 };
  if (error instanceof StoreUnavailable)
    return {
      status: 503,
      code: 'store_unavailable',
      message: 'the store is not available; nothing was changed',
      retryAfterSeconds: 5,
    };
  if (error instanceof NewerRecord)
    return {
      status: 503,
      code: 'newer_record',
      message: 'a newer server looks after this agent; ask that one, or update this one',
      retryAfterSeconds: 1,
    };
  if (!(error instanceof InvariantError) && isFastifyError(error)) return refusalOfFastify(error);
  return { status: 500, code: 'internal', message: 'an error on our side; the log of the server has it' };
}

const letterStatuses: Readonly<Record<LetterRefusalCode, number>> = {
  agent_not_found: 404,
  agent_offline: 409,
  token_required: 403,
  forbidden: 403,
  not_found: 404,
  box_full: 507,
  client_id_reused: 409,
  future_time: 400,
  handoff_target_lost: 409,
  invalid_handoff: 400,
  invalid_lifecycle: 400,
  forward_loop: 409,
  too_many_agents: 403,
  stale_incarnation: 409,
  agent_ended: 409,
};

const refusalOfLetter = ({ code, message, field, also }: LetterRefused): Refusal => ({
  status: letterStatuses[code],
  code,
  message,
  also,
  ...(field !== null && { field }),
});

type FastifyFault = Error & { readonly code: string; readonly statusCode: number };

const isFastifyError = (error: unknown): error is FastifyFault =>
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode >= 400 &&
  error.statusCode < 500;

const fastifyCodes: Readonly<Record<string, readonly [code: string, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than this call takes'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['wrong_content_type', 'send JSON with content-type application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['cut_body', 'the body is not as long as its content-length says'],
  FST_ERR_BAD_URL: ['bad_url', 'the path is not a well-formed URL'],
  FST_ERR_MAX_PARAM_LENGTH: ['bad_url', 'a part of the path is too long'],
};

function refusalOfFastify({ code, statusCode }: FastifyFault): Refusal {
  const [name, message] = fastifyCodes[code] ?? ['bad_request', 'the request could not be read'];
  return { status: statusCode, code: name, message };
}

function refusalOfZod(error: z.ZodError): Refusal {
  const first = error.issues[0];
  const issue = first && meantIssue(first);
  if (!issue) return { status: 400, code: 'bad_request', message: 'the request is not as it should be' };
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const field = [...path, issue.keys[0] ?? ''].join('.').slice(0, 100);
    return { status: 400, code: 'unknown_field', message: `${field} is not a field of this call`, field };
  }
  const field = path.join('.').slice(0, 100);
  return {
    status: 400,
    code: codeOfIssue(issue),
    message: `${field === '' ? 'the body' : field} ${issueInWords(issue)}`,
    ...(field !== '' && { field }),
  };
}

/** Of one that may have several shapes, what is wrong with the shape that was meant: the one that fits at its top. */
function meantIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const isInside = ({ code, path }: z.core.$ZodIssue): boolean =>
    path.length > 0 || code === 'unrecognized_keys';
  const inner = issue.errors.map(([first]) => first).find((first) => first !== undefined && isInside(first));
  return inner ? { ...meantIssue(inner), path: [...issue.path, ...inner.path] } : issue;
}

function codeOfIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return isMissing(issue) ? 'missing_field' : 'wrong_type';
    case 'too_big':
    case 'too_small':
      return 'out_of_range';
    default:
      return 'bad_value';
  }
}
