const ANSWERS_KEPT = 30;
const answers = new Map<string, unknown>();

/** A view that is opened again shows its last answer at once, and keeps it while the server does not answer. */
export const recall = <T>(key: string): T | null => (answers.get(key) as T | undefined) ?? null;

export function remember(key: string, answer: unknown): void {
  answers.delete(key);
  answers.set(key, answer);
  const oldest = answers.keys().next();
  if (answers.size > ANSWERS_KEPT && !oldest.done) answers.delete(oldest.value);
}

/** What was known belongs to the person who was logged in. */
export const forgetAnswers = (): void => answers.clear();
