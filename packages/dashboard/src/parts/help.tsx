import { isHelpOpen } from '../state/keys.ts';
import { Dialog } from './dialog.tsx';

const keys: readonly (readonly [string, string])[] = [
  ['j / k', 'next, previous agent'],
  ['Enter', 'open the agent'],
  ['x', 'select the agent, to decide about several at once'],
  ['/', 'search'],
  ['1 … 6', 'fleet, incidents, breakers, history, system, cost'],
  ['Esc', 'clear the search, leave a field, close a dialog'],
  ['?', 'this help'],
];

export function Help() {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog
      title="How to read this"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <p>
        Every agent has a strip: the last hour, or its life if it is younger, newest on the right. A small
        bump is a heartbeat, a tall spike a tool call, a stroke below the line an error. A flat line is
        silence. The bar underneath is the state: none while healthy, dashes while degraded, blocks while
        stuck, a solid bar while failing.
      </p>
      <table class="plain">
        <tbody>
          {keys.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
