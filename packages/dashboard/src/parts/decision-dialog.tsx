import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf, post } from '../state/api.ts';
import { changes } from '../state/live.ts';
import { effectsOf, followOutcome } from '../state/outcome.ts';
import { tell } from '../state/toasts.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './messages.tsx';
import { inTime } from './words.ts';

/** A decision that a person can make: its name, what follows from it, and the request that is sent. */
export type Decision = {
  readonly agentId: string;
  readonly title: string;
  readonly label: string;
  /** `grave`: nothing starts again by itself. */
  readonly tone: 'calm' | 'grave';
  /** It stops something that runs; other decisions may go without a reason. */
  readonly needsReason?: boolean;
  /** Sent if the person gives none. */
  readonly reasonIfNone?: string;
  readonly preview: string;
  /** Said when the server has accepted it. */
  readonly done: (input: DecisionInput) => string;
  readonly fields?: readonly ('minutes' | 'message')[];
  readonly send: (input: DecisionInput) => DecisionRequest;
};

export type DecisionInput = { readonly reason: string; readonly minutes: number; readonly message: string };
export type DecisionRequest = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

/** The audit trail names a reason for every decision. */
const NO_REASON = 'no reason given';

/** Several decisions are one for as many agents. */
type Asked = { readonly decisions: readonly Decision[]; readonly title: string };
const asked = signal<Asked | null>(null);

/** Opens the dialog of a decision, over whatever view is shown. */
export function ask(decision: Decision): void {
  asked.value = { decisions: [decision], title: decision.title };
}

/** The same decision about several agents. */
export function askAll(decisions: readonly Decision[]): void {
  const [first] = decisions;
  if (!first) return;
  const title = decisions.length === 1 ? first.title : `${first.label}: ${decisions.length} agents`;
  asked.value = { decisions, title };
}

const MINUTES = [15, 60, 240, 1_440, 10_080] as const;

/** Shows what will happen before anything does, asks for a reason, and shows refusals. */
export function DecisionDialog() {
  const shown = asked.value;
  if (!shown) return null;
  return (
    <Form
      key={shown.title}
      shown={shown}
      onClose={() => {
        asked.value = null;
      }}
    />
  );
}

function Form({ shown, onClose }: { readonly shown: Asked; readonly onClose: () => void }) {
  const { decisions, title } = shown;
  const [decision] = decisions;
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState(15);
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('input, select')?.focus(), []);
  if (!decision) return null;
  const has = (field: 'minutes' | 'message'): boolean => decision.fields?.includes(field) ?? false;
  const { needsReason = false, reasonIfNone = NO_REASON } = decision;

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (needsReason && reason.trim() === '') {
      setProblem('it needs a reason, which goes into the audit trail');
      form.current?.querySelector<HTMLElement>('[name=reason]')?.focus();
      return;
    }
    setSending(true);
    setProblem(null);
    const input = { reason: reason.trim() || reasonIfNone, minutes, message: message.trim() };
    const refusals: string[] = [];
    for (const each of decisions) {
      const refusal = await send(each, input);
      if (refusal !== null) refusals.push(decisions.length === 1 ? refusal : `${each.agentId}: ${refusal}`);
    }
    if (decisions.length > 1)
      tell(`${decision.label}: ${decisions.length - refusals.length} of ${decisions.length} done`);
    if (refusals.length === 0) return onClose();
    setProblem(refusals.join('; '));
    setSending(false);
  };

  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} noValidate onSubmit={(event: Event) => void submit(event)}>
        <p class="preview">
          <b>What will happen. </b>
          {decisions.length === 1
            ? decision.preview
            : `For each of ${decisions.map(({ agentId }) => agentId).join(', ')}: ${decision.preview}`}
        </p>
        {has('minutes') && (
          <label class="field">
            For how long
            <select
              value={String(minutes)}
              onChange={(event: Event) => setMinutes(Number((event.target as HTMLSelectElement).value))}
            >
              {MINUTES.map((each) => (
                <option key={each} value={String(each)}>
                  {inTime(each * 60_000)}
                </option>
              ))}
            </select>
          </label>
        )}
        {has('message') && (
          <label class="field">
            Message (optional)
            <input
              value={message}
              maxLength={1_000}
              onInput={(event: Event) => setMessage((event.target as HTMLInputElement).value)}
            />
          </label>
        )}
        <label class="field">
          {needsReason ? 'Reason, for the audit trail' : 'Reason, for the audit trail (optional)'}
          <input
            name="reason"
            value={reason}
            required={needsReason}
            aria-invalid={needsReason && problem !== null && reason.trim() === ''}
            maxLength={1_000}
            onInput={(event: Event) => setReason((event.target as HTMLInputElement).value)}
          />
        </label>
        {problem !== null && <Problem error={problem} />}
        <div class="dialog-foot">
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={`primary ${decision.tone}`} disabled={isSending}>
            {isSending ? 'Sending…' : decision.label}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns why the server refused it, or null. */
async function send(decision: Decision, input: DecisionInput): Promise<string | null> {
  const { agentId } = decision;
  const known = new Set((await effectsOf(agentId)).map(({ effectId }) => effectId));
  const { path, body } = decision.send(input);
  try {
    await post(path, body);
  } catch (error) {
    return messageOf(error);
  }
  tell(decision.done(input));
  changes.value += 1;
  void followOutcome(agentId, known);
  return null;
}
