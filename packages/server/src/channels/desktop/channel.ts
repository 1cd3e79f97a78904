import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { AlertMessage } from '../shared/alert-message.ts';
import type { Channel, Delivery } from '../shared/channel.ts';
import type { ChannelKind, Host } from '../shared/channel-kind.ts';
import { runProgram } from '../shared/run-program.ts';

type Way = 'notify-send' | 'osascript' | 'terminal';

type Settings = {
  readonly name: string;
  readonly via: 'auto' | Way;
  readonly perMinute: number;
};

/** What a notification needs to find the screen of the user. */
const SCREEN = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/** A notification on the screen of this machine, or in the terminal of the server. */
export const desktopChannel = ({ name, via, perMinute }: Settings, desktop: Host): Channel => ({
  name,
  perMinute,
  deliver: async ({ alert }, context): Promise<Delivery> => {
    const { env } = desktop;
    const way: Way = via === 'auto' ? wayOf(desktop) : via;
    switch (way) {
      case 'notify-send':
        return runProgram({ argv: notifySend(alert), input: '', env, alsoEnv: SCREEN }, context);
      case 'osascript':
        return runProgram({ argv: osascript(alert), input: '', env }, context);
      case 'terminal':
        return ring(desktop.terminal, alert);
    }
  },
});

function wayOf({ env, platform }: Host): Way {
  if (platform === 'darwin') return 'osascript';
  return env.DISPLAY || env.WAYLAND_DISPLAY || env.DBUS_SESSION_BUS_ADDRESS ? 'notify-send' : 'terminal';
}

const URGENCIES = { info: 'low', warning: 'normal', critical: 'critical' } as const;

/** The body is read as markup by most desktops. */
function notifySend({ title, lines, severity, action }: AlertMessage): readonly string[] {
  const body = lines.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const urgency = action === 'resolve' ? 'low' : URGENCIES[severity];
  return ['notify-send', '--app-name=Holter', `--urgency=${urgency}`, '--', title, body];
}

const SCRIPT = 'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run';

/** The words are arguments of the script and never a part of it. */
const osascript = ({ title, lines }: AlertMessage): readonly string[] => [
  'osascript',
  '-e',
  SCRIPT,
  '--',
  title,
  lines.join('\n'),
];

/** OSC 9 is a notification in many terminals; the bell rings in all. The title has no control characters. */
function ring(terminal: string, { title }: AlertMessage): Delivery {
  let file: number;
  try {
    file = openSync(terminal, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return { kind: 'refused', detail: 'there is no desktop and no terminal here' };
  }
  try {
    writeSync(file, `\u001b]9;${title}\u0007\u0007`);
    return { kind: 'posted', detail: 'shown in the terminal' };
  } catch (error) {
    return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    closeSync(file);
  }
}

export const desktop: ChannelKind<Settings> = {
  read: (reader) => ({ via: reader.word('via') ?? 'auto' }),
  build: desktopChannel,
};
