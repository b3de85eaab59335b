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

- The file is YAML or JSON. Paths in it are meant from where the file is.
- Every field has an environment variable: \`http.port\` is \`POOLWRIGHT_HTTP_PORT\`, and \`clusters.east-1.maxInstances\` is
  \`POOLWRIGHT_CLUSTERS_EAST_1_MAX_INSTANCES\`. A list is written with commas.
- The command line wins over the environment, and the environment over the file.
- A duration is written as \`30s\`, \`15m\`, \`1h30m\` or \`2d\`, or as a number of seconds.
- A mistake stops the start. The message names file and line, field, value, what is allowed and the nearest name, for all
  mistakes at once. Values of secret fields are not shown.

\`<name>\` below is a name of your choice: 1 to 40 small letters, digits and dashes.`;

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
    text: `A provider makes instances on one cloud. A dash: as the provider itself declares it.

### Azure by its environment

Providers of type \`aks\` and \`arc\` take what is not configured from the variables that gpu-provisioner uses. Where no
provider is configured at all, \`ARM_SUBSCRIPTION_ID\` or \`AZURE_PROVIDER_TYPE\` (\`aks\`, the default, or \`arc\`) makes one of that type and name. The
identity is: with \`DEPLOYMENT_MODE=managed\` the default credential of Microsoft's libraries; with \`AZURE_FEDERATED_TOKEN_FILE\` workload identity; with
\`AZURE_CLIENT_SECRET\` that secret; in a function app its managed identity, or the one that \`AZURE_CLIENT_ID\` names; else the default credential, which finds
what \`az login\` left.`,
  },
  { title: 'HTTP', prefix: 'http.', text: 'See [the HTTP API](http-api.md).' },
  { title: 'Workflows', prefix: 'workflow.', text: "How much runs at once, and what happens to what can't run." },
  { title: 'The queue', prefix: 'queue.', text: 'Events wait here until the watcher has taken them.' },
  {
    title: 'Offerings',
    prefix: 'offerings.',
    text: 'An offering is an instance type in a zone, as spot or on-demand.',
  },
  {
    title: 'Pauses between tries',
    prefix: 'retry.',
    text: "A claim that can't be had is tried again; the pauses double.",
  },
  { title: 'The lifecycle', prefix: 'lifecycle.', text: 'Leave these alone unless you know why.' },
  {
    title: 'Decisions',
    prefix: 'decisions.',
    text: 'What was decided about each claim, and why, is kept for a while.',
  },
  {
    title: 'Metrics',
    prefix: 'metrics.',
    text: 'Every host can push its metrics to a collector of OpenTelemetry: [how](reference/metrics.md#push-to-a-collector).',
  },
  { title: 'The log', prefix: 'log.', text: 'One line per event, with ids. See [operations](operations.md#logs).' },
];

