/** What people read about each field of the configuration. A test fails when a field has no text, or a text no field. */
import type { ProviderManifest } from '../../shared/providers/manifest.ts';
import { manifests } from '../../shared/providers/manifests.ts';

export const intro = `<!-- Made by \`npm run generate\` from shared/config/schema.ts. Change it there and in scripts/generate/configuration-texts.ts. -->

# Configuration

Without any configuration, \`npm start\` runs against a simulated cluster and a simulated cloud. With one:

\`\`\`yaml
# poolwright.yaml, started by: npm start -- --config poolwright.yaml
deployment: office
clusters:
  east:
    kubeconfig: ./east.kubeconfig
    maxInstances: 50
providers:
  sim:
    type: sim
    url: http://127.0.0.1:9000
\`\`\`

- The file is YAML or JSON. Relative paths are relative to the file.
- Every field has an environment variable: \`http.port\` is \`POOLWRIGHT_HTTP_PORT\`, and \`clusters.east-1.maxInstances\` is
  \`POOLWRIGHT_CLUSTERS_EAST_1_MAX_INSTANCES\`. Lists are comma-separated.
- The command line overrides the environment, and the environment overrides the file.
- A duration is written as \`30s\`, \`15m\`, \`1h30m\` or \`2d\`, or as a number of seconds.
- The host does not start with a mistake. The message has the file and line, the field, the value, what is allowed and the nearest name, for all
  mistakes at once, also behind a name that is wrong. Values of secret fields are not shown. What only the provider itself can check, such as the name of a region, is
  checked when the rest is right.

\`<name>\` below is a name of your choice: 1 to 40 lowercase letters, digits and dashes.`;

export const sections: readonly { title: string; prefix: string; text: string }[] = [
  { title: 'The deployment', prefix: '', text: 'One deployment may serve many clusters and many clouds.' },
  {
    title: 'Clusters',
    prefix: 'clusters.<name>.',
    text: 'A cluster is reached by `kubeconfig`, by `inCluster`, by `access`, or by `server` with a token or a client certificate; [clusters.md](clusters.md) has an example of each.',
  },
  {
    title: 'Providers',
    prefix: 'providers.<name>.',
    text: 'A provider creates instances on one cloud. A dash means that the provider declares the value.',
  },
  {
    title: 'Requests for clusters',
    prefix: 'clusterRequests.',
    text: 'See [cluster requests](cluster-requests.md). In which clusters requests are made is a field of each cluster: `clusters.<name>.clusterRequests`.',
  },
  { title: 'HTTP', prefix: 'http.', text: 'See [the HTTP API](http-api.md).' },
  {
    title: 'Workflows',
    prefix: 'workflow.',
    text: 'How much runs concurrently, and what happens to steps that keep failing.',
  },
  { title: 'The queue', prefix: 'queue.', text: 'Events wait here until the watcher processes them.' },
  {
    title: 'Offerings',
    prefix: 'offerings.',
    text: 'An offering is an instance type in a zone, as spot or on-demand.',
  },
  {
    title: 'Pauses between retries',
    prefix: 'retry.',
    text: 'A claim whose instance is unavailable is retried; each pause is twice as long as the previous one.',
  },
  { title: 'The lifecycle', prefix: 'lifecycle.', text: 'The defaults suit most deployments.' },
  {
    title: 'Decisions',
    prefix: 'decisions.',
    text: 'The decisions about each claim are kept for a while, with their reasons.',
  },
  {
    title: 'The audit log',
    prefix: 'audit.',
    text: 'See [who changed what](http-api.md#the-audit-log).',
  },
  {
    title: 'Metrics',
    prefix: 'metrics.',
    text: 'Every host can push its metrics to an OpenTelemetry collector: [how](reference/metrics.md#push-to-a-collector).',
  },
  { title: 'The log', prefix: 'log.', text: 'One line per event, with ids. See [operations](operations.md#logs).' },
];

/** Clusters that are not called like the provider that reaches them. */
const others = (manifests as readonly ProviderManifest[]).flatMap(({ type, access }) =>
  access === undefined || access.kind === type ? [] : [`\`${access.kind}\`: of type ${type}`],
);
const otherTypes = others.length === 0 ? '' : ` (${others.join(', ')})`;

/** What providers say about more than one option, each once. */
export async function providerNotes(): Promise<string[]> {
  const said = await Promise.all((manifests as readonly ProviderManifest[]).map(({ texts }) => texts()));
  return [...new Set(said.flatMap(({ notes = [] }) => notes))];
}

