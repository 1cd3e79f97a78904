/** Arguments in which an agent comments on its call; they do not change what the call does. */
export const COMMENTARY: ReadonlySet<string> = new Set([
  'comment',
  'description',
  'explanation',
  'intent',
  'justification',
  'purpose',
  'rationale',
  'reason',
  'reasoning',
  'task_progress',
  'thought',
  'thoughts',
  'title',
]);

/** Their keys in JSON, written out. */
export const COMMENTARY_KEY =
  /"(?:comment|description|explanation|intent|justification|purpose|rationale|reason|reasoning|task_progress|thought|thoughts|title)":/;
