/**
 * Keys, tokens and passwords in text for people (a blocker, a reason, a note) must not be stored. They are
 * recognised by a known prefix, or by a name in front of them such as `password=`.
 * Not recognised: a bare random string. Redacting those would also blank every hash and id.
 */
const faces: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bhlt_[A-Za-z0-9_-]{16,}/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
];
/** `https://user:secret@host`. All repeats are bounded, so that crafted text can't make the search slow. */
const inUrl = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@)/gi;
const afterScheme = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const afterName =
  /((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization)["']?\s*[:=]\s*["']?)(?!\[redacted\]|Bearer\b|Basic\b)[^\s"',;&]{4,}/gi;

/** Cheap pre-check: most texts contain no secret and skip the other patterns. */
const isSuspicious =
  /hlt_|sk-|_live_|_test_|gh[pousr]_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|npm_|eyJ|PRIVATE KEY|:\/\/[^\s/]{0,500}@|Bearer|Basic|pass|pwd|secret|token|key|authorization/i;

export function redact(text: string): string {
  if (!isSuspicious.test(text)) return text;
  let clean = text;
  for (const face of faces) clean = clean.replace(face, '[redacted]');
  return clean
    .replace(inUrl, '$1[redacted]')
    .replace(afterScheme, '$1 [redacted]')
    .replace(afterName, '$1[redacted]');
}
