import { useState } from 'preact/hooks';
import { messageOf, post } from '../state/api.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './messages.tsx';

/** A decision that a person can make: its name, what follows from it, and the request that is sent. */
export type Decision = {
  readonly title: string;
  readonly label: string;
  readonly tone: 'calm' | 'grave';
  readonly preview: string;
  readonly fields?: readonly ('minutes' | 'message')[];
  readonly send: (input: DecisionInput) => DecisionRequest;
};

export type DecisionInput = { readonly reason: string; readonly minutes: number; readonly message: string };
export type DecisionRequest = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

type Props = {
  readonly decision: Decision;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

const MINUTES = [15, 60, 240, 1_440, 10_080] as const;
const minutesWord = (minutes: number): string =>
  minutes < 60
    ? `${minutes} minutes`
    : minutes < 1_440
      ? `${minutes / 60} h`
      : minutes === 1_440
        ? 'a day'
        : 'a week';

/** Shows what will happen and asks for a reason, so that one click decides nothing. Shows refusals too. */
export function DecisionDialog({ decision, onClose, onDone }: Props) {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState(15);
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const has = (field: 'minutes' | 'message'): boolean => decision.fields?.includes(field) ?? false;

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    try {
      const { path, body } = decision.send({ reason: reason.trim(), minutes, message: message.trim() });
      await post(path, body);
      onDone();
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setSending(false);
    }
  };

  return (
    <Dialog title={decision.title} onClose={onClose}>
      <form onSubmit={(event: Event) => void submit(event)}>
        <p class="preview">
          <b>What will happen. </b>
          {decision.preview}
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
                  {minutesWord(each)}
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
          Reason, for the audit trail
          <input
            value={reason}
            required
            maxLength={1_000}
            onInput={(event: Event) => setReason((event.target as HTMLInputElement).value)}
          />
        </label>
        {problem !== null && <Problem error={problem} />}
        <div class="dialog-foot">
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={decision.tone} disabled={isSending || reason.trim() === ''}>
            {isSending ? 'Sending…' : decision.label}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
