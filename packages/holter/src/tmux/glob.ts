/** Whether a name matches a pattern in which `*` stands for any characters and `?` for one. */
export function matchesGlob(pattern: string, name: string): boolean {
  let at = 0;
  let index = 0;
  let star = -1;
  let retry = 0;
  while (index < name.length) {
    if (at < pattern.length && pattern[at] !== '*' && (pattern[at] === '?' || pattern[at] === name[index])) {
      at += 1;
      index += 1;
    } else if (pattern[at] === '*') {
      star = at;
      retry = index;
      at += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += 1;
      index = retry;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
