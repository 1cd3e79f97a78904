import { useState } from 'preact/hooks';
import { isNameAsked, setPersonName } from '../state/person.ts';
import { mayDecide, session } from '../state/session.ts';

/** Asks once per browser who decides here, without being in the way. */
export function AskName() {
  const [name, setName] = useState('');
  const isDemo = (session.value?.demoSpeed ?? 1) > 1;
  if (isNameAsked.value || isDemo || !mayDecide()) return null;
  return (
    <form
      class="ask-name"
      onSubmit={(event: Event) => {
        event.preventDefault();
        setPersonName(name);
      }}
    >
      <label>
        Your name, for the audit trail:{' '}
        <input
          value={name}
          maxLength={60}
          autocomplete="name"
          onInput={(event: Event) => setName((event.target as HTMLInputElement).value)}
        />
      </label>
      <button type="submit" disabled={name.trim() === ''}>
        Save
      </button>
      <button type="button" class="quiet" onClick={() => setPersonName('')}>
        Skip
      </button>
    </form>
  );
}
