import type { HolterEvent } from '@holter/core';
import { EVIDENCE_LENGTH_MAX, type FindingKind, type Instant } from '@holter/core';
import type { StoredEvent } from '@holter/server/own-store';

/** One incident of a link, as far as these events tell it. */
export type HandedIn = {
  readonly link: string;
  readonly id: string;
  readonly cause: FindingKind;
  /** Of the newest event. */
  readonly at: Instant;
  readonly evidence: string;
  readonly needsPerson: boolean;
  readonly isClosed: boolean;
};

type Draft = { -readonly [Key in keyof HandedIn]: HandedIn[Key] } & { readonly parts: string[] };

/** What the server is told about the incidents of the links, oldest first: one entry for each. */
export function incidentsIn(events: readonly Pick<StoredEvent, 'agentId' | 'event'>[]): readonly HandedIn[] {
  const drafts = new Map<string, Draft>();
  const evidence = new Map<string, string[]>();
  const open = new Map<string, Draft>();
  for (const { agentId: link, event } of events) {
    const said = wordsOf(event);
    if (event.type === 'FINDING_RAISED') evidence.set(link, [...(evidence.get(link) ?? []), said ?? '']);
    if (event.type === 'INCIDENT_OPENED' || event.type === 'INCIDENT_REOPENED') {
      const { incidentId: id, cause } = event.payload;
      const draft = newDraft(link, id, cause === 'operator' ? 'process-gone' : cause, event.at);
      draft.parts.push(...(evidence.get(link) ?? [draft.cause]));
      drafts.set(id, draft);
      open.set(link, draft);
    }
    // The beginning may have been told before.
    const draft = open.get(link) ?? draftOf(event, link, drafts);
    if (!draft) continue;
    open.set(link, draft);
    draft.at = event.at;
    if (said !== null && !draft.parts.includes(said)) draft.parts.push(said);
    if (event.type === 'INCIDENT_STEP' && event.payload.step === 'human') draft.needsPerson = true;
    if (event.type !== 'INCIDENT_CLOSED') continue;
    draft.isClosed = true;
    draft.needsPerson = false;
    open.delete(link);
    evidence.delete(link);
  }
  // A step that says nothing new is no news.
  const news = [...drafts.values()].filter(({ parts, isClosed }) => parts.length > 0 || isClosed);
  return news.map(({ parts, ...draft }) => ({
    ...draft,
    evidence: `${draft.link}: ${parts.join('; ')}`.slice(0, EVIDENCE_LENGTH_MAX),
  }));
}

function draftOf({ payload, at }: HolterEvent, link: string, drafts: Map<string, Draft>): Draft | undefined {
  const id = 'incidentId' in payload ? payload.incidentId : null;
  if (typeof id !== 'string') return undefined;
  const draft = newDraft(link, id, 'process-gone', at);
  drafts.set(id, draft);
  return draft;
}

const newDraft = (link: string, id: string, cause: FindingKind, at: Instant): Draft => ({
  link,
  id,
  cause,
  at,
  evidence: '',
  needsPerson: false,
  isClosed: false,
  parts: [],
});

/** What is worth telling of an event, for people. */
function wordsOf(event: HolterEvent): string | null {
  switch (event.type) {
    case 'FINDING_RAISED':
      return event.payload.evidence;
    case 'AGENT_TERMINATED':
      return 'it was ended';
    case 'RECOVERY_INITIATED':
      return 'it was started again';
    case 'RECOVERY_FAILED':
      return `a start failed: ${event.payload.reason}`;
    case 'INCIDENT_STEP':
      return event.payload.step === 'human' ? event.payload.reason : null;
    case 'RECOVERY_COMPLETED':
      return 'it has stayed up';
    default:
      return null;
  }
}
