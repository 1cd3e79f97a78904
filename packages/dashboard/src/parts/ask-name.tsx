import { useState } from 'preact/hooks';
import { isNameSkipped, isRenaming, setPersonName, skipName } from '../state/person.ts';
import { mayDecide, session } from '../state/session.ts';

/** Asks once who decides here, without being in the way. */
export function AskName() {
  const [name, setName] = useState('');
  if (!isWanted()) return null;
  return (
    <form
      class="ask-name"
      onSubmit={(event: Event) => {
        event.preventDefault();
        void setPersonName(name);
      }}
    >
      <label>
        Your name, for the audit trail:{' '}
        <input
          value={name}
          maxLength={64}
          autocomplete="name"
          onInput={(event: Event) => setName((event.target as HTMLInputElement).value)}
        />
      </label>
      <button type="submit" disabled={name.trim() === ''}>
        Save
      </button>
      <button type="button" class="quiet" onClick={skipName}>
        Skip
      </button>
    </form>
  );
}

function isWanted(): boolean {
  const { name, demoSpeed } = session.value ?? { name: null, demoSpeed: null };
  if (!mayDecide() || (demoSpeed ?? 1) > 1) return false;
  return isRenaming.value || (name === null && !isNameSkipped.value);
}
