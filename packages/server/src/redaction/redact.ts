import { type Anchor, Anchors } from './anchors.ts';
import { BASE64, DOTTED, isOf, runEnd, URL_SAFE } from './characters.ts';
import { type FlagRule, flagSecrets, PROGRAMS } from './command-flags.ts';
import {
  authorizationSecret,
  cookieSecret,
  identifiedSecret,
  kindOfName,
  namedSecret,
  schemeSecret,
} from './named-secrets.ts';
import { privateKey, privateKeyEnd } from './private-keys.ts';
import { azureSecret, HOOK_HOSTS, hookPathEnd, KEY_FORMATS, keyEnd, telegramToken } from './provider-keys.ts';
import { isSecretValue, MARK } from './value-shape.ts';

/**
 * Replaces keys, tokens and passwords in text by a marker, before the text is stored, shown, logged or sent.
 *
 * Intuition: every secret that can be told from other text has something fixed in front of it: the prefix of its
 * issuer, a name, a scheme, a flag. One pass finds these anchors; what follows each is read by a small scanner
 * that either consumes what it reads or gives up after a bounded number of characters. So the work grows with
 * the length of the text, whatever the text is.
 *
 * The marker is the same for all secrets. A hash of the secret in it would keep two commands different that
 * differ in nothing else, but it would let anybody who reads the log try passwords against it; and an agent
 * that repeats a command with a fresh token each time is in a loop all the same.
 *
 * Blind spot: a bare random string. Redacting those would blank every hash and id.
 */
export function redact(text: string): string {
  let shown = text;
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const clean = redactOnce(shown);
    if (clean === shown) return shown;
    shown = clean;
  }
  return MARK;
}

/** A marker ends the word before it, which may uncover another secret. A text that needs more is not shown at all. */
const PASSES_MAX = 5;

function redactOnce(text: string): string {
  if (text.length < SHORTEST) return text;
  const spans = new Scan(text).spans;
  if (spans.length === 0) return text;
  spans.sort(([a], [b]) => a - b);
  let clean = '';
  let at = 0;
  for (const [from, to] of spans) {
    if (to <= at) continue;
    clean += from < at ? '' : `${text.slice(at, from)}${MARK}`;
    at = to;
  }
  return clean + text.slice(at);
}

/** A field of a structure: its name may say that it is secret. */
export function redactNamed(name: string, value: string): string {
  const kind = kindOfName(name);
  if (kind === null) return redact(value);
  const about = { isPassword: kind === 'password', isQuoted: true, isTight: true, isInSentence: false };
  return isSecretValue(value, about) ? MARK : redact(value);
}

type Span = readonly [from: number, to: number];
/** What is behind an anchor that was found, if it is a secret. */
type Reader = (scan: Scan, from: number, to: number) => Span | null;

/** `a -p x` is the shortest. */
const SHORTEST = 6;

/** Names that are judged in one text. What comes after so many is not read, and not shown. */
const JUDGED_NAMES_MAX = 2_000;

const readNamed: Reader = (scan, from, to) => scan.judge(namedSecret(scan.text, from, to));
const readScheme: Reader = ({ text }, from, to) => schemeSecret(text, from, to);
const readAuth: Reader = (scan, from, to) => {
  const isHeader = scan.text.slice(to, to + 9).toLowerCase() === 'orization';
  return scan.judge(isHeader ? authorizationSecret(scan.text, to + 9) : namedSecret(scan.text, from, to));
};
const readProgram =
  (rule: FlagRule): Reader =>
  (scan, from, to) => {
    scan.readCommand(rule, from, to);
    return null;
  };

const anyCase = (literal: string, of: Reader): Anchor<Reader> => ({ literal, isAnyCase: true, of });
const exactly = (literal: string, of: Reader): Anchor<Reader> => ({ literal, isAnyCase: false, of });

