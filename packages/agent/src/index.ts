/** What runs inside an agent: health monitor, watchdog thread and client. None of them may harm the host. */
export type { Directive } from '@holter/core';
export { answerHeartbeats } from './answer-heartbeats.ts';
export { BreakerOpenError } from './client/breakers.ts';
export type { CheckpointOutcome } from './client/checkpoint-queue.ts';
export type {
  AgentHold,
  ClientStatus,
  HolterClient,
  TaskDetails,
  TaskUpdate,
  ToolCall,
  ToolOptions,
} from './client/client.ts';
export { connect } from './client/connect.ts';
export type { InstrumentOptions } from './client/instrument.ts';
export type { AgentPromises, ConnectOptions } from './client/options.ts';
export type { BeatDetails } from './client/pulse.ts';
export type { Rejection } from './client/rejections.ts';
export type { ConnectionState } from './client/session.ts';
export type { TokenUse } from './client/token-meter.ts';
export { AgentHealthMonitor } from './monitor/agent-health-monitor.ts';
export type { AgentHealthConfig, HealthPreset } from './monitor/config.ts';
export type {
  AgentFailure,
  AgentHealthEvents,
  AgentHealthMetrics,
  AgentHealthState,
  AgentHealthStatus,
  DegradedReason,
  DisconnectionReason,
  DisconnectionType,
  MonitoredAgent,
  RecoverAgent,
  RecoveryStrategy,
} from './monitor/events.ts';
export type { RegisterOptions } from './monitor/registration.ts';
export { OptionError } from './option-error.ts';
export { FREEZE_EXIT_CODE, type ReportTarget } from './watchdog/protocol.ts';
export { type Freeze, startWatchdog, type Watchdog, type WatchdogOptions } from './watchdog/watchdog.ts';
