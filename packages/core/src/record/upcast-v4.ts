type Json = Readonly<Record<string, unknown>>;

export const agentOfV3 = (hard: Json): Json => withNoticed(hard);

/**
 * In version 3, the wait of an escalation began when somebody was shown its notice. One that has not been shown yet
 * has no wait, and keeps waiting until it is.
 */
function withNoticed(hard: Json): Json {
  const incident = hard.incident as (Json & { readonly wait?: { readonly at: number } }) | undefined;
  if (incident?.step !== 'escalate' || incident.phase !== 'waiting' || !incident.wait) return hard;
  return { ...hard, incident: { ...incident, noticedAt: incident.wait.at } };
}
