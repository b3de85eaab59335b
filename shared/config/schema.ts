/**
 * What can be configured, and what holds when nothing is said. Every duration is in seconds once it is resolved, whatever its
 * name; it may be written as a number of seconds or as "30s", "15m", "1h30m".
 */
import { z } from 'zod';
import { proxyProblem } from '../net/http-proxy.ts';
import { formatDuration, parseDuration } from './duration.ts';

const YEAR = 366 * 86_400;

// What several fields have in common is made once: a schema takes long to make, and whoever starts a function waits for all of them.
const anyText = z.string();
const text = anyText.min(1);
const flag = z.boolean();
const numberOrText = [z.number(), anyText] as const;
const durations = new Map<string, ReturnType<typeof makeDuration>>();

function duration({ least = 0, most = YEAR }: { least?: number; most?: number } = {}) {
  const key = `${least} ${most}`;
  const known = durations.get(key) ?? makeDuration(least, most);
  durations.set(key, known);
  return known;
}

function makeDuration(least: number, most: number) {
  const allowed = `must be a duration such as "30s", "15m" or "1h30m", or a number of seconds, from ${formatDuration(least)} to ${formatDuration(most)}`;
  return z.union(numberOrText, { error: allowed }).transform((value, context) => {
    const seconds = parseDuration(value);
    if (seconds !== undefined && seconds >= least && seconds <= most) return seconds;
    context.addIssue({ code: 'custom', message: allowed });
    return z.NEVER;
  });
}

const count = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));

/** They become tags and labels at providers and in clusters, so they keep to what all of those accept. */
const NAME_RULE = 'must be 1 to 40 small letters, digits and dashes, starting and ending with a letter or digit';
const configName = anyText.regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, { error: NAME_RULE });

const httpUrl = anyText.refine((text) => URL.canParse(text) && /^https?:\/\//.test(text), {
  error: 'must be an http:// or https:// URL',
});
const path = text;

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
  error: 'must be the name of a Kubernetes object: small letters, digits, dashes and dots',
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

/** Where agent pools are made. Whether it is a name that Azure has is for the provider to say. */
const azurePlace = {
  subscription: text.optional(),
  resourceGroup: text.optional(),
  clusterName: text.optional(),
  location: text.optional(),
  customLocation: text.optional(),
};

/** Where EC2 makes machines, and what they join. Whether AWS has it is for the provider to say. */
const awsPlace = {
  region: text.optional(),
  clusterEndpoint: httpUrl.optional(),
  clusterCA: text.optional(),
  kubernetesVersion: text.optional(),
  serviceCidr: text.optional(),
  /** The URL or the name of a queue that EventBridge fills. */
  interruptionQueue: text.optional(),
};

const cluster = z.strictObject({
  server: httpUrl.optional(),
  /** As the cloud's own provider knows how to reach it. */
  access: z.enum(['aks', 'arc', 'eks']).optional(),
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
  /** For this cluster, instead of what its providers of Azure say. */
  azure: z.strictObject(azurePlace).prefault({}),
  /** For this cluster, instead of what its providers of AWS say. */
  aws: z.strictObject({ ...awsPlace, clusterName: text.optional() }).prefault({}),
});

const httpsUrl = anyText.refine((text) => URL.canParse(text) && text.startsWith('https://'), {
  error: 'must be an https:// URL',
});

/** Which fields belong to which type stands in `provider-checks.ts`: one object for all keeps every field's variable. */
const provider = z.strictObject({
  type: z.enum(['sim', 'aks', 'arc', 'ec2']),
  url: httpUrl.optional(),
  ...azurePlace,
  tenant: text.optional(),
  credential: z
    .strictObject({
      type: z.enum(['workload-identity', 'managed-identity', 'client-secret', 'default']).optional(),
      clientId: text.optional(),
      resourceId: text.optional(),
      tokenFile: path.optional(),
      secretVariable: text.optional(),
      secretFile: path.optional(),
    })
    .prefault({}),
  cloud: z
    .strictObject({
      name: z.enum(['public', 'us-government', 'china']).optional(),
      authorityHost: httpsUrl.optional(),
      armEndpoint: httpsUrl.optional(),
      audience: text.optional(),
      pricesUrl: httpsUrl.optional(),
    })
    .prefault({}),
  certificateAuthority: path.optional(),
  operationsAtOnce: count(1, 100).optional(),
  unlabelledAksNodeClasses: flag.optional(),
  ...awsPlace,
  endpoint: httpUrl.optional(),
  roleArn: text.optional(),
  externalId: text.optional(),
  serveEc2NodeClasses: flag.optional(),
  vmMemoryOverheadPercent: z.number().min(0).lt(1).optional(),
  reservedENIs: count(0, 100).optional(),
  /** By the name of the action; what is absent is as EC2 documents it. */
  requestRates: z
    .record(text, z.strictObject({ burst: count(1, 100_000), perSecond: z.number().positive().max(100_000) }))
    .optional(),
  prices: flag.optional(),
  paused: flag.default(false),
  /** What is absent here is as the provider itself declares it. */
  writeSeconds: duration({ least: 1, most: 300 }).optional(),
  latenessSeconds: duration({ most: 3600 }).optional(),
  listLagSeconds: duration({ most: 3600 }).optional(),
  idempotency: z.enum(['token', 'name', 'claim-name', 'none']).optional(),
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
