import { loginProblem } from '../state/session.ts';

/** There is no password: a user with a terminal on the server gets a log-in link from `holter open`. */
export function Login() {
  return (
    <main class="login">
      <svg viewBox="0 0 340 80" aria-hidden="true">
        <path d="M0 48h96l14-6 12 6h18l10-30 16 58 14-68 12 46 8-6h20l14-8 14 8h92" />
      </svg>
      <h1>Holter</h1>
      {loginProblem.value !== null && (
        <p class="problem" role="alert">
          {loginProblem.value}
        </p>
      )}
      <p>To open this page, make a link in a terminal on the machine where Holter runs:</p>
      <pre>holter open</pre>
      <p class="soft">The link works once, for five minutes.</p>
    </main>
  );
}
