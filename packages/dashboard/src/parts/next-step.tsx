import type { NextStepView } from '@holter/server/wire';
import { Countdown } from './time.tsx';

type Props = {
  readonly next: NextStepView;
  /** Whether the reader is somebody who may decide. */
  readonly mayDecide?: boolean;
  /** Only what and when, for a narrow column. */
  readonly isShort?: boolean;
};

/** Where a narrow column needs fewer words. */
const shortWords: { readonly [code in NextStepView['code']]?: string } = {
  'waits-for-person-only': 'waiting for you',
  'on-hold': 'on hold',
  'on-hold-by-own-word': 'on hold',
  'order-waits': 'ordered',
};

/** Their words say already what is waited for. */
const WAITING: ReadonlySet<NextStepView['code']> = new Set([
  'waits-for-person',
  'waits-for-person-only',
  'run-not-connected',
]);

/** What comes next, as a sentence with units. */
export function NextStep({ next, mayDecide = true, isShort = false }: Props) {
  const { step, at, code, why } = next;
  const words = (isShort ? shortWords[code] : undefined) ?? why;
  if (at === null)
    return <>{step === 'human' && mayDecide && !WAITING.has(code) ? `waiting for you: ${words}` : words}</>;
  const when = <Countdown to={at} />;
  switch (step) {
    case 'terminate':
      return code === 'ordered' ? (
        <>
          terminates in {when}, {why}
        </>
      ) : (
        <>
          terminates in {when}
          {!isShort && ` unless ${mayDecide ? 'you decide' : 'somebody decides'}`}
        </>
      );
    case 'recover':
      return <>restarts in {when}</>;
    case 'nudge':
      return (
        <>
          {code === 'nudge-again' ? 'nudges again' : 'nudges'} in {when}
          {code === 'nudge-again' && !isShort && ` (${why})`}
        </>
      );
    case 'escalate':
      return <>escalates in {when} if nothing changes</>;
    case 'close':
      return (
        <>
          closes in {when} ({why})
        </>
      );
    case 'human':
      return (
        <>
          waits for you in {when}: {why}
        </>
      );
  }
}
