import { type Agent, type Effect, type HolterEvent, instant } from '@holter/core';
import { expect, it } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import type { CommittedListener } from '../engine/engine-options.ts';
import { Causes } from './causes.ts';
import { createLogger, logCommitted } from './logger.ts';

it('gives the receipt of an effect the correlation id of the signal that led to it', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    isPretty: false,
  });
  let committed: CommittedListener = () => undefined;
  const engine = {
    onCommitted: (listener: CommittedListener) => {
      committed = listener;
      return () => undefined;
    },
    onStreamed: () => () => undefined,
  };
  logCommitted(engine as unknown as Engine, logger, new Causes());
  const agent = { hard: { agentId: 'ada' } } as Agent;
  const at = { at: instant(1), incarnation: 1 };
  const nudge = { id: 'ada/1/nudge/1', kind: 'nudge' } as Effect;
  const told = (event: HolterEvent, correlationId: string, effects: readonly Effect[] = []): void =>
    committed({
      before: null,
      stored: { agent, version: 1 },
      events: [event],
      effects,
      firstCursor: 1,
      correlationId,
      inputs: [{ correlationId, what: 'signal call-ended' }],
    });

  told(
    { ...at, type: 'NUDGE_SENT', payload: { agentId: 'ada', attempt: 1, message: 'Holter: …' } },
    'signal-7',
    [nudge],
  );
  const receipt = {
    agentId: 'ada',
    effectId: nudge.id,
    effect: 'nudge',
    outcome: 'delivered',
    detail: '',
  } as const;
  told({ ...at, type: 'EFFECT_RECEIPT', payload: receipt }, 'receipt-9');
  told({ ...at, type: 'EFFECT_RECEIPT', payload: { ...receipt, effectId: 'of-another-life' } }, 'receipt-10');
  expect(
    lines.map(({ event, input, effect, cid, agentId }) => [event ?? input ?? effect, cid, agentId]),
  ).toEqual([
    ['signal call-ended', 'signal-7', 'ada'],
    ['NUDGE_SENT', 'signal-7', 'ada'],
    ['nudge', 'signal-7', 'ada'],
    ['signal call-ended', 'receipt-9', 'ada'],
    ['EFFECT_RECEIPT', 'signal-7', 'ada'],
    ['signal call-ended', 'receipt-10', 'ada'],
    ['EFFECT_RECEIPT', 'receipt-10', 'ada'],
  ]);
});

it('never writes a token', () => {
  let text = '';
  const write = (line: string): void => {
    text += line;
  };
  createLogger({ write, isPretty: false }).info(
    { token: 'hlt_x', request: { authorization: 'Bearer hlt_x' } },
    'hi',
  );
  expect(text).not.toContain('hlt_x');
});