const anchors = new Anchors<Reader>([
  ...['pass', 'pwd', 'secret', 'token', 'key', 'credential', 'sessionid'].map((word) =>
    anyCase(word, readNamed),
  ),
  ...['sig=', 'sid='].map((word) =>
    anyCase(word, (scan, from, to) => scan.judge(namedSecret(scan.text, from, to - 1))),
  ),
  anyCase('auth', readAuth),
  anyCase('identified', (scan, _from, to) => scan.judge(identifiedSecret(scan.text, to))),
  anyCase('bearer', readScheme),
  anyCase('basic', readScheme),
  anyCase('cookie', (scan, _from, to) => scan.judge(cookieSecret(scan.text, to))),
  ...KEY_FORMATS.map((format) =>
    exactly(format.prefix, ({ text }, from) => {
      const end = keyEnd(text, from, format);
      return end === -1 ? null : [from, end];
    }),
  ),
  ...HOOK_HOSTS.map((host) =>
    exactly(host, ({ text }, _from, to) => {
      const end = hookPathEnd(text, to);
      return end === -1 ? null : [to, end];
    }),
  ),
  exactly('://', ({ text }, _from, to) => urlSecret(text, to)),
  exactly('-----BEGIN ', ({ text }, from) => privateKey(text, from)),
  exactly('-----END ', ({ text, end }, from) => privateKeyEnd(text, from, end)),
  exactly('eyJ', (scan, from) => scan.jwt(from)),
  exactly(':AA', ({ text }, from) => telegramToken(text, from)),
  ...[...'0123456789'].map((digit) => exactly(`${digit}Q~`, ({ text }, from) => azureSecret(text, from + 1))),
  ...PROGRAMS.map(([name, rule]) => exactly(name, readProgram(rule))),
]);

/** One reading of one text. */
class Scan {
  readonly text: string;
  readonly spans: Span[] = [];
  /** The end of the last span. */
  end = 0;
  private judged = 0;
  /** No JWT begins before this index: the run of characters up to it holds no dot. */
  private jwtFreeUntil = 0;
  /** The arguments of a program are read once, however often its name is among them. */
  private readonly commandEnds = new Map<FlagRule, number>();

  constructor(text: string) {
    this.text = text;
    anchors.walk(text, (read, from, to) => {
      if (this.judged > JUDGED_NAMES_MAX) return this.add([from, text.length]);
      const span = read(this, from, to);
      const isFound = span !== null && span[0] < span[1] && !text.startsWith(MARK, span[0]);
      return isFound ? this.add(span) : -1;
    });
  }

  private add(span: Span): number {
    this.spans.push(span);
    this.end = span[1];
    return span[1];
  }

  judge(span: Span | 'no secret' | null): Span | null {
    if (span === null) return null;
    this.judged += 1;
    return span === 'no secret' ? null : span;
  }

  readCommand(rule: FlagRule, from: number, to: number): void {
    if (from < (this.commandEnds.get(rule) ?? 0)) return;
    const command = flagSecrets(this.text, rule, from, to);
    if (!command) return;
    this.commandEnds.set(rule, command.end);
    this.spans.push(...command.spans);
  }

  /** Header, payload and signature in base64url; the signature may be cut. */
  jwt(from: number): Span | null {
    const { text } = this;
    if (from < this.jwtFreeUntil || isOf(text, from - 1, URL_SAFE)) return null;
    const headerEnd = runEnd(text, from, URL_SAFE);
    if (text[headerEnd] !== '.' || headerEnd - from < 10) {
      this.jwtFreeUntil = headerEnd;
      return null;
    }
    const end = runEnd(text, headerEnd + 1, DOTTED);
    return end - headerEnd > 10 ? [from, end] : null;
  }
}

/** `https://user:secret@host`, `https://token@host`, behind the slashes. */
function urlSecret(text: string, from: number): Span | null {
  let end = from;
  let at = -1;
  let colon = -1;
  for (; end < text.length && !isUrlEnd(text.charCodeAt(end)); end += 1) {
    if (text[end] === '@') at = end;
    else if (text[end] === ':' && colon === -1) colon = end;
  }
  if (at === -1) return null;
  const start = colon !== -1 && colon < at ? colon + 1 : from;
  const secret = text.slice(start, Math.min(at, start + 40));
  if (secret === '' || /^(?:[$<{%*]|\[redacted\])/.test(secret)) return null;
  // Without a password, only what looks like a token is one: `ssh://git@host` is a name.
  const isToken = start !== from || (secret.length >= 16 && /\d/.test(secret) && isOf(secret, 0, BASE64));
  return isToken ? [start, at] : null;
}

/** Blanks, slashes, quotes and angle brackets end the part of a URL that may hold a password. */
const isUrlEnd = (code: number): boolean =>
  code <= 32 ||
  code === 47 ||
  code === 34 ||
  code === 39 ||
  code === 96 ||
  code === 60 ||
  code === 62 ||
  code === 92;
