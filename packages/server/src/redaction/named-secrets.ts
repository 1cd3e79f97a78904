import { DOTTED, isOf, runEnd, runStart, TOKEN68, URL_SAFE } from './characters.ts';
import { isSecretValue, JUDGED_MAX, looksTyped } from './value-shape.ts';

/** Secrets that are recognised by the name in front of them: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`. */
type Span = readonly [from: number, to: number];

const NAME_MAX = 60;
const PASSWORD_WORDS = 'password passwd passphrase passcode pwd pass storepass keypass dbpass'.split(' ');
const SECRET_ENDS =
  'password passwd passphrase passcode secret token apikey secretkey accesskey privatekey authkey accountkey sharedkey signingkey masterkey encryptionkey credentials credential'.split(
    ' ',
  );
/** A key of these is a secret; a primary, public or cache key is none. */
const KEY_WORDS = new Set(
  'api access secret private encryption signing master account shared auth service admin deploy ssh storage subscription client webhook app application license stripe openai anthropic sendgrid mailgun datadog aws azure gcp google github gitlab slack twilio cohere mistral groq hmac jwt session cookie decryption storageaccount primaryaccess functions host'.split(
    ' ',
  ),
);
/** `PASSWORD_FILE`, `token_count`: about a secret, but none. */
const ABOUT_WORDS = new Set(
  'file path name id ids url uri host port length len min max count counts ttl timeout policy ref refs arn type types enabled required rotation expiry expires expiration field input prompt hint manager store version limit limits budget usage stdin env size format regex pattern strength reset change form label provider endpoint issuer audience algorithm alg scopes scope hash error errors kind class bucket generator validator service column'.split(
    ' ',
  ),
);

type Kind = 'password' | 'token';
type Name = { readonly start: number; readonly end: number; readonly kind: Kind };
/** `no secret`: a value was judged, and is none. Null: there was nothing to judge. */
type Judged = Span | 'no secret' | null;

const wordsIn = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word))
    .map((word) => word.replace(/(?<!\d)\d+$/, ''));

/** By its last word: `dbPassword`, `STRIPE_API_KEY`; not `tokenCount`. */
export function kindOfName(name: string): Kind | null {
  const words = wordsIn(name);
  const last = words.at(-1) ?? '';
  if (PASSWORD_WORDS.includes(last) || last.endsWith('password') || last.endsWith('pwd')) return 'password';
  if (last === 'secret') return 'password';
  if (SECRET_ENDS.some((end) => last.endsWith(end))) return 'token';
  // `SecretString`, `passwordValue`; a value that is none is told by its look.
  if ((last === 'string' || last === 'value') && words.length > 1)
    return kindOfName(words.slice(0, -1).join(' '));
  if (last === 'key') return words.slice(0, -1).some((word) => KEY_WORDS.has(word)) ? 'token' : null;
  if (last === 'auth' || last === 'sig' || last === 'signature' || last === 'sessionid' || last === 'sid')
    return words.length === 1 || last === 'auth' ? 'token' : null;
  // `PASSWORD_PROD`, `SECRET_KEY_BASE`, `API_KEY_OPENAI`.
  const isMarked = words.some(
    (word) => PASSWORD_WORDS.includes(word) || word === 'secret' || word === 'apikey',
  );
  const hasKey = words.some((word, index) => word === 'key' && KEY_WORDS.has(words[index - 1] ?? ''));
  return (isMarked || hasKey) && !ABOUT_WORDS.has(last) && /^[A-Z0-9_]+$/.test(name) ? 'token' : null;
}

const QUOTES = '"\'`';

/** The secret behind the name around this anchor. Reads a bounded part of the text unless it finds one. */
export function namedSecret(text: string, anchor: number, anchorEnd: number): Judged {
  const end = runEnd(text, anchorEnd, URL_SAFE, Math.min(text.length, anchorEnd + NAME_MAX));
  let at = end;
  if (text[at] === '\\') at += 1;
  const isNameQuoted = isQuoteAt(text, at);
  if (isNameQuoted) at += 1;
  if (text[at] === ']') at += 1;
  if (text[at] === '>' && at === end) return elementSecret(text, anchor, end);
  const gap = skipBlanks(text, at);
  const separatorEnd = separatorAt(text, gap);
  const isSpaced = separatorEnd === -1 && gap > at && at === end;
  if (separatorEnd === -1 && !isSpaced) return null;
  const start = runStart(text, anchor, DOTTED, Math.max(0, anchor - NAME_MAX));
  const isFlag = text[start] === '-';
  // Most names in prose stop here, before they are taken apart.
  if (isSpaced && !isFlag && !mayFollow(text, gap)) return null;
  const kind = kindOfName(text.slice(start, end));
  if (kind === null) return 'no secret';
  const name = { start, end, kind };
  if (isSpaced) return spacedSecret(text, name, gap, isFlag) ?? 'no secret';
  const before = skipBlanks(text, separatorEnd);
  const isTight = isFlag || isNameQuoted || (gap === at && before === separatorEnd) || isHeader(text, name);
  return valueAt(text, before, { kind, isTight }) ?? 'no secret';
}

