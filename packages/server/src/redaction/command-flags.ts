import { isOf, URL_SAFE } from './characters.ts';

/** Passwords behind one-letter flags, which mean a password only for these programs. */
export type FlagRule = { readonly flag: RegExp; readonly needs?: RegExp };

const VALUE = /["']?([^\s"'$<-][^\s"']{0,200})/.source;
const after = (flag: string): RegExp => new RegExp(`\\s${flag}${VALUE}`, 'g');
const PAIR = '["\']?[^\\s:"\']{1,100}:';
/** A name and its value; further ones only in quotes. `-b cookies.txt` is a file. */
const COOKIES =
  /(?:-b ?|--cookie[ =])(?:["']([\w.$-]{1,100}=[^"'\n$<{][^"'\n]{0,200})|([\w.$-]{1,100}=[^\s"'$<{][^\s"']{0,200}))/
    .source;

const RULES: readonly (readonly [programs: string, rule: FlagRule])[] = [
  ['mysql mysqldump mysqladmin mysqlimport mariadb', { flag: after('-p') }],
  ['7za 7z', { flag: after('-p') }],
  ['sshpass mongo mongosh mongodump cqlsh influx', { flag: after('-p ?') }],
  ['docker podman helm az skopeo buildah oras nerdctl', { flag: after('-p '), needs: /\blogin\b/ }],
  ['redis-cli', { flag: after('-a ') }],
  ['zip unzip mosquitto_pub mosquitto_sub sqlcmd', { flag: after('-P ?') }],
  ['ldapsearch ldapmodify ldapadd', { flag: after('-w ') }],
  ['ssh-keygen', { flag: after('-[NP] ') }],
  [
    'curl',
    {
      flag: new RegExp(
        `${after(`(?:(?:-u ?|--user[ =])${PAIR}|--oauth2-bearer[ =])`).source}|\\s${COOKIES}`,
        'g',
      ),
    },
  ],
  ['wget', { flag: after(`(?:-u ?|--user[ =])${PAIR}`) }],
  ['http https xh xhs', { flag: after(`(?:-a ?|--auth[ =])${PAIR}`) }],
  ['gh', { flag: after('(?:-b ?|--body[ =])'), needs: /\bsecret set\b/ }],
  ['kubectl oc', { flag: after('--from-literal[ =][\\w.-]{1,60}='), needs: /\bsecret\b/ }],
  ['smbclient', { flag: after('-U ?["\']?[^\\s%"\']{1,60}%') }],
  ['htpasswd', { flag: after('-\\w{0,6}b\\w{0,6}(?: +[^\\s-]\\S{0,60}){2} +') }],
  ['openssl', { flag: after('(?:-pass(?:in|out)? pass:|-[kK] )') }],
];

/** The name of each program with the blank behind it. */
export const PROGRAMS: readonly (readonly [name: string, rule: FlagRule])[] = RULES.flatMap(
  ([programs, rule]) => programs.split(' ').map((program) => [`${program} `, rule] as const),
);

/** A command is looked at as far as this. */
const COMMAND_MAX = 300;

type Command = { readonly end: number; readonly spans: readonly (readonly [from: number, to: number])[] };

/** The secrets among the arguments of a program, whose name and the blank behind it are at `from` to `to`. */
export function flagSecrets(
  text: string,
  { flag, needs }: FlagRule,
  from: number,
  to: number,
): Command | null {
  if (isOf(text, from - 1, URL_SAFE)) return null;
  const start = to - 1;
  const rest = text.slice(start, start + COMMAND_MAX);
  const command = rest.slice(0, /[\n|;]|&&/.exec(rest)?.index ?? rest.length);
  const end = start + command.length;
  if (!command.includes(' -') || needs?.test(command) === false) return { end, spans: [] };
  const spans = [...command.matchAll(flag)].map(({ index, 0: all, ...found }) => {
    const value = found[1] ?? found[2] ?? found[3] ?? '';
    const valueEnd = start + index + all.length;
    return [valueEnd - value.length, valueEnd] as const;
  });
  return { end, spans };
}