/** Those of providers are in `texts.ts` of each. */
const ownTexts: Readonly<Record<string, string>> = {
  deployment: 'Stands on every instance as a tag. Two deployments that share a cloud account need two names.',
  'clusters.<name>.server': 'URL of the API server.',
  'clusters.<name>.access':
    'Reach the cluster as its cloud offers it: address and certificate authority from there, and a token of Entra ID or of STS that is renewed. Needs a provider of that type (`eks`: of type ec2); see [clusters.md](clusters.md#aks-by-entra-id).',
  'clusters.<name>.kubeconfig':
    'A kubeconfig file, several as in `KUBECONFIG`, or `default` for the one that kubectl would take; or a [reference](clusters.md#secrets-at-aws) to one.',
  'clusters.<name>.context': 'The context in that file. Without it, the current one.',
  'clusters.<name>.inCluster': 'Use the service account of the pod that this runs in.',
  'clusters.<name>.certificateAuthority':
    'Whose certificates to trust for `server`: a file, which is read again when it is renewed, the PEM text itself, or a [reference](clusters.md#secrets-at-aws).',
  'clusters.<name>.clientCertificate':
    'Who we are for `server`, instead of a token: a file, the PEM text, or a reference.',
  'clusters.<name>.clientKey': 'The key of that certificate: a file, the PEM text, or a reference.',
  'clusters.<name>.tlsServerName': "The name on the server's certificate, where it is not the one in the URL.",
  'clusters.<name>.proxyUrl':
    'An HTTP proxy that opens tunnels (CONNECT). Without it, what a kubeconfig says, then `HTTPS_PROXY` and `NO_PROXY`.',
  'clusters.<name>.insecureSkipTlsVerify':
    'Do not check who answers. Anybody on the way can then read the token and pose as the cluster. Also needed for a kubeconfig that asks for it.',
  'clusters.<name>.defaultProvider': 'Which of the providers serves a node class that several of them could serve.',
  'clusters.<name>.token': 'Bearer token for `server`, or a [reference](clusters.md#secrets-at-aws) to one.',
  'clusters.<name>.watch':
    'Whether the host follows the cluster itself. Say `false` where a [bridge](sources.md) does it instead.',
  'clusters.<name>.intake.tokens':
    'Bearer tokens with which the cluster (its bridge, its webhook) may send events, about itself only. All of them are valid, so that one can be replaced without a gap.',
  'clusters.<name>.intake.tokenFiles': 'Files with such tokens, one a line; read again when they change.',
  'clusters.<name>.intake.pathSecrets':
    'Secrets in the path of the webhook, for API servers that can be given nothing but a URL. They open the webhook only.',
  'clusters.<name>.intake.pathSecretFiles': 'Files with such secrets, one a line; read again when they change.',
  'clusters.<name>.intake.certificateNames':
    'Common names or DNS names of client certificates that speak for the cluster. Default: its name.',
  'clusters.<name>.tokenFile': 'A file with that token; it is read again when it changes.',
  'clusters.<name>.providers': 'Which providers serve this cluster. Without it, all of them.',
  'clusters.<name>.maxInstances':
    'The cap: never more claims than this have an instance, whatever arrives at once. Without it, no cap.',
  'clusters.<name>.paused': 'Buy nothing for this cluster. Deletes go on.',
  'clusters.<name>.resyncSeconds': 'How often all claims are read and what is missing is started.',
  'clusters.<name>.reconcile.pools':
    'How often [NodePools](node-pools.md) are brought to their replicas, beside the events that tell of changes.',
  'clusters.<name>.reconcile.nodeClasses': 'How often [node classes](node-classes.md) are resolved.',
  'clusters.<name>.reconcile.expiration': 'How often claims are checked for being older than their `expireAfter`.',
  'clusters.<name>.garbageCollection.everySeconds': 'How often instances are compared with claims.',
  'clusters.<name>.garbageCollection.graceSeconds': 'Time between the two readings that a deletion needs.',
  'clusters.<name>.garbageCollection.maxDeletesPercent':
    'More orphans than this share of all instances: nothing is deleted, and an alarm is logged.',
  'clusters.<name>.garbageCollection.maxDeletesAtLeast': 'So many may be deleted in one run whatever the share.',
  'clusters.<name>.lease.namespace': 'Where the [Lease](ownership.md) is that names the one deployment which acts.',
  'clusters.<name>.lease.name': 'Its name. All deployments that might serve the same claims must use the same one.',
  'clusters.<name>.lease.seconds':
    'A deployment that has not renewed the Lease for so long is taken for gone by another one of the same name.',
  'clusters.<name>.settings.namespace':
    'Where the Helm chart is installed in this cluster: the ConfigMap `poolwright-settings` is read there.',
  'providers.<name>.type': 'Which provider this is.',
  'providers.<name>.paused': 'Buy nothing from this provider. Deletes go on.',
  'providers.<name>.writeSeconds': 'Time limit of one create call, from the moment the right to write was taken.',
  'providers.<name>.latenessSeconds':
    'How much later than that an effect may still appear. Too small a value can cost a second machine.',
  'providers.<name>.listLagSeconds': 'How much later a list may still miss what exists.',
  'providers.<name>.deadlines.launch': 'From the start of a create to an instance.',
  'providers.<name>.deadlines.registration': 'From the instance to its Node.',
  'providers.<name>.deadlines.initialization': 'From the Node to Ready with everything it was asked for.',
  'http.host': 'Address to listen on. Anything but loopback needs `http.tokenFile`.',
  'http.port': '0 takes any free port.',
  'http.tls.certFile': 'The certificate of the host, with its chain (PEM). Read again when it is renewed.',
  'http.tls.keyFile': 'Its key (PEM).',
  'http.tls.clientCaFile': 'Whose signature makes the client certificate of a cluster count (PEM).',
  'http.tokenFile': 'A file with the bearer token, instead of `token` in the data directory.',
  'workflow.concurrency': 'Steps that run at once, in all.',
  'workflow.perCluster': 'Steps that run at once for one cluster, so that a slow one holds up no other.',
  'workflow.resumePerSecond': 'How fast due work is taken up after a restart.',
  'workflow.retention': 'How long finished histories are kept.',
  'workflow.setAsideAfterKills': 'A step that was running when the host died so many times is set aside.',
  'workflow.retrySetAsideAfter': 'When a workflow that was set aside is tried again.',
  'queue.visibilitySeconds': 'How long a message that was taken stays hidden before it is delivered again.',
  'queue.maxReceives': 'After so many deliveries a message becomes a dead letter.',
  'offerings.unavailableSeconds': 'How long a sold-out offering is not tried again.',
  'offerings.unavailableAtMost':
    'No offering is passed over for longer, whatever the provider says. Less of it notices a raised quota sooner, at the price of more refused creates.',
  'offerings.refreshSeconds': 'How often types, prices and availability are read.',
  'retry.firstPause': 'After the first failure.',
  'retry.maxPause': 'The pauses grow no longer than this.',
  'lifecycle.restoreHorizon':
    'A claim younger than this stands in no backup, so its launch need not look for machines that a restore forgot. Shorter is safer and costs one more call per launch; 0 always looks.',
  'lifecycle.lookAgain': 'How long a launch waits for its node when no event wakes it.',
  'decisions.keep': 'How long decisions are kept.',
  'decisions.maxPerClaim': 'The newest so many are kept.',
  'metrics.otlp.endpoint':
    'URL of a collector that takes OTLP over HTTP, usually at port 4318; `/v1/metrics` is added. Without it `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` and `OTEL_EXPORTER_OTLP_ENDPOINT` hold.',
  'metrics.otlp.headers':
    'What the collector wants to know who sends, as `name=value,name=value`. A secret: better in `POOLWRIGHT_METRICS_OTLP_HEADERS`, which may be a reference to one.',
  'metrics.otlp.headersFile': 'The same in a file, which is read before every push.',
  'metrics.otlp.everySeconds': 'At most so often; in functions at the end of a call, and with 0 of every call.',
  'log.level': 'The least level that is written.',
  'log.pretty': '`auto`: for people on a terminal, JSON elsewhere.',
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
