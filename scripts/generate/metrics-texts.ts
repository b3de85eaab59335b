/** What docs/reference/metrics.md says around its tables. */

export const metricsIntro = `<!-- Made by \`npm run generate\` from shared/observe/metrics.ts and functions/hosts/bridge/probes.ts. Change it there and in scripts/generate/metrics-texts.ts. -->

# Metrics

Where Karpenter has a name for it, the metric has that name and those labels, so that its dashboards and alerts go on working. No label holds the name of a
claim, a node or an instance: the number of series depends on the configuration, not on how many claims have come by.

| host | how to get them |
|---|---|
| local | \`GET /metrics\` with the token, and [a push](#push-to-a-collector) where a collector is configured |
| [bridge](../sources.md#the-bridge) | \`GET /metrics\` at its \`--probes\`, without a token |
| Azure Functions, AWS Lambda | [a push](#push-to-a-collector); without a collector, lines \`metrics.reported\` in the log |

Of a histogram there are \`_bucket\`, \`_sum\` and \`_count\`. Names that end in \`_seconds\` are in seconds.`;

export const bridgeIntro =
  'Of the process that [follows a cluster](../sources.md#the-bridge) for a host elsewhere; that host has all the others.';

export const metricsEnd = `## Failures by reason

\`karpenter_cloudprovider_errors_total\` counts the calls to clouds that failed; its label \`error\` is the kind of the failure.
\`poolwright_launches_failed_total\` counts the launches that failed; its label \`reason\` is [the code of an error](errors.md). A claim that is kept and tried again counts each
time, so one that can't be had goes on counting. \`karpenter_nodeclaims_disrupted_total\` counts claims that were ended, by its label \`reason\`:

| reason | what is counted |
|---|---|
| [the code of an error](errors.md) | claims of NodePools that were given back, because their launch failed |
| \`Expired\`, \`PoolDeleted\`, \`ScaledDown\`, \`NodePoolDrifted\`, \`RequirementsDrifted\`, \`NodeClassDrifted\` | claims that were ended for it |
| the kind of a message, such as \`spot_interrupted\` | claims that were ended because of an [interruption](../interruption.md) |

## Push to a collector

Functions can't be scraped: their processes come and go behind one address. So every host can push to a collector of OpenTelemetry, by OTLP over HTTP in its
JSON form, which every collector takes at the same port:

\`\`\`yaml
metrics:
  otlp:
    endpoint: https://otel.example:4318
    everySeconds: 1m
\`\`\`

| what | how |
|---|---|
| where | \`metrics.otlp.endpoint\`, to which \`/v1/metrics\` is added; else \`OTEL_EXPORTER_OTLP_METRICS_ENDPOINT\` as it is, else \`OTEL_EXPORTER_OTLP_ENDPOINT\` with \`/v1/metrics\` |
| who sends | \`metrics.otlp.headers\` or \`metrics.otlp.headersFile\`: \`authorization=Bearer%20…\`. A secret is better in the variable \`POOLWRIGHT_METRICS_OTLP_HEADERS\`: in a function app it may be a Key Vault reference, on Lambda that of a secret (\`arn:aws:secretsmanager:…\`, \`ssm:/path\`). \`OTEL_EXPORTER_OTLP_METRICS_HEADERS\` and \`OTEL_EXPORTER_OTLP_HEADERS\` hold where the endpoint comes from such a variable, too: they are never sent to the one of the configuration |
| off | no endpoint; and \`OTEL_METRICS_EXPORTER=none\` or \`OTEL_SDK_DISABLED=true\`, unless the configuration has one |
| gRPC | is not spoken; name the port for HTTP, usually 4318 |
| proxy | \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\` hold |

Names and labels are those of the tables above. Numbers are cumulative since the process began, so a push that failed loses nothing: the next one has it.
Every process is an instance of its own (\`service.instance.id\`), with \`service.name\`, \`service.version\`, \`poolwright.deployment\`, in functions \`faas.name\`, \`cloud.provider\` and
\`cloud.region\`, and what \`OTEL_RESOURCE_ATTRIBUTES\` says. Sum over instances.

In a function a push comes at the end of a call, when the last one is older than \`everySeconds\`. It takes two seconds at most, never fails the call, and becomes rarer while it
fails; the log says so as \`metrics.push.failed\`, once in five minutes. What a process has counted after its last push goes with it when the platform ends it. The local host
pushes on a timer, and once more when it stops.

Gauges of the queue and of the workflows are asked for when somebody looks, so in functions they come only from the process that serves HTTP; the platforms have metrics of
their own for queues.
`;
