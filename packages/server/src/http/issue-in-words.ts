import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** The field is not there at all. */
export const isMissing = (issue: Issue): boolean =>
  issue.code === 'invalid_type' && issue.message.endsWith('received undefined');

/** What is wrong with a field, in words for the sender. The schema's own words are for programmers of schemas. */
export function issueInWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return isMissing(issue) ? 'is missing' : `must be ${kindInWords(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must ${sizeInWords(issue.origin, `at most ${String(issue.maximum)}`, issue.maximum)}`;
    case 'too_small':
      return `must ${sizeInWords(issue.origin, lowerBound(issue), issue.minimum)}`;
    case 'invalid_union':
      if ('options' in issue && Array.isArray(issue.options))
        return `must be one of ${issue.options.map(String).join(', ')}`;
      return 'has none of the shapes that are allowed here';
    default:
      return issue.message.startsWith('Invalid') ? 'is not well formed' : issue.message;
  }
}

const lowerBound = ({ minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): string =>
  inclusive === false ? `more than ${String(minimum)}` : `at least ${String(minimum)}`;

function sizeInWords(origin: string, bound: string, size: number | bigint): string {
  const unit = { string: 'character', array: 'entr', object: 'entr', set: 'entr' }[origin];
  if (unit === undefined) return `be ${bound}`;
  const isOne = Number(size) === 1;
  return `have ${bound} ${unit === 'entr' ? (isOne ? 'entry' : 'entries') : isOne ? unit : `${unit}s`}`;
}

function kindInWords(expected: string): string {
  if (expected === 'int') return 'a whole number';
  if (expected === 'string') return 'text';
  const article = /^[aeiou]/.test(expected) ? 'an' : 'a';
  return `${article} ${expected === 'record' ? 'object' : expected}`;
}
