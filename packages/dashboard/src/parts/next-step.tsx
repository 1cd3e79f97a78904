import type { NextStepView } from '@holter/server/wire';
import { Countdown } from './time.tsx';

type Props = {
  readonly next: NextStepView;
  /** Whether the reader is somebody who may decide. */
  readonly mayDecide?: boolean;
  /** Only what and when, for a narrow column. */
  readonly isShort?: boolean;
};

/** What comes next, as a sentence with units. */
export function NextStep({ next, mayDecide = true, isShort = false }: Props) {
  const { step, at, why } = next;
  const when = at === null ? null : <Countdown to={at} />;
  if (when === null) {
    const words =
      step === 'human' && mayDecide && !why.startsWith('waiting') ? `waiting for you: ${why}` : why;
    return <>{isShort ? words.split(';')[0] : words}</>;
  }
  switch (step) {
    case 'terminate':
      return why.startsWith('ordered') ? (
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
          {why.startsWith('nudge') ? why : 'nudge'} in {when}
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
