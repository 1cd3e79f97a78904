import { isLoopback, type PolicyProblem, type WrittenChannel } from '../../policy/index.ts';

export type Secrets = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly read: (path: string) => string;
};

/** The values of one channel, with its secrets looked up. What is wrong with them is collected in `problems`. */
export class ChannelReader {
  readonly problems: PolicyProblem[] = [];
  private readonly path: string;
  private readonly values: WrittenChannel['values'];
  private readonly secrets: Secrets;

  constructor(path: string, { values }: Pick<WrittenChannel, 'values'>, secrets: Secrets) {
    this.path = path;
    this.values = values;
    this.secrets = secrets;
  }

  complain(key: string, message: string): void {
    this.problems.push({ path: `${this.path}.${key}`, message });
  }

  number(key: string): number | null {
    return (this.values[key] as number | undefined) ?? null;
  }

  word<Word extends string>(key: string): Word | null {
    return (this.values[key] as Word | undefined) ?? null;
  }

  list(key: string): readonly string[] {
    const items = this.values[key] as readonly string[] | undefined;
    if (items === undefined) this.complain(key, 'is needed');
    return items ?? [];
  }

  /** From the file itself, a variable or another file; null when none of them is named. */
  secret(key: string): string | null {
    const given = [key, `${key}_env`, `${key}_file`].filter((each) => this.values[each] !== undefined);
    const [source = key] = given;
    if (given.length > 1) this.complain(source, `and ${given[1]} say the same; keep one`);
    const value = this.values[source] as string | undefined;
    if (value === undefined || source === key) return value ?? null;
    const found = source.endsWith('_env') ? this.secrets.env[value] : this.readSecret(source, value);
    if (found === undefined || found.trim() === '') {
      if (found !== undefined || source.endsWith('_env'))
        this.complain(
          source,
          source.endsWith('_env') ? `names ${value}, which is not set` : 'names an empty file',
        );
      return '';
    }
    return found.trim();
  }

  needed(key: string): string {
    const value = this.secret(key);
    if (value === null) this.complain(key, 'is needed');
    return value ?? '';
  }

  /** As `needed`, of what is usually not in the file itself. */
  neededSecret(key: string): string {
    const value = this.secret(key);
    if (value === null) this.complain(key, `is needed: ${key}_env or ${key}_file`);
    return value ?? '';
  }

  /** http is for this machine only: alerts tell what agents do. */
  url(fallback?: string): string {
    const value = this.secret('url') ?? fallback;
    const key = ['url', 'url_env', 'url_file'].find((each) => this.values[each] !== undefined) ?? 'url';
    if (value === undefined) {
      this.complain('url', 'is needed: url, url_env or url_file');
      return '';
    }
    const url = URL.canParse(value) ? new URL(value) : null;
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
    if (value !== '' && (!url || !isSafe || url.username !== '' || url.password !== ''))
      this.complain(key, 'must be an https address without a user name (http only for this machine)');
    return value;
  }

  private readSecret(key: string, path: string): string | undefined {
    try {
      return this.secrets.read(path);
    } catch (error) {
      this.complain(key, `can't be read: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}
