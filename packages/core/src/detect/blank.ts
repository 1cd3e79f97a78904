/** What `trim` takes away and `\s` matches. */
export const isBlank = (code: number): boolean =>
  code <= 32
    ? code === 32 || (code >= 9 && code <= 13)
    : code >= 0xa0 && /\s/.test(String.fromCharCode(code));
