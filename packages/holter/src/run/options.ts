import { parseBytes } from '@holter/server/policy';
import type { OnLost } from '@holter/server/process';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { duration } from '../terminal/units.ts';
import { AGENT_KINDS } from './find-adapter.ts';

export type RunOptions = {
  readonly agent?: string;
  readonly agentKind: string;
  readonly modelTimeout?: number;
  readonly role: string;
  readonly task?: string;
  readonly group: string;
  readonly mode?: 'observe' | 'nudge' | 'act';
  readonly heartbeat: 'process' | 'output' | 'file' | 'http';
  readonly heartbeatEvery: number;
  readonly checkpointFile?: string;
  readonly resumeCommand?: string;
  readonly limitRuntime?: number;
  readonly limitMemory?: number;
  readonly limitTokens?: number;
  readonly recover: boolean;
  readonly whenStopped: 'report' | 'continue';
  readonly onLost: OnLost;
  readonly lookEvery: number;
  readonly daemon: boolean;
  readonly required?: boolean;
  readonly json?: boolean;
  readonly url?: string;
  readonly data?: string;
  readonly config?: string;
};

/** All options of `run`; everything after `--` is the command and is left alone. */
export function withRunOptions(command: Command): Command {
  return command
    .option('--agent <id>', 'its name (default: the command and a few letters)', agentName)
    .addOption(
      new Option('--agent-kind <kind>', 'which agent it is (auto: by the name of the command)')
        .choices(AGENT_KINDS)
        .default('auto'),
    )
    .option('--model-timeout <time>', "how long a known agent may wait for its model's answer", duration)
    .option('--role <role>', 'decides which thresholds hold', 'default')
    .option('--task <id>', 'the task that it works on')
    .option('--group <group>', 'agents that belong together', 'default')
    .addOption(
      new Option(
        '--mode <mode>',
        'what Holter may do (default: act if it can resume and nobody sits at the terminal, else nudge)',
      ).choices(['observe', 'nudge', 'act']),
    )
    .addOption(
      new Option('--heartbeat <how>', 'what it promises: to run, to print, to touch a file, to call in')
        .choices(['process', 'output', 'file', 'http'])
        .default('process'),
    )
    .addOption(
      new Option('--heartbeat-every <time>', 'how often at least, for output, file and http')
        .argParser(duration)
        .default(60_000, '60s'),
    )
    .option('--checkpoint-file <file>', 'where it writes its state (it is told in HOLTER_CHECKPOINT_FILE)')
    .option(
      '--resume-command <line>',
      'starts it again; {checkpoint}, {attempt}, {agent}, {task} are filled in',
    )
    .option('--limit-runtime <time>', 'at most this long, like 2h', duration)
    .option('--limit-memory <size>', 'at most this much for the whole tree, like 2GB', bytes)
    .option('--limit-tokens <count>', 'at most so many tokens, as the agent reports them', count)
    .option('--no-recover', 'never start it again')
    .addOption(
      new Option('--when-stopped <what>', 'if somebody stops it (SIGSTOP)')
        .choices(['report', 'continue'])
        .default('report'),
    )
    .addOption(
      new Option('--on-lost <what>', 'if this `holter run` itself is killed')
        .choices(['adopt', 'end'])
        .default('adopt'),
    )
    .addOption(new Option('--look-every <time>').argParser(duration).default(5_000).hideHelp())
    .option('--no-daemon', 'host the server in here instead of starting one in the background')
    .option('--required', "do not run the command if Holter can't be used (default: run it unwatched)")
    .option('--json', 'print a JSON line at the end')
    .option('--url <url>', 'address of a server (default: HOLTER_URL, else the one of the data folder)')
    .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)')
    .option('--config <file>', 'holter.yaml for a server that this starts');
}

function agentName(text: string): string {
  if (/^[A-Za-z0-9._@:-]{1,128}$/.test(text)) return text;
  throw new InvalidArgumentError('a name has 1 to 128 of A-Z a-z 0-9 . _ @ : -');
}

function bytes(text: string): number {
  const parsed = parseBytes(text);
  if (parsed !== undefined && parsed > 0) return parsed;
  throw new InvalidArgumentError("write it like '512MB' or '2GiB'.");
}

function count(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number above zero is needed.');
}
