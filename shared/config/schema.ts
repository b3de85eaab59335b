/**
 * What can be configured, and what holds when nothing is said. Every duration is in seconds once it is resolved, whatever its
 * name; it may be written as a number of seconds or as "30s", "15m", "1h30m".
 */

import { z } from 'zod';
import * as fields from '../base/fields.ts';
import { proxyProblem } from '../net/http-proxy.ts';
import { accessKinds, clusterSections, providerFields, providerTypes } from './provider-schema.ts';

const { anyText, text, path, flag, count, duration, httpUrl } = fields;

/** They become tags and labels at providers and in clusters, so they keep to what all of those accept. */
const nameRule = 'must be 1 to 40 lowercase letters, digits and dashes, starting and ending with a letter or digit';
const configName = anyText.regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, { error: nameRule });

const garbageCollection = z
  .strictObject({
    everySeconds: duration({ least: 1 }).prefault(120),
    /** Between the two readings that a deletion needs. */
    graceSeconds: duration().prefault(60),
    maxDeletesPercent: z.number().min(0).max(100).default(10),
    maxDeletesAtLeast: count(0, 10_000).default(5),
  })
  .prefault({});

/** Where a cluster keeps what we look up by name: DNS labels, as Kubernetes has them. */
const objectName = anyText.regex(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/, {
  error: 'must be the name of a Kubernetes object: lowercase letters, digits, dashes and dots',
});

