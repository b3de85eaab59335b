/**
 * Where metrics are pushed to: what the configuration says, else what the standard variables of OpenTelemetry say. Small, because every
 * function asks; what pushes is loaded only where there is a target.
 */
import type { Environment } from '../../base/environment.ts';
import { isUnresolvedReference, unresolvedReferenceText } from '../../platforms/azure/key-vault-reference.ts';

export interface OtlpSettings {
  readonly endpoint?: string | undefined;
  /** `name=value,name=value`, as the standard variable has it. */
  readonly headers?: string | undefined;
  readonly headersFile?: string | undefined;
  readonly everySeconds: number;
}

export interface OtlpTarget {
  /** The whole URL. */
  readonly url: string;
  readonly headers: string | undefined;
  /** Read again before every push, so that it can be renewed. */
  readonly headersFile: string | undefined;
  readonly everySeconds: number;
}

export type OtlpChoice = { push: false } | { push: true; target: OtlpTarget } | { push: false; problem: string };

const prefix = 'OTEL_EXPORTER_OTLP_';

export function chooseTarget(settings: OtlpSettings, env: Environment): OtlpChoice {
  const { everySeconds } = settings;
  if (settings.endpoint !== undefined) {
    const { headers, headersFile } = settings;
    return checked({ url: withPath(settings.endpoint), headers, headersFile, everySeconds });
  }
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_METRICS_EXPORTER === 'none') return { push: false };
  const own = env[`${prefix}METRICS_ENDPOINT`];
  const common = env[`${prefix}ENDPOINT`];
  // By the standard, what is for metrics alone is a whole URL, and what is for everything is where all of them begin.
  const url = own || (common ? withPath(common) : undefined);
  if (url === undefined) return { push: false };
  const variable = own ? `${prefix}METRICS_ENDPOINT` : `${prefix}ENDPOINT`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return { push: false, problem: `${variable} must be an http:// or https:// URL` };
  }
  const protocol = env[`${prefix}METRICS_PROTOCOL`] || env[`${prefix}PROTOCOL`];
  if (protocol === 'grpc') {
    const problem = `${prefix}PROTOCOL is grpc, and only OTLP over HTTP is spoken; name the HTTP port of the collector, usually 4318, by metrics.otlp.endpoint`;
    return { push: false, problem };
  }
  const headers = settings.headers ?? (env[`${prefix}METRICS_HEADERS`] || env[`${prefix}HEADERS`] || undefined);
  return checked({ url, headers, headersFile: settings.headersFile, everySeconds });
}

function checked(target: OtlpTarget): OtlpChoice {
  const { headers } = target;
  if (headers === undefined) return { push: true, target };
  if (isUnresolvedReference(headers))
    return { push: false, problem: `metrics.otlp.headers ${unresolvedReferenceText}` };
  return readHeaders(headers) === undefined ? { push: false, problem: headersProblem } : { push: true, target };
}

/** Says nothing of what was found: it is a secret. */
export const headersProblem = 'the headers for metrics must look like name=value,name=value';

/** Undefined: they can't be read. Values may be percent-encoded, as the standard has it. */
export function readHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = decoded(part.slice(at + 1).trim());
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || value === undefined || /[^\t\x20-\x7e]/.test(value)) return undefined;
    headers[name] = value;
  }
  return headers;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const withPath = (endpoint: string): string => {
  const url = endpoint.replace(/\/+$/, '');
  return url.endsWith('/v1/metrics') ? url : `${url}/v1/metrics`;
};
