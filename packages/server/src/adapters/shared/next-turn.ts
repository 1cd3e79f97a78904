let turns: Promise<unknown> = Promise.resolve();

/** All long files share the turns: many together take no more at a time than one. */
export function nextTurn(): Promise<unknown> {
  turns = turns.then(() => new Promise(setImmediate));
  return turns;
}