const proxyUrl = anyText.superRefine((text, context) => {
  const problem = proxyProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** Long enough that nobody guesses it, and made of what a header and a path may hold. */
const secret = anyText.regex(/^[A-Za-z0-9._~-]{16,512}$/, {
  error: 'must be 16 to 512 letters, digits, dots, dashes, underscores and tildes',
});

/** What proves that this cluster calls. Several are valid at once, so that they can be replaced without a gap. */
const intake = z
  .strictObject({
    tokens: z.array(secret).default([]),
    tokenFiles: z.array(path).default([]),
    pathSecrets: z.array(secret).default([]),
    pathSecretFiles: z.array(path).default([]),
    /** The name of the cluster when absent. */
    certificateNames: z.array(text.max(253)).optional(),
  })
  .prefault({});

const cluster = z.strictObject({
  server: httpUrl.optional(),
  /** As the cloud's own provider knows how to reach it. */
  access: z.enum(accessKinds).optional(),
  /** One file, several as in KUBECONFIG, or `default` for what kubectl would take. */
  kubeconfig: path.optional(),
  context: text.optional(),
  /** From within a pod of that cluster. */
  inCluster: flag.default(false),
  token: text.optional(),
  tokenFile: path.optional(),
  /** Each a file, read again when it is renewed, or the PEM text itself. */
  certificateAuthority: path.optional(),
  clientCertificate: path.optional(),
  clientKey: path.optional(),
  tlsServerName: text.optional(),
  proxyUrl: proxyUrl.optional(),
  /** Anybody on the way can then pose as the cluster and read the token. */
  insecureSkipTlsVerify: flag.default(false),
  /** All providers when absent. */
  providers: z.array(anyText).optional(),
  /** Serves the node classes that more than one of the providers could serve; the first of them when absent. */
  defaultProvider: anyText.optional(),
  /** No cap when absent. */
  maxInstances: count(0, 1_000_000).optional(),
  paused: flag.default(false),
  /** False where a bridge follows the cluster instead. */
  watch: flag.default(true),
  intake,
  resyncSeconds: duration({ least: 1 }).prefault(60),
  garbageCollection,
  /** How often pools, node classes and the age of claims are looked at, beside the events that tell of changes. */
  reconcile: z
    .strictObject({
      pools: duration({ least: 1 }).prefault('30s'),
      nodeClasses: duration({ least: 1 }).prefault('1m'),
      expiration: duration({ least: 1 }).prefault('1m'),
    })
    .prefault({}),
  /** Names the one deployment that acts. */
  lease: z
    .strictObject({
      namespace: objectName.default('kube-system'),
      name: objectName.default('poolwright'),
      seconds: duration({ least: 10, most: 3600 }).prefault('2m'),
    })
    .prefault({}),
  /** The ConfigMap that the Helm chart writes. */
  settings: z.strictObject({ namespace: objectName.default('poolwright') }).prefault({}),
  /** For this cluster, instead of what its providers of one cloud say. */
  ...clusterSections,
});

/** Which fields belong to which type is in the manifests of the providers: one object for all keeps every field's variable. */
const provider = z.strictObject({
  type: z.enum(providerTypes),
  ...providerFields,
  paused: flag.default(false),
  /** What is absent here is as the provider itself declares it. */
  writeSeconds: duration({ least: 1, most: 300 }).optional(),
  latenessSeconds: duration({ most: 3600 }).optional(),
  listLagSeconds: duration({ most: 3600 }).optional(),
  deadlines: z
    .strictObject({
      launch: duration({ least: 1 }).optional(),
      registration: duration({ least: 1 }).optional(),
      initialization: duration({ least: 1 }).optional(),
    })
    .prefault({}),
});

export const configSchema = z.strictObject({
  deployment: configName.default('local'),
  clusters: z.record(configName, cluster).default({}),
  providers: z.record(configName, provider).default({}),
  http: z
    .strictObject({
      host: text.default('127.0.0.1'),
      /** 0 takes any free port. */
      port: count(0, 65_535).default(8470),
      tokenFile: path.optional(),
      tls: z.strictObject({ certFile: path, keyFile: path, clientCaFile: path.optional() }).optional(),
    })
    .prefault({}),
  workflow: z
    .strictObject({
      concurrency: count(1, 10_000).default(256),
      perCluster: count(1, 10_000).default(128),
      resumePerSecond: count(1, 100_000).default(2000),
      retention: duration().prefault('24h'),
      setAsideAfterKills: count(1, 100).default(3),
      retrySetAsideAfter: duration({ least: 1 }).prefault('5m'),
    })
    .prefault({}),
  queue: z
    .strictObject({
      visibilitySeconds: duration({ least: 1, most: 43_200 }).prefault(60),
      maxReceives: count(1, 1000).default(10),
    })
    .prefault({}),
  offerings: z
    .strictObject({
      unavailableSeconds: duration().prefault('3m'),
      /** A cloud may say that a size can't be had for hours; whoever has raised a quota need not wait for that. */
      unavailableAtMost: duration({ least: 1 }).prefault('24h'),
      refreshSeconds: duration({ least: 1 }).prefault('5m'),
    })
    .prefault({}),
  retry: z
    .strictObject({
      firstPause: duration({ least: 0.001 }).prefault('1s'),
      maxPause: duration({ least: 0.001 }).prefault('5m'),
    })
    .prefault({}),
  lifecycle: z
    .strictObject({
      /** A claim younger than this stands in no backup: its launch need not look for instances that a restore forgot. */
      restoreHorizon: duration().prefault('10m'),
      /** How long a launch waits for its node when no event wakes it. */
      lookAgain: duration({ least: 0.1 }).prefault('20s'),
    })
    .prefault({}),
  decisions: z
    .strictObject({ keep: duration({ least: 1 }).prefault('24h'), maxPerClaim: count(1, 10_000).default(50) })
    .prefault({}),
  metrics: z
    .strictObject({
      otlp: z
        .strictObject({
          /** Where /v1/metrics is; the variables of OpenTelemetry when absent. */
          endpoint: httpUrl.optional(),
          headers: text.optional(),
          headersFile: path.optional(),
          everySeconds: duration({ most: 3600 }).prefault('1m'),
        })
        .prefault({}),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      /** `auto`: for people on a terminal, JSON elsewhere. */
      pretty: z.union([flag, z.literal('auto')], { error: 'must be true, false or auto' }).default('auto'),
    })
    .prefault({}),
});