/** Those of providers are in `texts.ts` of each. */
const ownTexts: Readonly<Record<string, string>> = {
  deployment: 'A tag on every instance. Deployments that share a cloud account need different names.',
  'clusters.<name>.server': 'URL of the API server.',
  'clusters.<name>.access': `Get the access to the cluster from its cloud: the address, the certificate authority, and a token from Entra ID or STS, which is renewed automatically. Needs a provider of that type${otherTypes}; see [clusters.md](clusters.md#aks-by-entra-id).`,
  'clusters.<name>.kubeconfig':
    'A kubeconfig file, several as in `KUBECONFIG`, or `default` for the one that kubectl would use; or a [reference](clusters.md#secrets-at-aws) to one.',
  'clusters.<name>.context': 'The context in that file. Default: the current context.',
  'clusters.<name>.inCluster': "Use the service account of the host's pod.",
  'clusters.<name>.certificateAuthority':
    'The certificate authority of `server`: a file (reread when it changes), the PEM text, or a [reference](clusters.md#secrets-at-aws).',
  'clusters.<name>.clientCertificate':
    'The client certificate for `server`, instead of a token: a file, the PEM text, or a reference.',
  'clusters.<name>.clientKey': 'The key of that certificate: a file, the PEM text, or a reference.',
  'clusters.<name>.tlsServerName': "The name on the server's certificate, if it differs from the one in the URL.",
  'clusters.<name>.proxyUrl':
    'An HTTP proxy that supports CONNECT. Default: the proxy in the kubeconfig, then `HTTPS_PROXY` and `NO_PROXY`.',
  'clusters.<name>.insecureSkipTlsVerify':
    "Do not verify the server's certificate. Anyone on the network path can then read the token and impersonate the cluster. Also required for a kubeconfig that sets insecure-skip-tls-verify.",
  'clusters.<name>.defaultProvider': 'The provider that serves a node class which several providers could serve.',
  'clusters.<name>.token': 'Bearer token for `server`, or a [reference](clusters.md#secrets-at-aws) to one.',
  'clusters.<name>.watch':
    'Whether the host watches the cluster itself. Set it to `false` if a [bridge](sources.md) does it instead.',
  'clusters.<name>.intake.tokens':
    'Bearer tokens with which the cluster (its bridge, its webhook) may send events, about itself only. All of them are valid, so that you can rotate them without an interruption.',
  'clusters.<name>.intake.tokenFiles': 'Files with such tokens, one per line; reread when they change.',
  'clusters.<name>.intake.pathSecrets':
    'Secrets in the path of the webhook, for API servers that can only be configured with a URL. They are valid for the webhook only.',
  'clusters.<name>.intake.pathSecretFiles': 'Files with such secrets, one per line; reread when they change.',
  'clusters.<name>.intake.certificateNames':
    'Common names or DNS names of client certificates that authenticate the cluster. Default: its name.',
  'clusters.<name>.tokenFile': 'A file with that token; reread when it changes.',
  'clusters.<name>.providers': 'The providers that serve this cluster. Default: all.',
  'clusters.<name>.maxReplicas':
    'A NodePool may have at most this many replicas. The webhook refuses one with more; without the webhook the pool is not Ready, and the host neither creates nor deletes claims for it.',
  'clusters.<name>.deletionsPerMinute':
    'At most this many claims are deleted in a minute because an event says that a Node is being deleted or an instance is interrupted. Deletions by users and pools, and notices on the queue of the cloud, do not count.',
  'clusters.<name>.maxInstances': 'The cap: at most this many claims have an instance at any time. Default: no cap.',
  'clusters.<name>.paused': 'Create no instances for this cluster. Deletions continue.',
  'clusters.<name>.resyncSeconds': 'How often all claims are read and missing workflows are started.',
  'clusters.<name>.reconcile.pools':
    'How often [NodePools](node-pools.md) are brought to their replicas, in addition to the events about changes.',
  'clusters.<name>.reconcile.nodeClasses': 'How often [node classes](node-classes.md) are resolved.',
  'clusters.<name>.reconcile.expiration': 'How often claims are checked against their `expireAfter`.',
  'clusters.<name>.clusterRequests.driver':
    'Carry out [requests for clusters](cluster-requests.md) that are made in this cluster, and how: `aso` uses Azure Service Operator there. Without any of these fields the requests are left alone.',
  'clusters.<name>.clusterRequests.provider':
    'A provider of Azure. The host reads quotas, sizes and versions in its subscription with its identity before a cluster is made; the driver `arm` makes clusters with it. For `aso`, use a provider with the subscription of the operator.',
  'clusters.<name>.clusterRequests.driftEvery': 'How often a cluster that is ready is compared with its request.',
  'clusters.<name>.clusterRequests.retryAfter':
    'Pause before the host retries a request that has failed. It doubles with each failure in a row, up to an hour.',
  'clusters.<name>.clusterRequests.pollAtMost':
    'The longest pause between two looks at something that is being made. Short waits have short pauses.',
  'clusters.<name>.clusterRequests.everySeconds':
    'How often all requests are read: missing workflows are started, and lifetimes are checked.',
  'clusters.<name>.machines.everySeconds':
    'Carry out [virtual machines](virtual-machines.md) in this cluster, and how often all of them are compared with their hypervisors. Without any of these fields, or an empty `machines`, they are left alone.',
  'clusters.<name>.machines.pollAtMost':
    'The longest pause between two looks at a task of a provider. The host looks at young tasks more often.',
  'clusters.<name>.machines.retryAfter':
    'Pause after a provider has refused a machine. It doubles with each refusal, up to ten minutes.',
  'clusters.<name>.machines.grace':
    'A machine that a provider no longer has is made again when it is missing at a second look, this long after the first.',
  'clusters.<name>.machines.createAtMost': 'How long one call that creates a machine can take.',
  'clusters.<name>.machines.lateness':
    'How late a create can still take effect after its call has ended. An object stays that long, and no second attempt begins.',
  'clusters.<name>.machines.inProcess.<name>.type':
    'Run the driver of the Provider `namespace/name` within the host instead of in pods.',
  'clusters.<name>.machines.servers.<name>.endpoint':
    'Where the server of the Provider `namespace/name` listens, if the host does not reach its pods by the name of their Service.',
  'clusters.<name>.machines.servers.<name>.caFile':
    'The authority of the certificate of the server. The files are reread when they change.',
  'clusters.<name>.machines.servers.<name>.certFile': 'The client certificate for the server.',
  'clusters.<name>.machines.servers.<name>.keyFile': 'The key of that certificate.',
  'clusters.<name>.machines.servers.<name>.serverName':
    'The name in the certificate of the server, if it differs from the address.',
  'clusters.<name>.machines.servers.<name>.tokenFile': 'A file with a bearer token for the server.',
  'clusters.<name>.machines.servers.<name>.plaintext':
    'Call without TLS. Anyone on the network path can then read and change the calls.',
  'clusters.<name>.machines.inProcess.<name>.stateFile':
    'The file in which the mock keeps its machines. Default: in memory, so they are gone with the process.',
  'clusters.<name>.garbageCollection.everySeconds': 'How often instances are compared with claims.',
  'clusters.<name>.garbageCollection.graceSeconds': 'Time between the two readings that a deletion needs.',
  'clusters.<name>.garbageCollection.maxDeletesPercent':
    'If more than this percentage of all instances are orphans, nothing is deleted and an alarm is logged.',
  'clusters.<name>.garbageCollection.maxDeletesAtLeast':
    'This many may be deleted in one run, whatever the percentage.',
  'clusters.<name>.lease.namespace':
    'The namespace of the [Lease](ownership.md) that names the one deployment which acts.',
  'clusters.<name>.lease.name': 'Its name. All deployments that might serve the same claims must use the same one.',
  'clusters.<name>.lease.seconds':
    'If a deployment has not renewed the Lease for this long, another one of the same name takes over.',
  'clusters.<name>.settings.namespace':
    'The namespace of the Helm chart in this cluster, where the host reads the ConfigMap `poolwright-settings`.',
  'providers.<name>.type': 'The type of the provider.',
  'providers.<name>.paused': 'Create no instances with this provider. Deletions continue.',
  'providers.<name>.writeSeconds':
    'Time limit of one create call, from the moment when the attempt took the write lock.',
  'providers.<name>.latenessSeconds':
    'How long after that an instance may still appear. Too small a value can cost a second instance.',
  'providers.<name>.listLagSeconds': 'How long a list may still miss an existing instance.',
  'providers.<name>.deadlines.launch': 'From the start of the create to the instance.',
  'providers.<name>.deadlines.registration': 'From the instance to its Node.',
  'providers.<name>.deadlines.initialization': 'From the Node to a Ready Node with all requested resources.',
  'clusters.<name>.machineProviders.everySeconds':
    'How often [Providers of virtual machines](machine-providers.md) are looked after. Without `machineProviders`, Poolwright leaves Providers alone.',
  'clusterRequests.policy.onlyNamedTeams': 'Only the teams below `policy.teams` can request clusters.',
  'clusterRequests.policy.everyTeam.clusters':
    'How many requests a team can have at the same time. Applies to teams without an entry of their own, and to what their entry does not say.',
  'clusterRequests.policy.everyTeam.nodes': 'How many nodes one cluster can have, as far as its request says.',
  'clusterRequests.policy.everyTeam.locations': 'The allowed locations. Default: all.',
  'clusterRequests.policy.everyTeam.poolTypes': 'The allowed pool types. Default: all.',
  'clusterRequests.policy.everyTeam.longestLifetime':
    'Each request needs a lifetime, and this is the longest. Default: a lifetime is not needed.',
  'clusterRequests.policy.teams.<name>.clusters': 'How many requests this team can have at the same time.',
  'clusterRequests.policy.teams.<name>.nodes': 'How many nodes one cluster can have, as far as its request says.',
  'clusterRequests.policy.teams.<name>.locations': 'The allowed locations. Default: all.',
  'clusterRequests.policy.teams.<name>.poolTypes': 'The allowed pool types. Default: all.',
  'clusterRequests.policy.teams.<name>.longestLifetime':
    'Each request needs a lifetime, and this is the longest. Default: a lifetime is not needed.',
  'clusterRequests.notifications.<name>.url': 'Send notifications to this address by POST.',
  'clusterRequests.notifications.<name>.urlFile':
    'The same from a file, for an address that holds a secret. The file is read again for each notification.',
  'clusterRequests.notifications.<name>.format':
    'A [CloudEvent](cluster-requests.md), or a message for Slack and for receivers of its format.',
  'clusterRequests.notifications.<name>.on': 'What is reported.',
  'clusterRequests.notifications.<name>.signingKeyFiles':
    'Files with the keys that sign each notification (HMAC-SHA256), one key per line. Each key signs, so that a receiver can change keys without a gap.',
  'clusterRequests.poolTypesFile':
    'A YAML or JSON file with more pool types by name. A type with the name of a built-in one replaces it.',
  'clusterRequests.poolTypes.<name>.description': 'What the type is for.',
  'clusterRequests.poolTypes.<name>.family': 'Family of VM sizes as Azure names it, such as `D`.',
  'clusterRequests.poolTypes.<name>.versions': 'Generations of the family that node auto-provisioning can use.',
  'clusterRequests.poolTypes.<name>.vmSizes': 'VM sizes where an exact size is needed, the preferred one first.',
  'clusterRequests.poolTypes.<name>.acceptedVmSizes': 'More VM sizes that a request can name.',
  'clusterRequests.poolTypes.<name>.limits.cpu': 'CPU limit of the NodePool.',
  'clusterRequests.poolTypes.<name>.limits.memory': 'Memory limit of the NodePool.',
  'clusterRequests.poolTypes.<name>.taints': 'Taints of the nodes, such as `dedicated=batch:NoSchedule`.',
  'clusterRequests.state.provider':
    'Accept requests over HTTP without a management cluster. They are kept in the state, and the driver `arm` carries them out with the subscription and the identity of this provider.',
  'clusterRequests.state.driftEvery': 'How often a cluster that is ready is compared with its request.',
  'clusterRequests.state.retryAfter':
    'Pause before the host retries a request that has failed. It doubles with each failure in a row, up to an hour.',
  'clusterRequests.state.pollAtMost':
    'The longest pause between two looks at something that is being made. Short waits have short pauses.',
  'clusterRequests.state.everySeconds':
    'How often all requests are read: missing workflows are started, and lifetimes are checked.',
  'http.host': 'Address to listen on. Anything but loopback needs `http.tokenFile`.',
  'http.port': '0 takes any free port.',
  'http.tls.certFile': "The host's certificate, with its chain (PEM). Reread when it changes.",
  'http.tls.keyFile': 'Its key (PEM).',
  'http.tls.clientCaFile': "The certificate authority of the clusters' client certificates (PEM).",
  'http.tokenFile': 'A file with the bearer token, instead of `token` in the data directory.',
  'http.callers.<name>.role':
    "What this caller may do: `read`, `operate` or `admin` ([the roles](http-api.md#who-may-call)). The holder of the host's own token is an admin.",
  'http.callers.<name>.team': 'The team of this caller, for the audit log.',
  'http.callers.<name>.tokens':
    'Bearer tokens of this caller. All of them are valid, so that you can rotate them without an interruption. On AWS put a [reference](clusters.md#secrets-at-aws) into the variable.',
  'http.callers.<name>.tokenFiles': 'Files with such tokens, one per line; reread when they change.',
  'workflow.concurrency': 'The number of steps that run concurrently, in total.',
  'workflow.perCluster':
    'The number of steps that run concurrently for one cluster, so that a slow cluster does not hold up the others.',
  'workflow.resumePerSecond': 'How many due workflows resume per second after a restart.',
  'workflow.retention': 'How long finished histories are kept.',
  'workflow.setAsideAfterKills': 'A step that was running this many times when the host died is set aside.',
  'workflow.retrySetAsideAfter': 'When a workflow that was set aside is retried.',
  'queue.visibilitySeconds': 'How long a received message stays hidden before it is delivered again.',
  'queue.maxReceives': 'After this many deliveries a message is dead-lettered.',
  'queue.maxWaitingPerCluster':
    'The number of events of one cluster that may wait on the local host. Above it, the intake responds with 429 for this cluster, and its watch drops events; the resync finds what they were about. On Azure and AWS the intake refuses events while more than 100,000 of all clusters wait.',
  'queue.maxWaitingMegabytesPerCluster': 'The same limit by the size of the waiting events. Only on the local host.',
  'queue.minFreeMegabytes':
    'With less free space on the disk of the data directory, the host accepts no events. On a small disk, a tenth of it. 0: no limit.',
  'queue.deadLetters.max':
    'The number of dead letters that the local host keeps. Above it, the host drops the oldest of the cluster that has the most. On Azure and AWS the queue itself has limits.',
  'queue.deadLetters.maxMegabytes': 'The same limit by their size. Only on the local host.',
  'queue.deadLetters.keep': 'The local host drops older dead letters.',
  'offerings.unavailableSeconds': 'How long an offering is skipped after the cloud was out of capacity.',
  'offerings.unavailableAtMost':
    'The longest time that an offering is skipped, whatever the provider says. A lower value notices a raised quota sooner, but causes more refused creates.',
  'offerings.refreshSeconds': 'How often types, prices and availability are read.',
  'offerings.maxPriceRatio':
    'The price ceiling of a claim: Poolwright does not take an offering that costs more than this many times the cheapest on-demand offering that fits the claim, also if every cheaper one is unavailable. 0: no ceiling.',
  'retry.firstPause': 'After the first failure.',
  'retry.maxPause':
    "The longest pause. A claim whose spec is invalid waits between half of this and all of it, because a spec can't change.",
  'lifecycle.restoreHorizon':
    'A claim younger than this is in no backup, so its launch does not search for instances from before a restore. A shorter time is safer and costs one more call per launch; 0 always searches.',
  'lifecycle.lookAgain': 'How long a launch waits before it checks its node again without an event.',
  'decisions.keep': 'How long decisions are kept.',
  'decisions.maxPerClaim': 'How many decisions are kept per claim; the oldest are dropped.',
  'audit.keep': 'How long entries of the [audit log](http-api.md#the-audit-log) are kept.',
  'audit.max': 'How many entries of the audit log are kept; the oldest are dropped.',
  'metrics.otlp.endpoint':
    'URL of a collector that takes OTLP over HTTP, usually at port 4318; `/v1/metrics` is added. Without it `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` and `OTEL_EXPORTER_OTLP_ENDPOINT` apply.',
  'metrics.otlp.headers':
    'Headers that authenticate to the collector, as `name=value,name=value`. This is a secret: better set it in `POOLWRIGHT_METRICS_OTLP_HEADERS`, which may be a reference to one.',
  'metrics.otlp.headersFile': 'A file with the same content, read before every push.',
  'metrics.otlp.everySeconds':
    'The shortest time between pushes; in functions they happen at the end of a call, and with 0 after every call.',
  'log.level': 'The lowest level that is written.',
  'log.pretty': '`auto`: readable text on a terminal, JSON elsewhere.',
};

/** All of them. What only some types have begins with the types. */
export async function fieldTexts(): Promise<Readonly<Record<string, string>>> {
  const options = new Map<string, Map<string, string[]>>();
  const sections: Record<string, string> = {};
  for (const { type, texts, perCluster } of manifests as readonly ProviderManifest[]) {
    const { options: own, perCluster: instead = {} } = await texts();
    for (const [field, text] of Object.entries(own)) {
      const byText = options.get(field) ?? new Map<string, string[]>();
      options.set(field, byText.set(text, [...(byText.get(text) ?? []), type]));
    }
    for (const [field, text] of Object.entries(instead))
      sections[`clusters.<name>.${perCluster?.section}.${field}`] = text;
  }
  const ofProviders = [...options].map(([field, byText]) => [
    `providers.<name>.${field}`,
    [...byText].map(([text, types]) => `${types.join(', ')}: ${text}`).join(' '),
  ]);
  return { ...ownTexts, ...sections, ...Object.fromEntries(ofProviders) };
}
