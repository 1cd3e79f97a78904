import { type Caller, type CallOptions, ClientError, caller } from './client-call.ts';
import { type FollowOptions, follow } from './client-events.ts';
import type {
  AgentFilter,
  AgentPage,
  AgentView,
  AlertPage,
  AlertTestedView,
  BadgeKeyInput,
  BadgeMadeView,
  BreakerPage,
  BreakerToldView,
  CheckpointInput,
  CheckpointPage,
  CheckpointWrittenView,
  ConfigView,
  CostPage,
  DecidedView,
  DecisionInput,
  EffectPage,
  EventFilter,
  EventPage,
  EventView,
  FinalStatePage,
  FleetDeltaView,
  FleetPageView,
  ForwardInput,
  HealthSummaryView,
  HealthView,
  HeardView,
  IncidentPage,
  IncidentsNoticedView,
  JudgeCheckView,
  JudgeStatsView,
  LetterFilter,
  LetterInput,
  LetterPage,
  LetterSentView,
  LetterView,
  LoginSecretView,
  MaintenanceWindowView,
  NewTokenInput,
  NewWindowInput,
  OperatorNotifiedView,
  OutputTailView,
  PingKeyInput,
  PingKeyMadeView,
  ProbeView,
  PulseView,
  RegisteredView,
  RegisterInput,
  RollupPage,
  SessionView,
  SignalsHeardView,
  SystemView,
  TaskFilter,
  TaskInput,
  TaskPage,
  TaskView,
  TicketAnswerInput,
  TicketEmittedView,
  TicketFilter,
  TicketPage,
  TicketView,
  TokenMadeView,
  TokenPage,
} from './types.ts';

export { ClientError };