/** `<password>x</password>`, at the end of the name. */
function elementSecret(text: string, anchor: number, end: number): Judged {
  const start = runStart(text, anchor, DOTTED, Math.max(0, anchor - NAME_MAX));
  if (text[start - 1] !== '<') return null;
  const from = end + 1;
  const value = /^[^\s<>]{1,200}(?=<\/)/.exec(text.slice(from, from + JUDGED_MAX + 2))?.[0];
  const kind = value === undefined ? null : kindOfName(text.slice(start, end));
  if (value === undefined || kind === null) return 'no secret';
  const about = { isPassword: kind === 'password', isQuoted: false, isTight: true, isInSentence: false };
  return isSecretValue(value, about) ? [from, from + value.length] : 'no secret';
}

/** `IDENTIFIED BY 'x'`, `identified with caching_sha2_password by 'x'`, behind the first word. */
export function identifiedSecret(text: string, to: number): Judged {
  const words = /^\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?(?=["'])/i.exec(
    text.slice(to, to + 100),
  );
  if (words === null) return null;
  const span = valueAt(text, to + words[0].length, { kind: 'password', isTight: true });
  if (span === null) return 'no secret';
  // A name in quotes that begins the next line; its value is read when the name is.
  return /^["'][ \t]{0,4}[:=]/.test(text.slice(span[1], span[1] + 6)) ? null : span;
}

/** What follows a name in a sentence is a secret only if it has a digit, or stands behind `is` or `was`. */
function mayFollow(text: string, from: number): boolean {
  const next = text.slice(from, from + 48);
  return /^(?:is|was)\s|^\S{0,47}\d/.test(next) || isNetrc(text, from);
}

/** `login bob password x`, at the value. */
const isNetrc = (text: string, from: number): boolean =>
  /\blogin\s\S{1,60}\s{1,4}password\s{1,4}$/.test(text.slice(Math.max(0, from - 90), from));

/** `X-Api-Key: abc`, `PRIVATE-TOKEN: abc`: every word of a header's name begins with a capital. */
const isHeader = (text: string, { start, end }: Name): boolean =>
  /^(?:[A-Z]{1,30}|[A-Z][a-z]+)(?:-[A-Z][A-Za-z]+)+$/.test(text.slice(start, end));

/** `=`, `:`, `:=`, `=>`, `==`; -1 if there is none. */
function separatorAt(text: string, at: number): number {
  const first = text[at];
  if (first !== '=' && first !== ':') return -1;
  const second = text[at + 1];
  // `Token::new`, and `a == b` compares.
  if (first === ':' && second === ':') return -1;
  return second === '=' || second === '>' ? at + 2 : at + 1;
}

/** `--password x`, `login bob password x`, `the password is x1y2z3`. */
function spacedSecret(text: string, name: Name, gap: number, isFlag: boolean): Span | null {
  if (isFlag) return text[gap] === '-' ? null : valueAt(text, gap, { ...name, isTight: true });
  const words = text.slice(gap, gap + JUDGED_MAX).split(/\s/, 3);
  const isTold = words[0] === 'is' || words[0] === 'was';
  const start = isTold ? skipBlanks(text, gap + (words[0] ?? '').length) : gap;
  // `aws configure set aws_secret_access_key …`
  const written = text.slice(name.start, name.end);
  if (!isTold && !/[_-]/.test(written) && name.kind !== 'password') return null;
  // To pass something is no password.
  if (/pass$/i.test(written)) return null;
  const quote = isQuoteAt(text, start) ? 1 : 0;
  const end = unquotedEnd(text, start + quote, start + quote + JUDGED_MAX);
  const value = text.slice(start + quote, end).replace(/(?<![.!?])[.!?]+$/, '');
  const isLong = isTold || name.kind === 'password' || value.length >= 16;
  return (isLong && looksTyped(value)) || (value !== '' && isNetrc(text, gap))
    ? [start + quote, start + quote + value.length]
    : null;
}

type About = { readonly kind: Kind; readonly isTight: boolean };

/** The value that starts here, quoted or not, if it is a secret. */
function valueAt(text: string, from: number, { kind, isTight }: About): Span | null {
  const isPassword = kind === 'password';
  let start = from;
  if (text[start] === '\\' && isQuoteAt(text, start + 1)) start += 1;
  const quote = isQuoteAt(text, start) ? (text[start] ?? '') : '';
  if (quote !== '') {
    start += 1;
    const max = Math.min(text.length, start + JUDGED_MAX);
    const value = text.slice(start, quotedEnd(text, start, quote, max));
    const about = { isPassword, isQuoted: true, isTight, isInSentence: false };
    return isSecretValue(value, about) ? [start, quotedEnd(text, start, quote, text.length)] : null;
  }
  const end = unquotedEnd(text, start, Math.min(text.length, start + JUDGED_MAX));
  const isInSentence = /^ +[A-Za-z[]/.test(text.slice(end, end + 8));
  const about = { isPassword, isQuoted: false, isTight, isInSentence };
  return isSecretValue(text.slice(start, end), about) ? [start, unquotedEnd(text, start, text.length)] : null;
}

/** To the closing quote, which may be escaped as a whole text is, or to the end of the line. */
function quotedEnd(text: string, from: number, quote: string, max: number): number {
  let end = from;
  while (end < max && text[end] !== quote && text[end] !== '\n') end += 1;
  return text[end - 1] === '\\' && end > from ? end - 1 : end;
}

/** A value without quotes ends at a blank or quote, and at punctuation behind which something else begins. */
function unquotedEnd(text: string, from: number, max: number): number {
  let end = from;
  while (end < max) {
    const code = text.charCodeAt(end);
    if (code <= 32 || code === 34 || code === 39 || code === 96 || code === 0x2026) break;
    if (code === 92 && isQuoteAt(text, end + 1)) break;
    if (isPunctuation(code) && endsHere(text, end)) break;
    end += 1;
  }
  return end;
}

const isPunctuation = (code: number): boolean => ',;&|)}]<>'.includes(String.fromCharCode(code));

function endsHere(text: string, at: number): boolean {
  const next = text[at + 1] ?? ' ';
  if (/[\s"'`,;&|)}\]<>\\]/.test(next)) return true;
  const nameEnd = runEnd(text, at + 1, DOTTED, at + 40);
  return nameEnd > at + 1 && text[nameEnd] === '=';
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < from + 8 && (text[at] === ' ' || text[at] === '\t')) at += 1;
  return at;
}

const isQuoteAt = (text: string, index: number): boolean => {
  const character = text[index];
  return character !== undefined && QUOTES.includes(character);
};

/** `Bearer …`, `Basic …`, at the end of the word. In prose the word behind it is no credential. */
export function schemeSecret(text: string, from: number, to: number): Span | null {
  // In a query the blank is written as `%20`.
  const start = text.startsWith('%20', to) ? to + 3 : skipBlanks(text, to);
  if (start === to || isOf(text, from - 1, URL_SAFE)) return null;
  const end = runEnd(text, start, TOKEN68, Math.min(text.length, start + JUDGED_MAX));
  const value = text.slice(start, end);
  if (value.length < 4) return null;
  const isHeader = /uthorization["']?\s{0,3}[:=]\s{0,3}["']?$/.test(text.slice(Math.max(0, from - 24), from));
  const isBasic = to - from === 5;
  const isIt = isHeader || (isBasic ? isBasicPair(value) : looksTyped(value) || value.length >= 24);
  return isIt ? [start, runEnd(text, start, TOKEN68)] : null;
}

/** Base64 of `user:password`. */
const isBasicPair = (value: string): boolean =>
  value.length >= 8 &&
  /^[\x20-\x7e]{0,80}:[\x20-\x7e]*$/.test(Buffer.from(value.slice(0, 80), 'base64').toString('latin1'));

/** `Authorization: <anything>`; the usual schemes keep their name. */
export function authorizationSecret(text: string, to: number): Judged {
  let at = to;
  while (at < to + 6 && /["'\s:=\\]/.test(text[at] ?? '')) at += 1;
  if (at === to || !/[:=]/.test(text.slice(to, at))) return null;
  const scheme = /^(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s{1,4}(?=\S)/i.exec(
    text.slice(at, at + 24),
  );
  const start = at + (scheme?.[0].length ?? 0);
  const end = lineEnd(text, start, Math.min(text.length, start + JUDGED_MAX));
  const value = text.slice(start, end);
  const about = { isPassword: false, isQuoted: false, isTight: false, isInSentence: /\s\S/.test(value) };
  const isIt = scheme === null ? isSecretValue(value.trim(), about) : /^[\w.~+/=-]/.test(value);
  return isIt ? [start, lineEnd(text, start, text.length)] : 'no secret';
}

/** `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`, at the end of the word: everything behind it. */
export function cookieSecret(text: string, to: number): Judged {
  const isHeader =
    text[to] === ':' || (isQuoteAt(text, to) && /^["'`]\s{0,2}[:=,]/.test(text.slice(to, to + 4)));
  const isFlag =
    /^(?: |=)["']/.test(text.slice(to, to + 2)) && /--cookie$/i.test(text.slice(Math.max(0, to - 8), to));
  if (!isHeader && !isFlag) return null;
  let start = to;
  while (start < to + 6 && /["'`\s:=,\\]/.test(text[start] ?? '')) start += 1;
  const end = lineEnd(text, start, Math.min(text.length, start + JUDGED_MAX));
  const value = text.slice(start, end);
  if (!/^[\w.$-]{1,100}=[^\s$<{]/.test(value)) return 'no secret';
  return [start, lineEnd(text, start, text.length)];
}

function lineEnd(text: string, from: number, max: number): number {
  let end = from;
  while (end < max && text[end] !== '\n' && !isQuoteAt(text, end)) end += 1;
  return text[end - 1] === '\\' && end > from ? end - 1 : end;
}
