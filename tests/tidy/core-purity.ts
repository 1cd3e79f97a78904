import { importsOf } from './imports.ts';
import { mask } from './mask.ts';
import { isTest, packageOf, type Repo, violation } from './repo.ts';

/**
 * The linter knows scopes and forbids the globals; this repeats their unmistakable uses, so that no suppression
 * opens a hole, and adds what the linter cannot say. `process` is left to the linter and the compiler: core has
 * good reasons for a variable of that name.
 */
const forbidden: readonly { pattern: RegExp; problem: string; instead: string }[] = [
  {
    pattern: /\bnew\s+Date\b|(?<![.\w])Date\s*[.(]|(?<![.\w])performance\s*\./g,
    problem: 'core reads a clock',
    instead: 'take the instant from the input (`at`)',
  },
  {
    pattern: /\bMath\s*(?:\.|\?\.)\s*random\b|\bMath\s*\[|=\s*Math\b(?!\s*\.)|(?<![.\w])crypto\s*\./g,
    problem: 'core rolls dice',
    instead: 'take a roll, or a hash function, from the input',
  },
  {
    pattern: /(?<![.\w])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    problem: 'core sets a timer',
    instead: 'return the instant as wakeAt',
  },
  {
    pattern:
      /(?<![.\w])await\b|(?<![.\w])async\b(?=\s*(?:function|\(|\*|[\w$]+\s*(?:=>|\()))|\bnew\s+Promise\b|(?<![.\w])Promise\s*\./g,
    problem: 'core is asynchronous',
    instead: 'return an effect and let the shell feed its result back as an input',
  },
  {
    pattern: /(?<![.\w])(?:fetch\s*\(|console\s*\.|require\s*\(|eval\s*\(|globalThis\b|new\s+Function\b)/g,
    problem: 'core reaches outside',
    instead: 'return an effect or an event, or take the value as an input',
  },
  {
    pattern: /\btoLocale\w*|\blocaleCompare\b|(?<![.\w])Intl\s*\./g,
    problem: 'core depends on the locale of the machine',
    instead: 'compare with < and >, and format by hand or in the shell',
  },
];

const suppression = /biome-ignore(?:-\w+)?\s+(?:lint\b(?!\/)|lint\/style\/noRestricted|lint\/style(?!\/))/g;

export function coreIsPure(repo: Repo): string[] {
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (packageOf(path) !== 'core' || isTest(path)) continue;
    const code = mask(text);
    for (const { pattern, problem, instead } of forbidden) {
      for (const match of code.matchAll(pattern)) {
        problems.push(violation(path, text, match.index, `${problem} (${match[0].trim()})`, instead));
      }
    }
    for (const { specifier, index, isDynamic } of importsOf(text)) {
      if (isDynamic) {
        problems.push(
          violation(path, text, index, 'core imports dynamically', 'import at the top of the file'),
        );
      } else if (!/^\.\.?\//.test(specifier)) {
        const instead = 'pass the value in, or move the code to the shell';
        problems.push(violation(path, text, index, `core imports ${specifier}`, instead));
      }
    }
    for (const match of text.matchAll(suppression)) {
      const instead = 'keep the rule and change the code';
      problems.push(violation(path, text, match.index, 'core switches a border off', instead));
    }
  }
  return problems;
}
