/** What is wrong with a host, or with a request to one. */
import type { ErrorGroup } from './entry.ts';

export const host = {
  TokenMissing: {
    cause: 'The request says nothing about who calls.',
    cure: 'Send the token as "Authorization: Bearer <token>"; commands take it from the data directory or from --token-file.',
    seen: ['http'],
  },
  TokenWrong: {
    cause: 'The token of the request is not the token of this host.',
    cure: 'Take the one of this host; it may have been replaced.',
    seen: ['http'],
  },
  NoTokenConfigured: {
    cause: 'This host has no token, so only /healthz and /readyz answer.',
    cure: 'Give it a token.',
    seen: ['http'],
  },
  ClusterOnly: {
    cause: 'The token is that of a cluster, which may send events and call its webhook, and no more.',
    cure: 'Use the token of the host.',
    seen: ['http'],
  },
  ForeignCluster: {
    cause: 'The token is that of one cluster, and the request speaks of another.',
    cure: 'Use the token of that cluster, or correct the name.',
    seen: ['http'],
  },
  UnknownCluster: {
    cause: 'No cluster of this name is in the configuration of the host.',
    cure: '`poolwright clusters` lists them.',
    seen: ['http', 'cli'],
  },
  UnknownProvider: {
    cause: 'No provider of this name is in the configuration of the host.',
    cure: '`poolwright get providers` lists them.',
    seen: ['http', 'cli'],
  },
  UnknownClaim: {
    cause: 'The cluster has no NodeClaim of this name.',
    cure: 'List them with `poolwright get claims`; if it is gone, ask with its uid, which the log has.',
    seen: ['http', 'cli'],
  },
  UnknownPath: {
    cause: 'There is nothing at this path.',
    cure: '/openapi.json lists what there is; a newer command may ask an older host for what it does not have.',
    seen: ['http'],
  },
  MethodNotAllowed: {
    cause: 'The path does not answer to this method.',
    cure: 'Use one of those that the header `allow` lists.',
    seen: ['http'],
  },
  InvalidRequest: {
    cause: 'The path, the query or the body of the request is not what is expected.',
    cure: 'Change it as the answer says.',
    seen: ['http'],
  },
  MalformedJson: { cause: 'The body is no JSON in UTF-8.', cure: 'Send JSON.', seen: ['http'] },
  ContentTypeMissing: {
    cause: 'The request has a body and no content type.',
    cure: 'Send the one that the answer names.',
    seen: ['http'],
  },
  ContentTypeUnsupported: {
    cause: 'The content type of the request is not supported.',
    cure: 'Send the one that the answer names.',
    seen: ['http'],
  },
  CharsetUnsupported: { cause: 'The body is not in UTF-8.', cure: 'Send UTF-8.', seen: ['http'] },
  ContentTooLarge: {
    cause: 'The body is bigger than this path takes.',
    cure: 'Send less at a time.',
    seen: ['http'],
  },
  BodyBrokenOff: {
    cause: 'The body ended before its end.',
    cure: 'Send it again; look at proxies on the way.',
    seen: ['http'],
  },
  ReviewVersion: {
    cause: 'The admission review is of a version that this webhook does not speak.',
    cure: 'Let the webhook configuration ask for `admission.k8s.io/v1`.',
    seen: ['http'],
  },
  LogsElsewhere: {
    cause: 'The platform that runs this host keeps its log, not the host itself.',
    cure: 'Run the command of the answer: its names are filled in. You need the right to read the log there.',
    seen: ['http'],
    cureInMessage: true,
  },
  StorageUnusable: {
    cause: 'The data directory or a database in it cannot be used.',
    cure: 'The message says why: free some space, make it writable, stop who else uses it, or name another one with --data-dir.',
    more: 'Each message and what to do: [when the disk fails](../operations.md#when-the-disk-fails). Nothing acknowledged is lost.',
    seen: ['cli', 'log'],
    cureInMessage: true,
  },
  CertificateUnusable: {
    cause: 'A certificate or its key cannot be used; the last one stays in use.',
    cure: 'Look at the file that the message names: PEM, whole, and a key that belongs to its certificate.',
    seen: ['log'],
  },
  MetricsNotPushed: {
    cause: 'Metrics could not be pushed to the collector of OpenTelemetry, or it refused some of them.',
    cure: 'Look at `metrics.otlp` in the configuration, and whether the collector takes OTLP over HTTP there; nothing is lost, because the next push has the same numbers.',
    more: 'It is logged once in five minutes at most. Tries become rarer while they fail, up to a quarter of an hour apart; what a collector asks for with `Retry-After` is kept.',
    seen: ['log'],
  },
  PortTaken: {
    cause: 'Another process listens on the port.',
    cure: 'Stop it, or choose another port.',
    seen: ['cli'],
    cureInMessage: true,
  },
  Internal: {
    cause: 'Something went wrong that nobody had thought of, which is a bug.',
    cure: 'Please report it: with --debug a command shows where it came from, and the log of a host has the rest.',
    seen: ['http', 'cli', 'log'],
  },
} as const satisfies ErrorGroup;
