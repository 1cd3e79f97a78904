import type { Session } from 'node:inspector';

/** What the inspector saw in the main thread. */
export type MainStack =
  | { readonly kind: 'running'; readonly where: string | null }
  /** A debugger has paused it: the loop is stopped on purpose. */
  | { readonly kind: 'debugged' }
  /** It is in native code, which cannot be interrupted, or there is no inspector. */
  | { readonly kind: 'unknown' };

type Frame = {
  readonly functionName: string;
  readonly location: {
    readonly scriptId: string;
    readonly lineNumber: number;
    readonly columnNumber?: number;
  };
};

const FRAMES_MAX = 3;

/**
 * Pauses the main thread, reads its stack as a debugger would, and resumes it immediately. A main thread in native
 * code cannot be paused; the request is withdrawn before it could take effect later.
 */
export async function readMainStack(waitMs: number): Promise<MainStack> {
  const session = await connect();
  if (!session) return { kind: 'unknown' };
  try {
    return await ask(session, waitMs);
  } finally {
    session.disconnect();
  }
}

/** Runs in the main thread even while it is in a loop. Ends the process, so there is nothing to wait for. */
export async function exitMain(code: number): Promise<void> {
  const session = await connect();
  session?.post('Runtime.evaluate', { expression: `globalThis.process.exit(${code})` });
}

async function connect(): Promise<Session | null> {
  try {
    const { Session } = await import('node:inspector');
    const session = new Session();
    session.connectToMainThread();
    return session;
  } catch {
    // Node can be built without an inspector.
    return null;
  }
}

function ask(session: Session, waitMs: number): Promise<MainStack> {
  return new Promise((resolve) => {
    const urls = new Map<string, string>();
    let hasAsked = false;
    let isAnswered = false;
    const answer = (stack: MainStack): void => {
      isAnswered = true;
      clearTimeout(timer);
      resolve(stack);
    };
    const timer = setTimeout(answer, waitMs, { kind: 'unknown' } satisfies MainStack);
    session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
    session.on('Debugger.paused', ({ params }) => {
      // It was paused before this request, by a debugger, so it is not resumed here.
      if (!hasAsked) return answer({ kind: 'debugged' });
      session.post('Debugger.resume', () =>
        answer({ kind: 'running', where: describe(params.callFrames as readonly Frame[], urls) }),
      );
    });
    session.post('Debugger.enable', () => {
      // Too late: the session is closed, and the main thread must not be paused any more.
      if (isAnswered) return;
      hasAsked = true;
      session.post('Debugger.pause');
    });
  });
}

/** The host's own frames; frames of Node itself do not show what hangs. */
function describe(frames: readonly Frame[], urls: ReadonlyMap<string, string>): string | null {
  const own = frames.filter(({ location }) => {
    const url = urls.get(location.scriptId) ?? '';
    return url !== '' && !url.startsWith('node:');
  });
  const text = own
    .slice(0, FRAMES_MAX)
    .map(({ functionName, location }) => {
      const file = (urls.get(location.scriptId) ?? 'unknown').replace(/^file:\/\//, '');
      const at = `${file}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`;
      return `${functionName || '(anonymous)'} (${at})`;
    })
    .join(' < ');
  return text === '' ? null : oneLine(text);
}

/** Names of functions and files come from the host and may contain anything. */
const oneLine = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, 600);
