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
    .option('--role <role>', 'selects the thresholds', 'default')
    .option('--task <id>', 'the task that it works on')
    .option('--group <group>', 'the group that it belongs to', 'default')
    .addOption(
      new Option(
        '--mode <mode>',
        'what Holter may do (default: act if it can resume and nobody is at the terminal, otherwise nudge)',
      ).choices(['observe', 'nudge', 'act']),
    )
    .addOption(
      new Option(
        '--heartbeat <how>',
        'what counts as a heartbeat: nothing (process), output, a touched file, an HTTP request',
      )
        .choices(['process', 'output', 'file', 'http'])
        .default('process'),
    )
    .addOption(
      new Option('--heartbeat-every <time>', 'longest time between two heartbeats of output, file or http')
        .argParser(duration)
        .default(60_000, '60s'),
    )
    .option(
      '--checkpoint-file <file>',
      'the file with its state (the command finds the path in HOLTER_CHECKPOINT_FILE)',
    )
    .option(
      '--resume-command <line>',
      'the command for restarts; {checkpoint}, {attempt}, {agent}, {task} and {reason} are replaced',
    )
    .option('--limit-runtime <time>', 'longest run time, such as 2h', duration)
    .option('--limit-memory <size>', 'most memory of the command and its child processes, such as 2GB', bytes)
    .option('--limit-tokens <count>', 'most tokens, as the agent reports them', count)
    .option('--no-recover', 'never restart it')
    .addOption(
      new Option('--when-stopped <what>', 'what to do if the command is suspended (SIGSTOP)')
        .choices(['report', 'continue'])
        .default('report'),
    )
    .addOption(
      new Option('--on-lost <what>', 'what the server does with the command if this `holter run` is killed')
        .choices(['adopt', 'end'])
        .default('adopt'),
    )
    .addOption(new Option('--look-every <time>').argParser(duration).default(5_000).hideHelp())
    .option('--no-daemon', 'run the server in this process instead of in the background')
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
