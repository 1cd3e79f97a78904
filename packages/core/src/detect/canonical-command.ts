/**
 * A shell command without what changes nothing about it, so that a loop cannot hide behind a counter in a comment.
 *
 * Intuition: two commands are the same if they would do the same. Comments, blanks and no-ops (`true`, `: 7`,
 * `cd .`, `echo x >/dev/null`, a variable that nothing reads, a pause below two seconds) do nothing. A number after a word that counts attempts, or
 * a value of a parameter that only makes a request unique (`?nonce=8f3a`, `--attempt 7`), names the occasion.
 *
 * Numbers and ids elsewhere stay: `sed -n 51,100p` and `host-7` are other places, `--seed 7` is another test,
 * `--run-id 17` another run, and a sweep is work. Text in quotes stays, and a command with a here-document keeps its comments, which may be the headings of a file.
 *
 * Cost: two searches decide that nothing is to be done, which is so for most commands.
 *
 * Blind spots: a no-op in an unusual form (`test -n x`), a value that makes a request unique under a name that does not
 * say so (`?v=17`, `--tag r8f3a`, `X=7 cmd`), a counter that the result echoes. Rejected: parsing the shell, which costs
 * more than all detectors together; masking every number and random word, which makes a sweep a loop: sixteen nodes
 * that are all "ok", eight shards of one suite.
 */
const READ_MAX = 4_000;

const OCCASION =
  /(?<![\w/])((?:--?|[?&])?(?:attempts?|try|tries|retry|retries|iterations?|iter|nonce|cb|cache_?bust(?:er)?|rand(?:om)?|dummy|_)|[?&](?:ts|timestamp))(?:[=:#] ?[\w.:-]{1,64}| #?\d{1,9}\b)/gi;
const OCCASION_WORD = /attempt|tr(?:y|ies)\b|iter|nonce|cb=|bust|rand|[?&]t(?:s|imestamp)=|dummy|_=/i;

const NOOP =
  /^(?:|(?:test|\[\[?) (\S{1,40}) ={1,2} \1(?: \]\]?)?|:(?: .*)?|true(?: .*)?|cd \.\/?|(?:echo|printf)\b[^|]*> ?\/dev\/null(?: 2>&1)?|sleep [01](?:\.\d+)?|sleep \.\d+)$/;
const ASSIGNMENT = /^([A-Za-z_]\w{0,40})=[\w.:/-]{0,64}$/;

/** A variable that nothing reads: `n=7; cat a.log`. */
function isUnused(part: string, command: string): boolean {
  const name = ASSIGNMENT.exec(part)?.[1];
  return name !== undefined && !command.includes(`$${name}`) && !command.includes(`\${${name}`);
}

/** Output goes where it went before. */
const TAIL = /(?: ?\| ?cat| 2>&1){1,20}$/;
/** All but a single space, which would be replaced by itself. */
const BLANKS = /[ \t]{2,}|\t/g;
const SAME_PLACE = /(?<=[^:/])\/(?:\.?\/)+/g;

export function canonicalCommand(command: string): string {
  if (command.length > READ_MAX || !mayHide(command)) return command;
  const hasDocument = command.includes('<<');
  const parts = split(command, !hasDocument);
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const part = (parts[index] ?? '').trim();
    // The sign after a no-op goes with it.
    if (!NOOP.test(part.replace(BLANKS, ' ')) && !isUnused(part, command))
      kept.push(part, parts[index + 1] ?? '');
  }
  // What follows the last command that is left joined it to a no-op.
  kept.pop();
  const text = kept.join('');
  // A line break that is left is quoted, and blanks after it are indentation.
  const joined = text.includes('\n') ? text : text.replace(BLANKS, ' ');
  const plain = joined.replace(SAME_PLACE, '/').replace(TAIL, '');
  return OCCASION_WORD.test(plain) ? plain.replace(OCCASION, '$1') : plain;
}

const HIDES = /[#;\n\t]|test |\[ |true|: |\/dev\/null|cd \.|sleep|\| cat|2>&1|\/\.?\/| {2}/;
const mayHide = (text: string): boolean => HIDES.test(text) || OCCASION_WORD.test(text);

const QUOTES = '"\'`';
const isBlank = (code: number): boolean => code <= 32;

/**
 * Commands and the signs between them, alternating. `;` and a line break are one sign. Quotes are respected; comments
 * are left out if asked.
 */
function split(command: string, dropsComments: boolean): string[] {
  const parts: string[] = [];
  let start = 0;
  let part = '';
  let index = 0;
  const end = (sign: string, width: number): void => {
    parts.push(part + command.slice(start, index), sign);
    part = '';
    index += width;
    start = index;
  };
  while (index < command.length) {
    const char = command[index] ?? '';
    if (char === '\\') index += 2;
    else if (QUOTES.includes(char)) index = afterQuote(command, index);
    else if (char === '\n' || char === ';') end('; ', 1);
    else if ((char === '&' || char === '|') && command[index + 1] === char) end(` ${char}${char} `, 2);
    else if (char === '#' && dropsComments && (index === 0 || isBlank(command.charCodeAt(index - 1)))) {
      part += command.slice(start, index);
      const line = command.indexOf('\n', index);
      index = line < 0 ? command.length : line;
      start = index;
    } else index += 1;
  }
  end('', 0);
  return parts;
}

function afterQuote(command: string, open: number): number {
  const close = command.indexOf(command[open] ?? '', open + 1);
  return close < 0 ? command.length : close + 1;
}

/** A program without its comments: whole lines, and ends of lines with no quote after the sign. */
export function withoutComments(code: string): string {
  if (code.length > READ_MAX || !(code.includes('#') || code.includes('//'))) return code;
  return code
    .split('\n')
    .map((line) => {
      const at = line.search(COMMENT);
      return at < 0 || HAS_QUOTE.test(line.slice(at)) ? line : line.slice(0, at).trimEnd();
    })
    .filter((line) => line !== '')
    .join('\n');
}

const COMMENT = /(?<![^\s])(?:#|\/\/)/;
const HAS_QUOTE = /["'`]/;
