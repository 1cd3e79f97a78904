import { describe, expect, test } from 'vitest';
import { ticketOf } from '../../test/ticket.ts';
import { checkTicket } from './check-ticket.ts';

describe('a ticket', () => {
  const ticket = ticketOf();

  test('with all 15 fields is taken, and nothing beside them', () => {
    expect(Object.keys(ticket)).toHaveLength(15);
    expect(checkTicket({ ...ticket, order: 'terminate' })).toEqual({ kind: 'valid', ticket });
  });

  test.each(Object.keys(ticket))('without %s is refused by this name', (name) => {
    const { [name as keyof typeof ticket]: _left, ...rest } = ticket;
    expect(checkTicket(rest)).toEqual({ kind: 'invalid', missing: [name], wrong: [] });
  });

  test.each([
    ['severity', 'fatal'],
    ['severity', 3],
    ['created_at', 'yesterday'],
    ['cause', '  '],
    ['cause', 'x'.repeat(5_000)],
    ['recent_verdicts', 'RETRY'],
    ['recent_verdicts', [1]],
    ['total_steps_checked', -1],
    ['total_steps_checked', 1.5],
    ['steps_since_last_accept', Number.NaN],
    ['stall_minutes', '4'],
    ['stall_minutes', Number.POSITIVE_INFINITY],
    ['evidence_snippet', 'x'.repeat(501)],
  ])('with a wrong %s (%j) is refused by this name', (name, value) => {
    expect(checkTicket({ ...ticket, [name]: value })).toEqual({
      kind: 'invalid',
      missing: [],
      wrong: [name],
    });
  });

  test.each([null, undefined, 'ticket', 7, []])('%j is none', (value) => {
    const checked = checkTicket(value);
    expect(checked.kind === 'invalid' && checked.missing).toHaveLength(15);
  });

  test('names of the prototype are no fields', () => {
    expect(checkTicket(Object.create(ticket))).toMatchObject({ kind: 'invalid' });
  });
});
