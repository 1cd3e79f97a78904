import { hasDigit, hasLetter, hasLower, hasUpper, kindsIn, OTHER } from './characters.ts';

/**
 * Whether what stands behind a name such as `password` is a secret or only talk about one: a placeholder, a
 * reference, a type, an expression, a sentence. The text that is judged is short (see `JUDGED_MAX`).
 */
export const MARK = '[redacted]';

/** A value is judged by its first characters. */
export const JUDGED_MAX = 200;

/** Words that stand behind `password:` in messages, types and forms. */
const NOT_SECRET = new Set(
  (
    'required missing invalid incorrect expired revoked wrong empty blank unset set changed updated rotated ok ' +
    'failed error denied accepted rejected verified confirmed valid mismatch matches match field fields input ' +
    'string str text varchar char number int integer bool boolean any unknown object array bytes buffer optional ' +
    'null nil none undefined void never true false yes no on off default auto basic bearer digest oauth oauth2 ' +
    'redacted masked hidden removed secret secrets password passwd passphrase token tokens key keys auth value ' +
    'is was are not must should may can cannot has have to the a an for of in at by with and or from this that ' +
    'here there please enter enabled disabled public private file stdin prompt env example sample placeholder ' +
    'todo tbd changeit notset self const let var new await return async function class interface type import ' +
    'argon2id argon2 bcrypt scrypt pbkdf2 sha1 sha256 sha512 md5 base64 utf8 ascii hex uuid jwt'
  ).split(' '),
);

/** `$TOKEN`, `${{ x }}`, `<token>`, `{token}`, `%TOKEN%`, `***`, `xxxx`, `...`, `[redacted]`, `@file`. */
const isPlaceholder = (value: string): boolean =>
  /^(?:[$<{%@([,;)|]|\/\^|[*x.•_-]{3,}$|X{3,}|\\+[$nrt(])/.test(value) ||
  /^(?:your|my|insert|some)[_-]/i.test(value);

const PART =
  '(?:[a-z_]{2,30}(?:[A-Z][a-z]{1,30}){0,6}|[A-Z_]{2,60}|[A-Z][a-z]{1,30}(?:[A-Z][a-z]{1,30}){0,6})';
const DOTTED_NAME = new RegExp(`^${PART}(?:\\.${PART}){1,6}(?:\\W|$)`);

/** `process.env.TOKEN`, `config.apiKey`, `getToken(`, `user?.token`, `Foo<Bar>`. */
const isExpression = (value: string): boolean =>
  /^(?:[A-Za-z_]\w{0,40}\.){0,5}[A-Za-z_]\w{0,60}(?:\(|\[|\?\.|<[A-Z]|::|->)/.test(value) ||
  DOTTED_NAME.test(value);

const isPath = (value: string): boolean =>
  /^(?:~|\.{1,2})?\/[\w.-]{1,60}(?:\/[\w.-]{1,60}){1,12}\/?$/.test(value) ||
  /^(?:[a-z]{2,12}:\/\/|[\w./~-]{1,120}\.(?:json|ya?ml|txt|pem|key|crt|env|[cm]?[jt]sx?|py|go|rs|sh|md|toml|ini)$)/.test(
    value,
  );

type Circumstances = {
  /** Any value of a password is one; a token or a key is recognised by its look. */
  readonly isPassword: boolean;
  readonly isQuoted: boolean;
  /** `NAME=value`, a flag or a header: a machine reads it. */
  readonly isTight: boolean;
  /** More words follow on the line. */
  readonly isInSentence: boolean;
};

export function isSecretValue(value: string, about: Circumstances): boolean {
  const { isPassword, isQuoted, isTight, isInSentence } = about;
  const word = value.toLowerCase();
  if (value.length < (isPassword ? 3 : 6) || NOT_SECRET.has(word.replace(/(?<![.,:;!?])[.,:;!?]+$/, '')))
    return false;
  if (value.startsWith(MARK) || isPlaceholder(value) || isPath(value)) return false;
  if (!isQuoted && isExpression(value)) return false;
  const kinds = kindsIn(value);
  const isMixed = hasDigit(kinds) && hasLetter(kinds);
  if (!hasLetter(kinds)) return isPassword ? isTight && value.length >= 4 : false;
  if (isMixed && value.length >= 6) return !isVersion(value);
  if (isQuoted) return isPassword ? isTight || isPhrase(value) : looksRandom(value, kinds);
  if (isInSentence) return isTight && (isPassword || looksRandom(value, kinds));
  // `password = userPassword` is code.
  if (/pass|token|secret|key|cred/i.test(value) && !isTight) return false;
  if (looksRandom(value, kinds)) return true;
  return isPassword ? isTight || !/[a-z][A-Z]/.test(value) : isTight && value.length >= 8;
}

/** Of three words and more: a passphrase is a row of plain words, a message has words that join them. */
function isPhrase(value: string): boolean {
  const words = value.split(/\s+/);
  if (words.length < 3) return true;
  return (
    words.length <= 8 && words.every((word) => /^[\w-]{1,20}$/.test(word) && !JOINING.has(word.toLowerCase()))
  );
}

const JOINING = new Set(
  (
    'is are was be been must should may can cannot could would will not no has have had do does did to the a an for of ' +
    'in on at by with and or from this that than then if your our please enter choose type confirm forgot reset ' +
    'change required invalid incorrect missing wrong least most characters character password passwords secret'
  ).split(' '),
);

const isVersion = (value: string): boolean => /^v?\d{1,4}\.\d{1,4}[\w.+-]{0,30}$/.test(value);

/** Letters only: a name has words in it, a key has neither words nor one case. */
function looksRandom(value: string, kinds: number): boolean {
  if (/\s/.test(value) || value.length < 12) return false;
  return (
    (kinds & OTHER) !== 0 ||
    (hasLower(kinds) && hasUpper(kinds) && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(value))
  );
}

/** For words that follow `password is` or `password` in a sentence. */
export function looksTyped(value: string): boolean {
  if (value.length < 6 || NOT_SECRET.has(value.toLowerCase()) || isPlaceholder(value) || isPath(value))
    return false;
  const kinds = kindsIn(value);
  return hasDigit(kinds) && hasLetter(kinds) && !isVersion(value) && !isExpression(value);
}
