import type { AgentView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { messageOf, post } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/messages.tsx';
import type { Action } from './actions.ts';

type Props = {
  readonly action: Action;
  readonly agent: AgentView;
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

/** First what will happen, then why you want it; nothing is done on one click. */
export function ActionDialog({ action, agent, onClose, onDone }: Props) {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState(15);
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const has = (field: 'minutes' | 'message'): boolean => action.fields?.includes(field) ?? false;

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    try {
      const { path, body } = action.send(agent, { reason: reason.trim(), minutes, message: message.trim() });
      await post(path, body);
      onDone();
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setSending(false);
    }
  };

  return (
    <Dialog title={`${action.label}: ${agent.agentId}`} onClose={onClose}>
      <form onSubmit={(event: Event) => void submit(event)}>
        <p class="preview">
          <b>What will happen. </b>
          {action.preview(agent)}
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
          <button type="submit" class={action.tone} disabled={isSending || reason.trim() === ''}>
            {isSending ? 'Sending…' : action.label}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
