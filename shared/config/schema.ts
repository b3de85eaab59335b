/**
 * What can be configured, and what holds when nothing is said. Every duration is in seconds once it is resolved, whatever its
 * name; it may be written as a number of seconds or as "30s", "15m", "1h30m".
 */

import * as fields from '../base/fields.ts';
import * as z from '../base/schemas.ts';
import { roles } from '../identity/roles.ts';
import { proxyProblem } from '../net/http-proxy.ts';
import { machinesOfCluster } from './machine-schema.ts';
import { accessKinds, clusterSections, providerFields, providerTypes } from './provider-schema.ts';
import { requestsOfCluster, requestsOfDeployment } from './request-schema.ts';

const { anyText, text, path, flag, number, count, duration, httpUrl, optional, prefault, section, withDefault } =
  fields;

/** They become tags and labels at providers and in clusters, so they keep to what all of those accept. */
const nameRule = 'must be 1 to 40 lowercase letters, digits and dashes, starting and ending with a letter or digit';
const configName = anyText.check(z.regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, { error: nameRule }));

const garbageCollection = section({
  everySeconds: prefault(duration({ least: 1 }), 120),
  /** Between the two readings that a deletion needs. */
  graceSeconds: prefault(duration(), 60),
  maxDeletesPercent: withDefault(number.check(z.gte(0), z.lte(100)), 10),
  maxDeletesAtLeast: withDefault(count(0, 10_000), 5),
});

/** Where a cluster keeps what we look up by name: DNS labels, as Kubernetes has them. */
const objectName = anyText.check(
  z.regex(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/, {
    error: 'must be the name of a Kubernetes object: lowercase letters, digits, dashes and dots',
  }),
);

const proxyUrl = anyText.check((context) => {
  const problem = proxyProblem(context.value);
  if (problem !== undefined) context.issues.push({ code: 'custom', input: context.value, message: problem });
});

/** Long enough that nobody guesses it, and made of what a header and a path may hold. */
const secret = anyText.check(
  z.regex(/^[A-Za-z0-9._~-]{16,512}$/, {
    error: 'must be 16 to 512 letters, digits, dots, dashes, underscores and tildes',
  }),
);

/** A person or a program that may call the HTTP API. */
const caller = fields.object({
  role: z.enum(roles),
  team: optional(configName),
  tokens: withDefault(z.array(secret), []),
  tokenFiles: withDefault(z.array(path), []),
});

/** What proves that this cluster calls. Several are valid at once, so that they can be replaced without a gap. */
const intake = section({
  tokens: withDefault(z.array(secret), []),
  tokenFiles: withDefault(z.array(path), []),
  pathSecrets: withDefault(z.array(secret), []),
  pathSecretFiles: withDefault(z.array(path), []),
  /** The name of the cluster when absent. */
  certificateNames: optional(z.array(text.check(z.maxLength(253)))),
});

const cluster = fields.object({
  server: optional(httpUrl),
  /** As the cloud's own provider knows how to reach it. */
  access: optional(z.enum(accessKinds)),
  /** One file, several as in KUBECONFIG, or `default` for what kubectl would take. */
  kubeconfig: optional(path),
  context: optional(text),
  /** From within a pod of that cluster. */
  inCluster: withDefault(flag, false),
  token: optional(text),
  tokenFile: optional(path),
  /** Each a file, read again when it is renewed, or the PEM text itself. */
  certificateAuthority: optional(path),
  clientCertificate: optional(path),
  clientKey: optional(path),
  tlsServerName: optional(text),
  proxyUrl: optional(proxyUrl),
  /** Anybody on the way can then pose as the cluster and read the token. */
  insecureSkipTlsVerify: withDefault(flag, false),
  /** All providers when absent. */
  providers: optional(z.array(anyText)),
  /** Serves the node classes that more than one of the providers could serve; the first of them when absent. */
  defaultProvider: optional(anyText),
  /** No cap when absent. */
  maxInstances: optional(count(0, 1_000_000)),
  /** A NodePool with more replicas is refused. */
  maxReplicas: withDefault(count(0, 1_000_000), 10_000),
  /** How many claims events may have deleted in a minute. */
  deletionsPerMinute: withDefault(count(1, 1_000_000), 30),
  paused: withDefault(flag, false),
  /** False where a bridge follows the cluster instead. */
  watch: withDefault(flag, true),
  intake,
  resyncSeconds: prefault(duration({ least: 1 }), 60),
  garbageCollection,
  /** How often pools, node classes and the age of claims are looked at, beside the events that tell of changes. */
  reconcile: section({
    pools: prefault(duration({ least: 1 }), '30s'),
    nodeClasses: prefault(duration({ least: 1 }), '1m'),
    expiration: prefault(duration({ least: 1 }), '1m'),
  }),
  /** Names the one deployment that acts. */
  lease: section({
    namespace: withDefault(objectName, 'kube-system'),
    name: withDefault(objectName, 'poolwright'),
    seconds: prefault(duration({ least: 10, most: 3600 }), '2m'),
  }),
  clusterRequests: optional(requestsOfCluster),
  /** Runs the pods of Providers of virtual machines. */
  machineProviders: optional(fields.object({ everySeconds: prefault(duration({ least: 1 }), '30s') })),
  machines: optional(machinesOfCluster),
  /** The ConfigMap that the Helm chart writes. */
  settings: section({ namespace: withDefault(objectName, 'poolwright') }),
  /** For this cluster, instead of what its providers of one cloud say. */
  ...clusterSections,
});

