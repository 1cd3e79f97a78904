type Json = Readonly<Record<string, unknown>>;

export const agentOfV3 = (hard: Json): Json => withExit(withNudges(withNoticed(hard)));

/**
 * In version 3, the wait of an escalation began when somebody was shown its notice. One that has not been shown yet
 * has no wait, and keeps waiting until it is.
 */
function withNoticed(hard: Json): Json {
  const incident = hard.incident as (Json & { readonly wait?: { readonly at: number } }) | undefined;
  if (incident?.step !== 'escalate' || incident.phase !== 'waiting' || !incident.wait) return hard;
  return { ...hard, incident: { ...incident, noticedAt: incident.wait.at } };
}

/** In version 3, an incident did not count its nudges, and knew of the newest one only whether it was sent or lost. */
function withNudges(hard: Json): Json {
  if (!hard.incident) return hard;
  const { isNudgeSent, isNudgeLost, ...incident } = hard.incident as Json;
  const isNudged = incident.step === 'nudge' && incident.phase === 'waiting';
  if (!isNudged) return { ...hard, incident };
  const newest = isNudgeSent
    ? incident.isNudgeSeen
      ? 'seen'
      : 'delivered'
    : isNudgeLost
      ? 'lost'
      : 'offered';
  const nudges = { decided: incident.attempt, delivered: isNudgeSent ? incident.attempt : 0, newest };
  return { ...hard, incident: { ...incident, nudges } };
}

/** In version 3, only the text of an end told its exit code or signal. */
function withExit(hard: Json): Json {
  const end = hard.end as (Json & { readonly detail: string }) | undefined;
  const [, code, signal] = /^(?:exit code (\d+)|killed by (SIG\w+))$/.exec(end?.detail ?? '') ?? [];
  if (!end || (code === undefined && signal === undefined)) return hard;
  const exit = code === undefined ? { signal } : { exitCode: Number(code) };
  return { ...hard, end: { ...end, ...exit } };
}
