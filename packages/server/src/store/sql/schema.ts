import type { Generated } from 'kysely';

/**
 * The stored tables. Times are in ms, booleans 0 or 1. `hard`, `state` and `body` are JSON in the format given by
 * `record_version`; see `upcast` in core.
 */
export type Schema = {
  readonly migrations: { readonly version: number; readonly name: string };
  readonly agents: AgentsTable;
  readonly soft: SoftTable;
  readonly fleet: FleetTable;
  readonly events: EventsTable;
  readonly effects: EffectsTable;
  readonly effect_changes: {
    readonly cursor: Generated<number>;
    readonly at: number;
    readonly what: string;
    readonly effect_id: string;
  };
  /** SQLite only. */
  readonly due_claims: { readonly agent_id: string; readonly wake_at: number; readonly until: number };
  /** PostgreSQL only, in place of `agents.wake_at` and `due_claims`. */
  readonly due: DueTable;
  readonly checkpoints: CheckpointsTable;
  readonly tokens: TokensTable;
  readonly meta: { readonly key: string; readonly value: string };
  readonly rollups: RollupsTable;
  readonly spending: SpendingTable;
  readonly strip_pages: { readonly at: number; readonly writer: string; readonly body: string };
  readonly final_states: FinalStatesTable;
  readonly letters: LettersTable;
};

type SpendingTable = {
  readonly day: number;
  readonly agent_id: string;
  readonly group_name: string;
  readonly task_id: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cache_write_hour: number;
  readonly tokens: number;
  readonly cost_micros: number;
  readonly reported_micros: number;
  readonly unpriced_tokens: number;
};

type FleetTable = {
  readonly id: number;
  readonly version: number;
  readonly state: string;
  readonly record_version: number;
};

type FinalStatesTable = {
  readonly agent_id: string;
  readonly incarnation: number;
  readonly hard: string;
  readonly record_version: number;
};

/** The other columns duplicate values in `hard` for look-ups; `check` compares them. */
type AgentsTable = {
  readonly agent_id: string;
  readonly version: number;
  readonly incarnation: number;
  readonly role: string;
  readonly group_name: string;
  readonly health: string;
  readonly health_since: number;
  readonly has_ended: number;
  readonly has_incident: number;
  readonly wake_at: number;
  readonly updated_at: number;
  readonly hard: string;
  readonly record_version: number;
};

type SoftTable = {
  readonly agent_id: string;
  readonly incarnation: number;
  readonly beat_at: number;
  readonly pong_at: number;
  readonly activity_at: number;
  readonly tokens: number;
  readonly cost_usd: number;
  readonly looked_at: number;
  readonly cpu_ms: number;
  readonly io_bytes: number;
};

type DueTable = {
  readonly agent_id: string;
  readonly incarnation: number;
  readonly version: number;
  readonly record_version: number;
  readonly wake_at: number;
  /** A claim is valid for one wake time. */
  readonly claimed_wake_at: number | null;
  readonly claimed_until: number | null;
};

type EventsTable = {
  readonly cursor: Generated<number>;
  readonly at: number;
  readonly agent_id: string;
  readonly type: string;
  readonly incident_id: string | null;
  readonly correlation_id: string;
  readonly body: string;
  readonly record_version: number;
};

type EffectsTable = {
  readonly seq: Generated<number>;
  readonly id: string;
  readonly agent_id: string;
  readonly executor: string | null;
  readonly status: string;
  /** Earliest time of the next claim: the end of a lease, or the time of a retry. */
  readonly visible_at: number;
  readonly tries: number;
  readonly created_at: number;
  readonly settled_at: number | null;
  readonly outcome: string | null;
  readonly detail: string;
  readonly correlation_id: string;
  readonly lives_by: string;
  /** Expiry time; null means never. */
  readonly until: number | null;
  /** Lower is claimed first. */
  readonly urgency: number;
  readonly body: string;
  readonly record_version: number;
  readonly is_offered: Generated<number>;
};

type CheckpointsTable = {
  readonly seq: Generated<number>;
  readonly agent_id: string;
  readonly checkpoint_id: string;
  readonly parent_id: string | null;
  readonly task_id: string | null;
  readonly incarnation: number;
  readonly at: number;
  readonly hash: string;
  readonly content: string;
};

type TokensTable = {
  readonly id: string;
  readonly hash: string;
  readonly role: string;
  readonly agent_id: string | null;
  readonly group_name: string | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
};

type RollupsTable = {
  readonly agent_id: string;
  readonly hour: number;
  readonly beats: number;
  readonly nudges: number;
  readonly escalations: number;
  readonly terminations: number;
  readonly recoveries: number;
  readonly healthy_ms: number;
  readonly degraded_ms: number;
  readonly stuck_ms: number;
  readonly failing_ms: number;
};

type LettersTable = {
  readonly seq: Generated<number>;
  readonly letter_id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly client_id: string | null;
  readonly subject: string;
  readonly priority: string;
  readonly in_reply_to: string | null;
  /** JSON. */
  readonly passed: string;
  readonly is_verified: number;
  readonly sent_at: number;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  readonly acknowledged_at: number | null;
  readonly archived_at: number | null;
  readonly content: string;
};