/** Which fields belong to which type is in the manifests of the providers: one object for all keeps every field's variable. */
const provider = fields.object({
  type: z.enum(providerTypes),
  ...providerFields,
  paused: withDefault(flag, false),
  /** What is absent here is as the provider itself declares it. */
  writeSeconds: optional(duration({ least: 1, most: 300 })),
  latenessSeconds: optional(duration({ most: 3600 })),
  listLagSeconds: optional(duration({ most: 3600 })),
  deadlines: section({
    launch: optional(duration({ least: 1 })),
    registration: optional(duration({ least: 1 })),
    initialization: optional(duration({ least: 1 })),
  }),
});

export const configSchema = fields.object({
  deployment: withDefault(configName, 'local'),
  clusters: withDefault(z.record(configName, cluster), {}),
  providers: withDefault(z.record(configName, provider), {}),
  clusterRequests: requestsOfDeployment,
  http: section({
    host: withDefault(text, '127.0.0.1'),
    /** 0 takes any free port. */
    port: withDefault(count(0, 65_535), 8470),
    tokenFile: optional(path),
    /** Beside the holder of the host's own token, who may do everything. */
    callers: withDefault(z.record(configName, caller), {}),
    tls: optional(fields.object({ certFile: path, keyFile: path, clientCaFile: optional(path) })),
  }),
  workflow: section({
    concurrency: withDefault(count(1, 10_000), 256),
    perCluster: withDefault(count(1, 10_000), 128),
    resumePerSecond: withDefault(count(1, 100_000), 2000),
    retention: prefault(duration(), '24h'),
    setAsideAfterKills: withDefault(count(1, 100), 3),
    retrySetAsideAfter: prefault(duration({ least: 1 }), '5m'),
  }),
  queue: section({
    visibilitySeconds: prefault(duration({ least: 1, most: 43_200 }), 60),
    maxReceives: withDefault(count(1, 1000), 10),
    maxWaitingPerCluster: withDefault(count(1, 10_000_000), 50_000),
    maxWaitingMegabytesPerCluster: withDefault(count(1, 100_000), 32),
    minFreeMegabytes: withDefault(count(0, 10_000_000), 256),
    deadLetters: section({
      max: withDefault(count(1, 10_000_000), 10_000),
      maxMegabytes: withDefault(count(1, 100_000), 64),
      keep: prefault(duration({ least: 1 }), '14d'),
    }),
  }),
  offerings: section({
    unavailableSeconds: prefault(duration(), '3m'),
    /** A cloud may say that a size can't be had for hours; whoever has raised a quota need not wait for that. */
    unavailableAtMost: prefault(duration({ least: 1 }), '24h'),
    refreshSeconds: prefault(duration({ least: 1 }), '5m'),
    maxPriceRatio: withDefault(count(0, 1000), 10),
  }),
  retry: section({
    firstPause: prefault(duration({ least: 0.001 }), '1s'),
    maxPause: prefault(duration({ least: 0.001 }), '5m'),
  }),
  lifecycle: section({
    /** A claim younger than this stands in no backup: its launch need not look for instances that a restore forgot. */
    restoreHorizon: prefault(duration(), '10m'),
    /** How long a launch waits for its node when no event wakes it. */
    lookAgain: prefault(duration({ least: 0.1 }), '20s'),
  }),
  decisions: section({ keep: prefault(duration({ least: 1 }), '24h'), maxPerClaim: withDefault(count(1, 10_000), 50) }),
  /** Who changed what. */
  audit: section({ keep: prefault(duration({ least: 1 }), '90d'), max: withDefault(count(1, 100_000), 1000) }),
  metrics: section({
    otlp: section({
      /** Where /v1/metrics is; the variables of OpenTelemetry when absent. */
      endpoint: optional(httpUrl),
      headers: optional(text),
      headersFile: optional(path),
      everySeconds: prefault(duration({ most: 3600 }), '1m'),
    }),
  }),
  log: section({
    level: withDefault(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info'),
    /** `auto`: for people on a terminal, JSON elsewhere. */
    pretty: withDefault(z.union([flag, z.literal('auto')], { error: 'must be true, false or auto' }), 'auto'),
  }),
});
