/** What docs/reference/metrics.md says around its tables. */

export const metricsIntro = `<!-- Made by \`npm run generate\` from shared/observe/metrics.ts and functions/hosts/bridge/probes.ts. Change it there and in scripts/generate/metrics-texts.ts. -->

# Metrics

Where Karpenter has a name for it, the metric has that name and those labels, so that its dashboards and alerts keep working. No label holds the name of a
claim, a node or an instance: the number of series depends on the configuration, not on the number of claims.

| host | how to get them |
|---|---|
| local | \`GET /metrics\` with the token, and [a push](#push-to-a-collector) where a collector is configured |
| [bridge](../sources.md#the-bridge) | \`GET /metrics\` at its \`--probes\`, without a token |
| Azure Functions, AWS Lambda | [a push](#push-to-a-collector); without a collector, lines \`metrics.reported\` in the log |

\`GET /metrics\` answers with OpenMetrics where the \`Accept\` header of the scraper prefers it.

A histogram has \`_bucket\`, \`_sum\` and \`_count\`. A summary has quantiles since the start of the process, \`_sum\` and \`_count\`. Names that end in \`_seconds\` are in seconds.`;

export const bridgeIntro =
  'These are metrics of the process that [watches a cluster](../sources.md#the-bridge) for a remote host. The host has all the others.';

export const metricsEnd = `## Failures by reason

\`karpenter_cloudprovider_errors_total\` counts the calls to clouds that failed; its label \`error\` is the kind of the failure.
\`poolwright_launches_failed_total\` counts the launches that failed; its label \`reason\` is [the code of an error](errors.md). A claim that is kept and retried counts each
time, so a claim without capacity keeps counting. \`karpenter_nodeclaims_disrupted_total\` counts claims that were deleted, by its label \`reason\`:

| reason | what is counted |
|---|---|
| [the code of an error](errors.md) in lower case, such as \`insufficient_capacity\` | claims of NodePools that were deleted because their launch failed |
| \`expired\`, \`drifted\`, \`nodepool_deleted\`, \`scaled_down\` | claims that were deleted for this reason |
| the kind of a message, such as \`spot_interrupted\` | claims that were deleted because of an [interruption](../interruption.md) |

## Push to a collector

Functions can't be scraped: their processes come and go behind one address. So every host can push to an OpenTelemetry collector, by OTLP over HTTP in its
JSON form, which every collector accepts on the same port:

\`\`\`yaml
metrics:
  otlp:
    endpoint: https://otel.example:4318
    everySeconds: 1m
\`\`\`

| what | how |
|---|---|
| where | \`metrics.otlp.endpoint\`, to which \`/v1/metrics\` is added; else \`OTEL_EXPORTER_OTLP_METRICS_ENDPOINT\` as it is, else \`OTEL_EXPORTER_OTLP_ENDPOINT\` with \`/v1/metrics\` |
| authentication | \`metrics.otlp.headers\` or \`metrics.otlp.headersFile\`: \`authorization=Bearer%20…\`. A secret is better in the variable \`POOLWRIGHT_METRICS_OTLP_HEADERS\`: in a function app it may be a Key Vault reference, on Lambda that of a secret (\`arn:aws:secretsmanager:…\`, \`ssm:/path\`). \`OTEL_EXPORTER_OTLP_METRICS_HEADERS\` and \`OTEL_EXPORTER_OTLP_HEADERS\` apply only if the endpoint comes from such a variable, too: they are never sent to a configured endpoint |
| off | no endpoint; and \`OTEL_METRICS_EXPORTER=none\` or \`OTEL_SDK_DISABLED=true\`, unless the configuration has one |
| gRPC | is not supported; use the HTTP port, usually 4318 |
| proxy | \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\` apply |

Names and labels are those of the tables above. Values are cumulative since the process started, so a failed push loses nothing: the next one includes it.
Every process is an instance of its own (\`service.instance.id\`), with \`service.name\`, \`service.version\`, \`poolwright.deployment\`, in functions \`faas.name\`, \`cloud.provider\` and
\`cloud.region\`, and the attributes in \`OTEL_RESOURCE_ATTRIBUTES\`. Sum over instances.

A function pushes at the end of a call, if the last push is older than \`everySeconds\`. A push takes at most two seconds, never fails the call, and becomes less frequent while it
fails; the log has \`metrics.push.failed\` once every five minutes. Counts after the last push are lost when the platform stops the process. The local host
pushes on a timer, and once more when it stops.

Gauges of the queue and of the workflows are computed on request, so in functions they come only from the process that serves HTTP; the platforms have their
own metrics for queues.
`;
