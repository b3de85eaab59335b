/** What is wrong with a host, or with a request to one. */
import type { ErrorGroup } from './entry.ts';

export const host = {
  TokenMissing: {
    cause: 'The request has no credentials.',
    cure: 'Send the token as "Authorization: Bearer <token>"; commands take it from the data directory or from --token-file.',
    seen: ['http'],
  },
  TokenWrong: {
    cause: 'The token of the request is not the token of this host.',
    cure: 'Use the token of this host; it may have been rotated.',
    seen: ['http'],
  },
  NoTokenConfigured: {
    cause: 'This host has no token, so it serves only /healthz and /readyz.',
    cure: 'Configure a token for the host.',
    seen: ['http'],
  },
  ClusterOnly: {
    cause: 'The token belongs to a cluster; it only allows sending events and calling the webhook.',
    cure: 'Use the token of the host.',
    seen: ['http'],
  },
  RoleTooLow: {
    cause: 'The token belongs to a caller whose role does not allow the request.',
    cure: 'Use a token with the role that the response names; `http.callers` of the configuration gives each caller a role.',
    seen: ['http', 'log'],
  },
  AuditLost: {
    cause: 'The state store did not accept an entry of the audit log. The action itself was not held up.',
    cure: 'Fix the state store. The log line has what the entry would have had.',
    seen: ['log'],
  },
  ForeignCluster: {
    cause: 'The token belongs to one cluster, and the request is about another.',
    cure: 'Use the token of that cluster, or correct the name.',
    seen: ['http'],
  },
  UnknownCluster: {
    cause: "The host's configuration has no cluster with this name.",
    cure: 'List the clusters with `poolwright clusters`.',
    seen: ['http', 'cli'],
  },
  UnknownProvider: {
    cause: "The host's configuration has no provider with this name.",
    cure: 'List the providers with `poolwright get providers`.',
    seen: ['http', 'cli'],
  },
  UnknownClaim: {
    cause: 'The cluster has no NodeClaim with this name.',
    cure: 'List the claims with `poolwright get claims`. The decisions about a deleted claim are kept for a while, by its name or by its uid, which is in the log.',
    seen: ['http', 'cli'],
  },
  UnknownPool: {
    cause: 'The cluster has no NodePool with this name.',
    cure: 'List the pools with `poolwright get pools`.',
    seen: ['http', 'cli'],
  },
  UnknownNodeClass: {
    cause: 'The cluster has no node class with this name, of any kind that the providers use.',
    cure: 'List the node classes with `poolwright get nodeclasses`. Where several kinds have the name, pass the kind: `nodeclass/<kind>/<name>`.',
    seen: ['http', 'cli'],
  },
  AmbiguousNodeClass: {
    cause: 'Several kinds of node class have an object with this name.',
    cure: 'Pass the kind too: `nodeclass/<kind>/<name>`, or `kind=` in the query.',
    seen: ['http', 'cli'],
  },
  UnknownPath: {
    cause: 'The host does not serve this path.',
    cure: '/openapi.json lists all paths. An older host may lack a path that a newer command uses.',
    seen: ['http'],
  },
  MethodNotAllowed: {
    cause: 'The path does not support this method.',
    cure: 'Use one of the methods in the `allow` header.',
    seen: ['http'],
  },
  InvalidRequest: {
    cause: 'The path, the query or the body of the request is invalid.',
    cure: 'Correct the request as the response says.',
    seen: ['http'],
  },
  MalformedJson: { cause: 'The body is not valid JSON in UTF-8.', cure: 'Send JSON.', seen: ['http'] },
  ContentTypeMissing: {
    cause: 'The request has a body but no content type.',
    cure: 'Send the content type that the response names.',
    seen: ['http'],
  },
  ContentTypeUnsupported: {
    cause: 'The content type of the request is not supported.',
    cure: 'Send the content type that the response names.',
    seen: ['http'],
  },
  CharsetUnsupported: { cause: 'The body is not in UTF-8.', cure: 'Send UTF-8.', seen: ['http'] },
  ContentTooLarge: {
    cause: 'The request body exceeds the size limit of this path.',
    cure: 'Send smaller requests.',
    seen: ['http'],
  },
  BodyBrokenOff: {
    cause: 'The request body was cut off.',
    cure: 'Send the request again; check proxies between the client and the host.',
    seen: ['http'],
  },
  ReviewVersion: {
    cause: 'The webhook does not support this version of AdmissionReview.',
    cure: 'Set `admissionReviewVersions: [v1]` in the webhook configuration.',
    seen: ['http'],
  },
  LogsElsewhere: {
    cause: 'The platform that runs this host keeps the log, not the host itself.',
    cure: 'Run the command in the response; its names are filled in. You need permission to read the log there.',
    seen: ['http'],
    cureInMessage: true,
  },
  StorageUnusable: {
    cause: 'The data directory or a database in it is unusable.',
    cure: 'Depending on the message: free disk space, make the directory writable, stop the other process that uses it, or pass another one with --data-dir.',
    more: 'Each message and its fix: [when the disk fails](../operations.md#when-the-disk-fails). Nothing that the host acknowledged is lost.',
    seen: ['cli', 'log'],
    cureInMessage: true,
  },
  CertificateUnusable: {
    cause: 'A certificate or its key is invalid; the previous one stays in use.',
    cure: 'Check the file that the message names: complete PEM, with a key that matches the certificate.',
    seen: ['log'],
  },
  MetricsNotPushed: {
    cause: 'The host could not push metrics to the OpenTelemetry collector, or the collector rejected some of them.',
    cure: 'Check `metrics.otlp` in the configuration, and that the collector accepts OTLP over HTTP at that address. Nothing is lost: the next push includes the same counters.',
    more: 'The host logs this at most once every five minutes. While pushes fail, the host retries with increasing delays of up to 15 minutes, and respects `Retry-After`.',
    seen: ['log'],
  },
  PortTaken: {
    cause: 'Another process is listening on the port.',
    cure: 'Stop that process, or choose another port.',
    seen: ['cli'],
    cureInMessage: true,
  },
  Internal: {
    cause: 'An unexpected error occurred, which is a bug.',
    cure: 'Please report it. With --debug, a command prints the stack trace; the log of the host has the details.',
    seen: ['http', 'cli', 'log'],
  },
} as const satisfies ErrorGroup;
