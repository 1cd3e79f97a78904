import { BEHAVIOURS, defaultScenario, FAULT_KINDS, type FaultKind, type Scenario } from '@holter/sim';
import { InvalidArgumentError } from 'commander';

/** The options as commander parses them. */
export type SimOptions = {
  readonly agents: number;
  readonly hours: number;
  readonly seed: number;
  readonly haste: number;
  readonly faults: readonly FaultKind[];
  readonly only: readonly string[];
  readonly slots: readonly number[];
  readonly seeds: number;
  readonly json?: true;
  readonly live?: true;
  readonly engine?: true;
  readonly mail?: true;
  readonly seconds?: number;
};

export function scenarioOf(options: SimOptions): Scenario {
  const { agents, hours, seed, haste, faults, only, slots } = options;
  return { ...defaultScenario, agents, hours, seed, haste, faults, only, slots };
}

export const wholeNumber =
  (low: number, high: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`a whole number from ${low} to ${high}`);
  };

export const positive =
  (high: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isFinite(value) && value > 0 && value <= high) return value;
    throw new InvalidArgumentError(`a number above 0, at most ${high}`);
  };

export function faultList(text: string): readonly FaultKind[] {
  if (text === 'none') return [];
  return listOf(text, FAULT_KINDS);
}

export const behaviourList = (text: string): readonly string[] =>
  listOf(
    text,
    BEHAVIOURS.map(({ name }) => name),
  );

export const slotList = (text: string): readonly number[] => text.split(',').map(wholeNumber(0, 1_000_000));

function listOf<T extends string>(text: string, allowed: readonly T[]): readonly T[] {
  return text.split(',').map((word) => {
    const found = allowed.find((other) => other === word.trim());
    if (found === undefined) throw new InvalidArgumentError(`"${word}" is none of ${allowed.join(', ')}`);
    return found;
  });
}
