// Compares what the servers acknowledged with the event log, and with nothing else. Returns what it found.

/** An agent beats every 1.5 s; it may be accused when no beat was acknowledged for this long. */
const SILENCE_MS_MIN = 9_000;
const TAKEOVER_MS_MAX = 5_000;

/**
 * `log` has the stored events in order, `told` the lines of the clients, `outages` the times in which PostgreSQL was
 * away, and `faults` when a server was killed or stopped.
 */
export function check({ log, told, outages, faults }) {
  const problems = [];
  const reports = new Map();
  const receipts = new Map();
  const accusations = [];
  const nudges = nudgesIn(log);
  for (const { type, payload, agentId, at } of log) {
    if (type === 'BLOCKER_REPORTED') reports.set(payload.text, (reports.get(payload.text) ?? 0) + 1);
    if (type === 'EFFECT_RECEIPT' && payload.outcome === 'delivered')
      receipts.set(payload.effectId, (receipts.get(payload.effectId) ?? 0) + 1);
    if (type === 'FINDING_RAISED' && payload.kind === 'missed-heartbeats') accusations.push({ agentId, at });
  }
  for (let index = 1; index < log.length; index++)
    if (log[index].cursor <= log[index - 1].cursor)
      problems.push(`cursor ${log[index].cursor} is out of order`);

  const acknowledged = told.filter(({ kind }) => kind === 'report');
  const lost = acknowledged.filter(({ text }) => !reports.has(text));
  for (const { text } of lost) problems.push(`acknowledged and lost: ${text}`);
  const twice = [...receipts].filter(([, count]) => count > 1);
  for (const [id] of twice) problems.push(`delivered twice: ${id}`);

  const beats = new Map();
  // A beat was heard after it was sent, and before its reply arrived.
  for (const { kind, agentId, sentAt } of told)
    if (kind === 'beat') beats.set(agentId, [...(beats.get(agentId) ?? []), sentAt]);
  const silent = new Map(told.flatMap(({ kind, agentId, at }) => (kind === 'silent' ? [[agentId, at]] : [])));
  let wrong = 0;
  for (const { agentId, at } of accusations) {
    const heard = (beats.get(agentId) ?? []).filter((beat) => beat > at - SILENCE_MS_MIN && beat < at - 500);
    if (heard.length === 0) continue;
    wrong += 1;
    problems.push(`${agentId} was accused ${at - heard.at(-1)} ms after an acknowledged beat`);
  }
  const accused = new Set(accusations.map(({ agentId }) => agentId));
  for (const agentId of silent.keys())
    if (!accused.has(agentId)) problems.push(`${agentId} is silent, and nobody noticed`);

  const executedAt = new Map(
    told.flatMap(({ kind, reason, at }) =>
      kind === 'executed' ? [[reason.replace(/^Holter: /, ''), at]] : [],
    ),
  );
  const isOutage = (from, to) =>
    outages.some((outage) => outage.from - 1_000 < to && outage.to + 3_000 > from);
  const asked = told.filter(
    ({ kind, at }) => kind === 'asked' && !isOutage(at - 1_000, at + TAKEOVER_MS_MAX),
  );
  const delays = asked.flatMap(({ reason, at }) =>
    executedAt.has(reason) ? [executedAt.get(reason) - at] : [],
  );
  // A nudge that waits is cancelled when the next one is asked for, and the log says so.
  const missing = asked.filter(({ reason }) => !executedAt.has(reason));
  for (const { reason } of told.filter(({ kind }) => kind === 'asked')) {
    const nudge = nudges.get(reason);
    if (!nudge) problems.push(`asked for and acknowledged, but not in the log: ${reason}`);
    else if (nudge.ends.length === 0 && !nudge.isNewest)
      problems.push(`the log does not say what became of ${nudge.effectId} (${reason})`);
    else if (!executedAt.has(reason) && nudge.ends.some((end) => end !== 'cancelled'))
      problems.push(`never carried out, though the log has a receipt: ${nudge.effectId} (${nudge.ends})`);
  }
  const duringFaults = asked.flatMap(({ reason, at }) =>
    executedAt.has(reason) && faults.some((fault) => at > fault - 2_000 && at < fault + 5_000)
      ? [executedAt.get(reason) - at]
      : [],
  );
  // A run in which nothing got through would show nothing, and must not pass.
  for (const [what, lines] of Object.entries({
    beats: told.filter(({ kind }) => kind === 'beat'),
    reports: acknowledged,
    nudges: delays,
    // With faults of the database only, no server has to take over.
    ...(faults.length > 0 && { 'nudges during a fault': duringFaults }),
  }))
    if (lines.length === 0) problems.unshift(`no ${what} were acknowledged: this run shows nothing`);
  if (share(duringFaults, 0.99) > TAKEOVER_MS_MAX)
    problems.push(`takeover p99 is ${share(duringFaults, 0.99)} ms`);
  return {
    problems,
    figures: {
      events: log.length,
      'acknowledged beats': told.filter(({ kind }) => kind === 'beat').length,
      'acknowledged reports': acknowledged.length,
      'of them lost': lost.length,
      'reports stored twice': [...reports.values()].filter((count) => count > 1).length,
      'effects delivered': receipts.size,
      'of them twice': twice.length,
      'directives received twice': repeats(told.filter(({ kind }) => kind === 'directive')),
      'effects offered to an executor again': told.filter(({ kind }) => kind === 'offered again').length,
      accusations: accusations.length,
      'of them wrong': wrong,
      'silent agents': silent.size,
      'nudges asked for': asked.length,
      'of them replaced by the next': missing.length,
      'nudge to executor, p50 / p99 / max ms': spread(delays),
      'the same within 5 s of a fault, p50 / p99 / max ms': `${spread(duringFaults)} (${duringFaults.length})`,
      refused: countBy(
        told.filter(({ kind }) => kind === 'refused').map(({ status, code }) => `${status} ${code}`),
      ),
    },
  };
}

/** By its reason: each nudge that a person asked for, and what the log says became of it. */
function nudgesIn(log) {
  const nudges = new Map();
  const byEffect = new Map();
  const reasons = new Map();
  const newest = new Map();
  for (const { type, payload, agentId, at } of log) {
    if (type === 'DECISION_MADE' && payload.decision === 'nudge') reasons.set(agentId, payload.reason);
    if (STEPS.has(type) && payload.step === 'nudge' && reasons.has(agentId)) {
      const effectId = `${payload.incidentId}/nudge/${payload.attempt ?? 1}`;
      const nudge = { effectId, ends: [], isNewest: true };
      const before = newest.get(agentId);
      if (before) before.isNewest = false;
      newest.set(agentId, nudge);
      nudges.set(reasons.get(agentId), nudge);
      byEffect.set(effectId, nudge);
      reasons.delete(agentId);
    }
    if (type === 'EFFECT_RECEIPT')
      byEffect.get(payload.effectId)?.ends.push(payload.outcome, payload.detail, new Date(at).toISOString());
    if (type === 'EFFECT_CANCELLED') byEffect.get(payload.effectId)?.ends.push('cancelled');
  }
  return nudges;
}

const STEPS = new Set(['INCIDENT_OPENED', 'INCIDENT_REOPENED', 'INCIDENT_STEP']);

const repeats = (lines) => lines.length - new Set(lines.map(({ id }) => id)).size;

function share(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const spread = (values) => `${share(values, 0.5)} / ${share(values, 0.99)} / ${Math.max(0, ...values)}`;

function countBy(words) {
  const counts = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return JSON.stringify(counts);
}