type Words = { readonly reason: string; readonly by?: string };
type AboutFinding = Words & { readonly finding?: string };
type Query<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** Everything that a program may ask of a running Holter. Throws a `ClientError` with the server's words. */
export function createClient(options: CallOptions) {
  const call: Caller = caller(options);
  const at = (agentId: string, rest = '') => `/v1/agents/${encodeURIComponent(agentId)}${rest}`;
  const act = (word: string) => (agentId: string, words: Words) =>
    call<DecidedView>('POST', at(agentId, `/${word}`), { body: words });
  return {
    /** Also when Holter is not well: the answer says so. */
    health: () => call<HealthView>('GET', '/health', { accept: [503] }),
    system: () => call<SystemView>('GET', '/v1/system'),
    /** Who the bearer of this token is. */
    session: () => call<SessionView>('GET', '/v1/session'),
    config: (query: { readonly role?: string; readonly group?: string; readonly agentId?: string } = {}) =>
      call<ConfigView>('GET', '/v1/config', { query }),
    healthSummary: (query: { readonly session_id?: string; readonly last_n_steps?: number } = {}) =>
      call<HealthSummaryView>('GET', '/v1/health-summary', { query }),
    judgeCheck: (query: { readonly session_id?: string } = {}) =>
      call<JudgeCheckView>('GET', '/v1/judge/check', { query }),
    judgeStats: () => call<JudgeStatsView>('GET', '/v1/judge/stats'),
    tickets: (query: Query<TicketFilter> = {}) => call<TicketPage>('GET', '/v1/tickets', { query }),
    ticket: (ticketId: string) => call<TicketView>('GET', `/v1/tickets/${encodeURIComponent(ticketId)}`),
    emitTicket: (ticket: object) => call<TicketEmittedView>('POST', '/v1/tickets', { body: { ticket } }),
    answerTicket: (ticketId: string, body: TicketAnswerInput) =>
      call<TicketView>('POST', `/v1/tickets/${encodeURIComponent(ticketId)}/answer`, { body }),
    openApi: () => call<Record<string, unknown>>('GET', '/openapi.json'),
    metrics: () => call<string>('GET', '/metrics'),

    register: (body: RegisterInput) => call<RegisteredView>('POST', '/v1/agents', { body }),
    heartbeat: (agentId: string, body: object = {}) =>
      call<HeardView>('POST', at(agentId, '/heartbeat'), { body }),
    signal: (agentId: string, body: object | readonly object[]) =>
      call<SignalsHeardView>('POST', at(agentId, '/signals'), { body }),
    writeCheckpoint: (agentId: string, body: CheckpointInput) =>
      call<CheckpointWrittenView>('POST', at(agentId, '/checkpoints'), { body }),
    checkpoints: (agentId: string, limit?: number) =>
      call<CheckpointPage>('GET', at(agentId, '/checkpoints'), { query: { limit } }),

    agents: (query: Query<AgentFilter> = {}) => call<AgentPage>('GET', '/v1/agents', { query }),
    logs: (agentId: string, after = 0) =>
      call<OutputTailView>('GET', at(agentId, '/logs'), { query: { after: String(after) } }),
    agent: (agentId: string) => call<AgentView>('GET', at(agentId)),
    pulse: (agentId: string) => call<PulseView>('GET', at(agentId, '/pulse')),
    probe: (agentId: string) => call<ProbeView>('GET', at(agentId, '/probe'), { accept: [503] }),
    effects: (agentId: string, query: { readonly status?: string; readonly limit?: number } = {}) =>
      call<EffectPage>('GET', at(agentId, '/effects'), { query }),
    rollups: (query: { readonly agentId?: string; readonly from?: number; readonly to?: number } = {}) =>
      call<RollupPage>('GET', '/v1/rollups', { query }),

    nudge: (agentId: string, body: Words & { readonly message?: string }) => act('nudge')(agentId, body),
    terminate: (
      agentId: string,
      body: Words & { readonly recover?: boolean; readonly checkpointId?: string },
    ) => act('terminate')(agentId, body),
    recover: (agentId: string, body: Words & { readonly checkpointId?: string }) =>
      act('recover')(agentId, body),
    pause: act('pause'),
    resume: act('resume'),
    forceHandoff: act('force-handoff'),
    snooze: (agentId: string, body: AboutFinding & { readonly minutes: number }) =>
      act('snooze')(agentId, body),
    wake: (agentId: string, body: AboutFinding) => act('wake')(agentId, body),
    wrong: (agentId: string, body: AboutFinding) => act('wrong')(agentId, body),
    tasks: (query: Query<TaskFilter> = {}) => call<TaskPage>('GET', '/v1/tasks', { query }),
    taskOf: (agentId: string, taskId: string) =>
      call<TaskView>('GET', at(agentId, `/tasks/${encodeURIComponent(taskId)}`)),
    task: (agentId: string, body: TaskInput) => call<DecidedView>('POST', at(agentId, '/task'), { body }),

    incidents: (query: { readonly group?: string; readonly cursor?: string } = {}) =>
      call<IncidentPage>('GET', '/v1/incidents', { query }),
    /** A person was shown them: their notices count as read. */
    noteShown: (incidentIds: readonly string[]) =>
      call<IncidentsNoticedView>('POST', '/v1/incidents/shown', { body: { incidentIds } }),
    decide: (incidentId: string, body: DecisionInput) =>
      call<DecidedView>('POST', `/v1/incidents/${encodeURIComponent(incidentId)}/decision`, { body }),

    notifyOperator: (ticketId: string, analysis: string) =>
      call<OperatorNotifiedView>('POST', `/v1/tickets/${encodeURIComponent(ticketId)}/intervention`, {
        body: { analysis },
      }),

    events: (query: Query<EventFilter> = {}) => call<EventPage>('GET', '/v1/events', { query }),
    /** Goes on for ever and comes back after a break without a gap; end it by the signal. */
    follow: (query: Query<EventFilter> = {}, more: FollowOptions = {}): AsyncGenerator<EventView> =>
      follow(options, '/v1/events', query, more),

    /** A window on the fleet: all of it first, also after a break, then what changes; like `follow`. */
    followFleet: (
      query: Readonly<Record<string, string>> = {},
      more: FollowOptions = {},
    ): AsyncGenerator<FleetPageView | FleetDeltaView> => follow(options, '/v1/fleet/live', query, more),

    /** The box of the caller's own name where none is given, here and below. */
    letters: (query: Query<LetterFilter> = {}) => call<LetterPage>('GET', '/api/messages', { query }),
    /** How many letters in a box are unread. */
    unreadLetters: (query: Query<Pick<LetterFilter, 'agent' | 'verified'>> = {}) =>
      call<{ readonly count: number }>('GET', '/api/messages', {
        query: { ...query, action: 'unread-count' },
      }),
    /** The unread letters of a box, oldest first, and then each that comes; like `follow`. */
    followLetters: (agent?: string, more: FollowOptions = {}): AsyncGenerator<LetterView> =>
      follow(options, '/api/messages/stream', { agent }, more),
    letter: (id: string, agent?: string) =>
      call<LetterView>('GET', '/api/messages', { query: { agent, id } }),
    sendLetter: (body: LetterInput) => call<LetterSentView>('POST', '/api/messages', { body }),
    forwardLetter: (body: ForwardInput) => call<LetterSentView>('POST', '/api/messages/forward', { body }),
    markLetter: (id: string, action: 'read' | 'archive' | 'acknowledge', agent?: string) =>
      call<{ success: true }>('PATCH', '/api/messages', { query: { agent, id, action } }),

    makePingKey: (agentId: string, body: PingKeyInput) =>
      call<PingKeyMadeView>('POST', at(agentId, '/ping-key'), { body }),
    makeBadge: (body: BadgeKeyInput) => call<BadgeMadeView>('POST', '/v1/badges', { body }),
    makeLoginSecret: (body: { readonly role?: 'viewer' | 'operator'; readonly name?: string } = {}) =>
      call<LoginSecretView>('POST', '/v1/login-secrets', { body }),
    finalStates: (agentId: string) => call<FinalStatePage>('GET', at(agentId, '/final-states')),
    breakers: (agentId: string) => call<BreakerPage>('GET', at(agentId, '/breakers')),
    allBreakers: () => call<BreakerPage>('GET', '/v1/breakers'),
    tellBreaker: (agentId: string, name: string, word: string, body: object) =>
      call<BreakerToldView>('POST', at(agentId, `/breakers/${encodeURIComponent(name)}/${word}`), { body }),
    alerts: () => call<AlertPage>('GET', '/v1/alerts'),
    cost: (query: { readonly by?: string; readonly since?: string; readonly limit?: string } = {}) =>
      call<CostPage>('GET', '/v1/cost', { query }),
    testAlerts: (channel?: string) =>
      call<AlertTestedView>('POST', '/v1/alerts/test', {
        body: { ...(channel !== undefined && { channel }) },
      }),
    addMaintenance: (body: NewWindowInput) =>
      call<MaintenanceWindowView>('POST', '/v1/maintenance', { body }),
    removeMaintenance: (group: string) =>
      call<void>('DELETE', `/v1/maintenance/${encodeURIComponent(group)}`),

    makeToken: (body: NewTokenInput) => call<TokenMadeView>('POST', '/v1/tokens', { body }),
    tokens: () => call<TokenPage>('GET', '/v1/tokens'),
    revokeToken: (tokenId: string) => call<void>('DELETE', `/v1/tokens/${encodeURIComponent(tokenId)}`),
  };
}

export type Client = ReturnType<typeof createClient>;
