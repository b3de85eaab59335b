/** Failures of ours as gRPC codes, and the codes and texts of servers as failures of ours. */
import { defined } from '../../base/defined.ts';
import { type ErrorKind, errorKinds, type Failure } from '../../base/result.ts';
import { cutText } from '../../base/text.ts';
import { notSupported } from '../contract.ts';
import { plainErrorKind } from './plain-errors.ts';

/** The codes of gRPC that we send or tell apart. */
export const code = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A code of gRPC says less than a kind of ours, so a server of ours sends both. */
export const kindKey = 'poolwright-kind';
export const retryAfterKey = 'poolwright-retry-after-seconds';

const codes: Readonly<Record<ErrorKind, number>> = {
  'not-found': code.notFound,
  'insufficient-capacity': code.resourceExhausted,
  'quota-exceeded': code.resourceExhausted,
  throttled: code.resourceExhausted,
  conflict: code.alreadyExists,
  'outcome-unknown': code.unavailable,
  'not-ready': code.failedPrecondition,
  unauthorised: code.permissionDenied,
  invalid: code.invalidArgument,
  unavailable: code.unavailable,
};

export const codeOf = (failure: Failure): number =>
  failure.kind === 'invalid' && failure.code === notSupported ? code.unimplemented : codes[failure.kind];

const kinds: Readonly<Record<number, ErrorKind>> = {
  [code.notFound]: 'not-found',
  [code.invalidArgument]: 'invalid',
  [code.unimplemented]: 'invalid',
  [code.alreadyExists]: 'conflict',
  [code.aborted]: 'conflict',
  [code.permissionDenied]: 'unauthorised',
  [code.unauthenticated]: 'unauthorised',
  [code.failedPrecondition]: 'not-ready',
};

export interface ServerSaid {
  code: number;
  details: string;
  /** What a server of ours adds. */
  kind?: string;
  retryAfterSeconds?: number;
}

/**
 * What an answer of a server means. `wrote`: the call may have changed something, so an answer that does not say whether it did is
 * `outcome-unknown`.
 */
export function failureOf(said: ServerSaid, wrote: boolean): Failure {
  const message = cutText(plainDetails(said.details) || `the server answered with code ${said.code}`, 500);
  const wayCode = wayCodeOf(said);
  const nothingSent = wayCode !== undefined || wasNeverSent(said);
  const kind = kindOf(said) ?? (wrote && !nothingSent ? 'outcome-unknown' : 'unavailable');
  const retryAfterSeconds = said.retryAfterSeconds;
  if (said.code === code.unimplemented) return { kind: 'invalid', message, code: notSupported };
  return { kind, message, ...defined({ retryAfterSeconds, code: wayCode }) };
}

/** Without the library's own words around them, and without a time: the same trouble has the same text. */
const plainDetails = (details: string): string =>
  details
    .replaceAll(/(\w+: )?No connection established\. Last error: (Error: |Error \[\w+\]: )?/g, '')
    .replace(/ ?Resolution note: $/, '')
    .replace(/ \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/, '')
    .trim();

/** Codes of failures on the way to a server. */
export const wayCodes = { tls: 'ProviderTlsRefused', notProvider: 'NotAProviderServer' } as const;

/** The library says so of a call for which there never was a connection. */
const wasNeverSent = ({ code: sent, details }: ServerSaid): boolean =>
  sent === code.unavailable &&
  /^(\w+: )?(no connection established|no addresses resolved|name resolution failed)/i.test(details);

/** A certificate that does not match, and something that speaks another protocol: nothing of the call has been understood there. */
function wayCodeOf({ code: sent, details, kind }: ServerSaid): string | undefined {
  if (isKind(kind)) return;
  if (sent === code.unavailable && wasNeverSent({ code: sent, details })) {
    if (/certificate|self.signed|\btls\b|\bssl\b|alert|altnames|EPROTO/i.test(details)) return wayCodes.tls;
    if (/protocol error|ERR_HTTP2|parse error|HPE_/i.test(details)) return wayCodes.notProvider;
  }
  return /received http status code \d{3}|invalid content.type|protocol error/i.test(details)
    ? wayCodes.notProvider
    : undefined;
}

function kindOf({ code: sent, details, kind }: ServerSaid): ErrorKind | undefined {
  if (isKind(kind)) return kind;
  // Drivers for libvirt and vSphere return plain errors of Go, which have no code; the driver for Proxmox says that there is no room.
  if (sent === code.unknown || sent === code.internal) return plainErrorKind(details);
  if (sent === code.resourceExhausted) return plainErrorKind(details) ?? 'throttled';
  return kinds[sent];
}

const isKind = (text: string | undefined): text is ErrorKind =>
  text !== undefined && (errorKinds as readonly string[]).includes(text);

/**
 * Whether the server itself is in trouble. What the hypervisor or the request is to blame for does not open a circuit breaker, although
 * some servers answer it with the code for unknown errors.
 */
export const isServerTrouble = ({ code: sent, details, kind }: ServerSaid): boolean =>
  ([code.unavailable, code.deadlineExceeded, code.internal, code.unknown] as number[]).includes(sent) &&
  !isKind(kind) &&
  plainErrorKind(details) === undefined;
