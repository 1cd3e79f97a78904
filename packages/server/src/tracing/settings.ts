import type { Operations } from '../policy/index.ts';
import type { TraceSettings } from './traces.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the operator wrote, else what the variables of OpenTelemetry say. */
export function traceSettings(
  { endpoint, heartbeatRatio, checkRatio }: Operations['tracing'],
  env: Environment,
): TraceSettings {
  const isOff = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';
  const serviceName = env.OTEL_SERVICE_NAME || 'holter';
  return { url: isOff ? null : urlOf(endpoint, env), serviceName, heartbeatRatio, checkRatio };
}

function urlOf(endpoint: string | null, env: Environment): string | null {
  if (endpoint !== null) return below(endpoint);
  const whole = httpAddress(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  const base = httpAddress(env.OTEL_EXPORTER_OTLP_ENDPOINT);
  return whole ?? (base === null ? null : below(base));
}

const below = (base: string): string => `${base.replace(/\/$/, '')}/v1/traces`;

function httpAddress(text: string | undefined): string | null {
  const url = text && URL.canParse(text) ? new URL(text) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
