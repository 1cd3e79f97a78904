// Lines that stand in the sources more than once: for `measure.mjs`.

/** So many lines of code in a row; fewer are equal by chance. */
const WINDOW = 6;

const isImport = /^(?:import\b|export .* from |\} from )/;
const isThin = /^[\])}>;,\s]*$/;

/** The lines of code, without indentation, comments, imports, and lines of brackets alone. */
function codeOf([path, text]) {
  let isInImport = false;
  return text.split('\n').flatMap((line, index) => {
    const code = line.trim();
    const begins = /^(?:import|export)(?: type)? \{$/.test(code);
    if (begins) isInImport = true;
    const isSkipped = isInImport || isImport.test(code) || isThin.test(code) || /^(?:\/\/|\/?\*)/.test(code);
    if (isInImport && code.startsWith('}')) isInImport = false;
    return isSkipped ? [] : [{ path, line: index + 1, code: code.replaceAll(/\s+/g, ' ') }];
  });
}

/** How many lines of code there are, and those of them that are part of a run that stands elsewhere too. */
export function duplicatesOf(sources) {
  const files = sources.map(codeOf);
  const places = new Map();
  for (const lines of files)
    for (let start = 0; start + WINDOW <= lines.length; start++) {
      const run = lines.slice(start, start + WINDOW);
      const text = run.map(({ code }) => code).join('\n');
      places.set(text, [...(places.get(text) ?? []), run]);
    }
  const repeated = [...places.values()].filter((runs) => runs.length > 1);
  const again = new Set(repeated.flat(2).map(({ path, line }) => `${path}:${line}`));
  return { lines: files.flat().length, repeated: again.size, firsts: runsOf(files, again) };
}

/** Where each run of repeated lines begins. */
const runsOf = (files, again) =>
  files.flatMap((lines) =>
    lines
      .map(({ path, line }) => `${path}:${line}`)
      .filter((place, index, all) => again.has(place) && !again.has(all[index - 1])),
  );
