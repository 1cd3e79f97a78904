import { ClientError } from '@holter/server/local';

/** The server's next answer shows whether it has heard it; until then there is no point in saying it again. */
const AGAIN_MS = 2_000;

/**
 * Tells the server which incidents are on the screen, for as long as it says that they are unseen: a request may fail,
 * and a later step of the same incident has a notice of its own.
 */
export class ShownNotes {
  private readonly send: (incidentIds: string[]) => Promise<unknown>;
  private said = '';
  private saidAt = 0;
  private mayDecide = true;

  constructor(send: (incidentIds: string[]) => Promise<unknown>) {
    this.send = send;
  }

  note(incidentIds: readonly string[], now: number): void {
    const said = incidentIds.join(' ');
    if (said === '' || !this.mayDecide || (said === this.said && now - this.saidAt < AGAIN_MS)) return;
    this.said = said;
    this.saidAt = now;
    this.send([...incidentIds]).catch((error: unknown) => {
      // What a token that may only look has seen does not count.
      if (error instanceof ClientError && error.status === 403) this.mayDecide = false;
    });
  }
}
