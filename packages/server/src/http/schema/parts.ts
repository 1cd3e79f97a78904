import { FINDING_KINDS, type FindingKind, HOLD_KINDS, isAgentId } from '@holter/core';
import { z } from 'zod';

/** Pieces that several calls share. Unknown fields are refused everywhere: a misspelt one must not be lost. */
export const agentId = z
  .string()
  .regex(/^[A-Za-z0-9._@:-]{1,128}$/, 'must have 1 to 128 of A-Z a-z 0-9 . _ @ : -')
  .refine(isAgentId, 'must not be the name of something that every object has');

/** Roles and groups become keys of records, as ids do. */
export const label = agentId;

/** Control characters do harm in terminals; marks that turn the writing direction hide what is said. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const tricky = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

export const line = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => !tricky.test(text), 'must be one line without control characters');

/** A person's name; `#` ends it in the id of a token. */
export const personName = line(64)
  .refine((name) => !name.includes('#'), 'must not contain #')
  .refine((name) => name.trim() === name, 'must not begin or end with a blank')
  .meta({ description: 'The name of the person who uses it; decisions are recorded with it.' });

export const identifier = line(256);
export const hostName = line(255).meta({ description: 'The machine that the agent runs on.' });
export const reason = line(1_000).meta({ description: 'Why; it is kept in the audit trail.' });

/** As a number in a query string. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`);

export const time = z
  .number()
  .int()
  .min(0)
  .meta({ description: 'Milliseconds since 1970, by the clock of the server.' });

export const healthState = z.enum(['HEALTHY', 'DEGRADED', 'STUCK', 'FAILING', 'TERMINATED']);
export const holdKind = z.enum(HOLD_KINDS as unknown as [string, ...string[]]);
export const findingKind = z.enum(Object.keys(FINDING_KINDS) as [FindingKind, ...FindingKind[]]);
export const ladderStep = z.enum(['nudge', 'escalate', 'terminate', 'recover', 'human']);
export const mode = z.enum(['observe', 'nudge', 'act']);
