/**
 * The metrics, under Karpenter's names where it has them, and for provider servers under VirtRigaud's, so that their dashboards and alerts go on working.
 *
 * No label ever holds a claim's, node's or instance's name: the number of series depends on the configuration and on the
 * code, not on how many claims have come by.
 *
 * @example
 * const metrics = createMetrics();
 * metrics.nodeClaimsCreated.inc({ reason: 'provisioned', nodepool: metrics.nodePool(name) });
 * const { contentType, text } = await metrics.expose();
 */
import {
  Counter,
  Gauge,
  Histogram,
  type LabelValues,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
  Summary,
} from 'prom-client';
import { type Clock, systemClock } from '../base/runtime.ts';
import { metricReason } from './metric-reasons.ts';
import { openMetricsText, openMetricsType } from './open-metrics.ts';

/** Seconds, from a fast call to a node that takes its time: Karpenter's status-condition buckets. */
const lifecycleBuckets = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
/** Seconds, from an object that is made at once to a cluster that takes two hours. */
const clusterBuckets = [1, 5, 10, 30, 60, 120, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 7200];
/** Seconds, for calls and steps. */
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Seconds, from a quarter of an hour to a month: Karpenter's, for the lifetime of nodes. */
const lifetimeBuckets = [
  ...[0.25, 0.5, 0.75, 1, 2, 4, 6, 8, 10, 12, 16, 20].map((hours) => hours * 3600),
  ...[1, 2, 3, 5, 10, 15, 20, 25, 30].map((days) => days * 86_400),
];
/** Karpenter's. */
const percentiles = [0, 0.5, 0.9, 0.99, 1];

const maxNodePools = 500;
/** Extended resources have names that device plugins make up. */
const maxResourceTypes = 50;

export type Metrics = ReturnType<typeof createMetrics>;

export type MetricFamily = MetricObjectWithValues<MetricValue<string>>;

export interface MetricDescription {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly labels: readonly string[];
}

export interface MetricsOptions {
  /** The product's version, for the build info. */
  version?: string;
  commit?: string;
  clock?: Clock;
}

export interface GaugeSample<L extends string> {
  labels: LabelValues<L>;
  value: number;
}

/** Karpenter's, without the name of the node; and the cluster, because one host serves several. */
const nodeLabels = [
  'nodepool',
  'instance_type',
  'zone',
  'capacity_type',
  'arch',
  'os',
  'resource_type',
  'cluster',
] as const;
const poolLabels = ['nodepool', 'resource_type', 'cluster'] as const;

/** Its own registry: two hosts in one process, or two tests, do not count into each other's. */
export function createMetrics(options: MetricsOptions = {}) {
  const described: MetricDescription[] = [];
  const families: ((registers: Registry[]) => void)[] = [];
  let opened: Registry | undefined;
  /** All are made, in their order, when the first one is used: a function is ready before anything is counted. */
  const registry = (): Registry => {
    if (opened !== undefined) return opened;
    opened = new Registry();
    for (const make of families) make([opened]);
    // Karpenter's label names are kept, since dashboards join on them; the runtime is what stands behind them here.
    buildInfo.set(
      {
        version: options.version ?? 'unknown',
        goversion: `node ${process.versions.node}`,
        goarch: process.arch,
        commit: options.commit ?? 'unknown',
      },
      1,
    );
    return opened;
  };
  const family = <Made>(description: MetricDescription, make: (registers: Registry[]) => Made): (() => Made) => {
    let made: Made;
    described.push(description);
    families.push((registers) => {
      made = make(registers);
    });
    return () => {
      registry();
      return made;
    };
  };
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) => {
    const description = { name, type: 'counter', help, labels: labelNames } as const;
    const made = family(description, (registers) => new Counter({ name, help, labelNames, registers }));
    return { inc: (labels: LabelValues<L> = {}, by = 1): void => made().inc(labels, by) };
  };
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) => {
    const description = { name, type: 'gauge', help, labels: labelNames } as const;
    const made = family(description, (registers) => new Gauge({ name, help, labelNames, registers }));
    const groups = new Map<string, Map<string, GaugeSample<L>>>();
    return {
      set: (labels: LabelValues<L>, value: number): void => made().set(labels, value),
      reset: (): void => made().reset(),
      /** All samples of a group, such as a cluster: what it had before and has no longer is removed. */
      replace(group: string, samples: readonly GaugeSample<L>[]): void {
        const now = new Map(samples.map((sample) => [JSON.stringify(sample.labels), sample]));
        for (const [key, { labels }] of groups.get(group) ?? []) if (!now.has(key)) made().remove(labels);
        for (const { labels, value } of now.values()) made().set(labels, value);
        groups.set(group, now);
      },
    };
  };
  const summary = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) => {
    const description = { name, type: 'summary', help, labels: labelNames } as const;
    const made = family(description, (registers) => new Summary({ name, help, labelNames, percentiles, registers }));
    return { observe: (labels: LabelValues<L>, value: number): void => made().observe(labels, value) };
  };
  const histogram = <L extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly L[] = [],
  ) => {
    const description = { name, type: 'histogram', help, labels: labelNames } as const;
    const made = family(description, (registers) => new Histogram({ name, help, labelNames, buckets, registers }));
    return { observe: (labels: LabelValues<L>, value: number): void => made().observe(labels, value) };
  };

  const disrupted = counter('karpenter_nodeclaims_disrupted_total', 'NodeClaims that were ended, by reason.', [
    'reason',
    'nodepool',
    'capacity_type',
  ]);
  const resourceTypes = boundedLabels(maxResourceTypes);
  const buildInfo = gauge('karpenter_build_info', 'Constant 1, labeled with what is running.', [
    'version',
    'goversion',
    'goarch',
    'commit',
  ]);

  return {
    nodeClaimsCreated: counter('karpenter_nodeclaims_created_total', 'NodeClaims for which an instance was created.', [
      'reason',
      'nodepool',
      'min_values_relaxed',
    ]),
    nodeClaimsTerminated: counter('karpenter_nodeclaims_terminated_total', 'NodeClaims that are gone.', [
      'nodepool',
      'capacity_type',
      'zone',
    ]),
    nodeClaimsDisrupted: {
      /** @param labels With our own code as the reason. */
      inc: ({ reason, ...labels }: { reason: string; nodepool: string; capacity_type: string }): void =>
        disrupted.inc({ reason: metricReason(reason), ...labels }),
    },
    disruptionDecisions: counter(
      'karpenter_voluntary_disruption_decisions_total',
      'Nodes that were replaced because they had drifted.',
      ['decision', 'reason', 'consolidation_type'],
    ),
    instanceTerminationDuration: histogram(
      'karpenter_nodeclaims_instance_termination_duration_seconds',
      'From the delete of an instance until it is gone.',
      lifecycleBuckets,
      ['nodepool'],
    ),
    nodeClaimTerminationDuration: histogram(
      'karpenter_nodeclaims_termination_duration_seconds',
      'From the deletion of a NodeClaim until it is gone.',
      lifecycleBuckets,
      ['nodepool'],
    ),
    nodesCreated: counter('karpenter_nodes_created_total', 'Nodes that joined for a NodeClaim.', ['nodepool', 'zone']),
    nodesTerminated: counter('karpenter_nodes_terminated_total', 'Nodes that were removed.', ['nodepool', 'zone']),
    nodesDrained: counter('karpenter_nodes_drained_total', 'Nodes that were drained.', ['nodepool']),
    nodeTerminationDuration: summary(
      'karpenter_nodes_termination_duration_seconds',
      'From the deletion of a node until it is gone.',
      ['nodepool'],
    ),
    nodeLifetime: histogram(
      'karpenter_nodes_lifetime_duration_seconds',
      'From the registration of a node until it was removed.',
      lifetimeBuckets,
      ['nodepool'],
    ),
    nodesAllocatable: gauge(
      'karpenter_nodes_allocatable',
      'What pods can use on the nodes, as their NodeClaims report it: the sum over all nodes with the same labels.',
      nodeLabels,
    ),
    nodesOverhead: gauge(
      'karpenter_nodes_system_overhead',
      'What the system keeps on the nodes, capacity without allocatable: the sum over all nodes with the same labels.',
      nodeLabels,
    ),
    poolUsage: gauge('karpenter_nodepools_usage', 'The resources of the nodes of a NodePool.', poolLabels),
    poolLimit: gauge('karpenter_nodepools_limit', 'The limits of a NodePool.', poolLabels),
    poolAllowedDisruptions: gauge(
      'karpenter_nodepools_allowed_disruptions',
      'How many nodes of a NodePool its budgets let be disrupted at a time, by reason.',
      ['nodepool', 'reason', 'cluster'],
    ),
    stateNodeCount: gauge('karpenter_cluster_state_node_count', 'NodeClaims with a node.', ['cluster']),
    stateSynced: gauge(
      'karpenter_cluster_state_synced',
      '1: the last resync read all NodeClaims of the cluster. 0: it failed.',
      ['cluster'],
    ),
    stateUnsyncedTime: gauge(
      'karpenter_cluster_state_unsynced_time_seconds',
      'How long every resync of the cluster has failed; 0 after one that did not.',
      ['cluster'],
    ),
    providerCallDuration: histogram('karpenter_cloudprovider_duration_seconds', 'Calls to providers.', callBuckets, [
      'controller',
      'method',
      'provider',
    ]),
    providerErrors: counter(
      'karpenter_cloudprovider_errors_total',
      'Calls to providers that failed, by kind of failure.',
      ['controller', 'method', 'provider', 'error'],
    ),
    clusterProvisioningTime: histogram(
      'cluster_provisioning_time_seconds',
      'From a request for a cluster until the cluster is ready.',
      clusterBuckets,
      ['nodes'],
    ),
    clusterReadyTime: histogram(
      'cluster_ready_time_seconds',
      'From a request for a cluster until everything that it asks for is ready, GitOps included.',
      clusterBuckets,
      ['nodes'],
    ),
    clusterStageDuration: histogram(
      'poolwright_cluster_stage_duration_seconds',
      'How long the stages of requests for clusters took.',
      clusterBuckets,
      ['stage', 'outcome'],
    ),
    clusterStageFailures: counter(
      'poolwright_cluster_stage_failures_total',
      'Stages of requests for clusters that failed, by kind of failure.',
      ['stage', 'kind'],
    ),
    clusterRequests: gauge('poolwright_cluster_requests', 'Requests for clusters, by what they are doing.', [
      'cluster',
      'phase',
    ]),
    clusterOrphans: gauge(
      'poolwright_cluster_orphans',
      'Objects of Azure Service Operator that a request has made and that have no request any more.',
      ['cluster', 'kind'],
    ),
    asoReadyCondition: gauge(
      'aso_resource_ready_condition_status',
      'Objects of Azure Service Operator that belong to requests, by their condition Ready.',
      ['cluster', 'kind', 'status', 'reason'],
    ),
    asoReconcileDuration: histogram(
      'aso_resource_reconcile_duration_seconds',
      'From the first apply of an object of Azure Service Operator until it was Ready.',
      clusterBuckets,
      ['kind'],
    ),
    asoReconcileErrors: counter(
      'aso_resource_reconcile_errors_total',
      'Looks at an object of Azure Service Operator that found a failure, by kind of failure.',
      ['cluster', 'kind', 'error'],
    ),
    azureApiDuration: histogram(
      'azure_api_request_duration_seconds',
      'Calls to Azure Resource Manager for requests for clusters (driver arm), by type of resource and HTTP status.',
      callBuckets,
      ['resource', 'method', 'status'],
    ),
    cloudStackVmsCreated: counter(
      'poolwright_cloudstack_vms_created_total',
      'VMs of CloudStack that were created and run.',
      ['cluster'],
    ),
    cloudStackVmsDeleted: counter(
      'poolwright_cloudstack_vms_deleted_total',
      'VMs of CloudStack whose destroy was accepted.',
      ['cluster'],
    ),
    cloudStackProvisionDuration: histogram(
      'poolwright_cloudstack_provision_duration_seconds',
      'From the deploy of a VM until it was seen running.',
      lifecycleBuckets,
      ['cluster'],
    ),
    cloudStackApiCalls: counter(
      'poolwright_cloudstack_api_calls_total',
      'Calls to the API of CloudStack, by command.',
      ['cluster', 'command'],
    ),
    cloudStackApiErrors: counter(
      'poolwright_cloudstack_api_errors_total',
      'Calls to the API of CloudStack that failed, by command and by the code of CloudStack or the kind of failure.',
      ['cluster', 'command', 'code'],
    ),
    cloudStackCacheHits: counter(
      'poolwright_cloudstack_cache_hits_total',
      'Look-ups of zones, networks, templates and offerings that needed no call.',
      ['cluster'],
    ),
    cloudStackCacheMisses: counter(
      'poolwright_cloudstack_cache_misses_total',
      'Look-ups of zones, networks, templates and offerings that asked CloudStack.',
      ['cluster'],
    ),
    cloudStackUp: gauge('poolwright_cloudstack_up', '1: CloudStack answered the last call. 0: it did not.', [
      'cluster',
    ]),
    providerCalls: counter(
      'virtrigaud_provider_rpc_requests_total',
      'Calls to provider servers, by method and by the code of gRPC.',
      ['provider_type', 'method', 'code'],
    ),
    providerCallLatency: histogram(
      'virtrigaud_provider_rpc_latency_seconds',
      'How long calls to provider servers took, by method.',
      callBuckets,
      ['provider_type', 'method'],
    ),
    providerBreaker: gauge(
      'virtrigaud_circuit_breaker_state',
      'The circuit breaker of a provider server: 0 closed, 1 half open, 2 open.',
      ['provider_type', 'provider'],
    ),
    evictionRequests: counter('karpenter_pods_eviction_requests_total', 'Evictions asked for, by answer.', ['code']),
    interruptionsReceived: counter(
      'karpenter_interruption_received_messages_total',
      'Messages about machines that the cloud sent, by kind; `no_op` is about something else, `malformed` no message at all.',
      ['message_type'],
    ),
    interruptionsDeleted: counter(
      'karpenter_interruption_deleted_messages_total',
      'Messages about machines that are done with.',
    ),
    interruptionQueueDuration: histogram(
      'karpenter_interruption_message_queue_duration_seconds',
      'Time from when the cloud sent an interruption message until the watcher handled it.',
      lifecycleBuckets,
    ),
    podsDrained: counter('karpenter_pods_drained_total', 'Pods that left a draining node.', ['reason']),

    /** How long each stage of a launch took: launched, registered, initialized. */
    stageDuration: histogram(
      'poolwright_claim_stage_duration_seconds',
      'From the creation of a NodeClaim until it reached a stage.',
      lifecycleBuckets,
      ['stage', 'provider'],
    ),
    launchesFailed: counter(
      'poolwright_launches_failed_total',
      'Failed launches, by reason. The host retries their NodeClaims or returns them to their NodePools.',
      ['reason', 'nodepool'],
    ),
    claims: gauge('poolwright_claims', 'NodeClaims, by cluster and phase.', ['cluster', 'phase']),
    claimsPrice: gauge(
      'poolwright_claims_price_per_hour',
      'What the machines of all NodeClaims cost together, in US dollars per hour by the list prices of their clouds; without those whose price is not known.',
      ['cluster'],
    ),
    claimsPriceUnknown: gauge(
      'poolwright_claims_price_unknown',
      'NodeClaims with a machine whose price is not known.',
      ['cluster'],
    ),
    clusterOwner: gauge('poolwright_cluster_owner', '1: this deployment acts on the cluster. 0: it only reads.', [
      'cluster',
    ]),
    queueDepth: gauge('poolwright_queue_depth', 'Messages that wait or are being worked on.', ['queue']),
    queueOldestAge: gauge('poolwright_queue_oldest_age_seconds', 'Age of the oldest message that waits.', ['queue']),
    admissions: counter('poolwright_admissions_total', 'Admission reviews that were answered.', [
      'cluster',
      'operation',
      'verdict',
    ]),
    deadLetters: gauge(
      'poolwright_dead_letters',
      'Dead letters: messages that the host could not use, kept for a user to check.',
      ['queue'],
    ),
    deadLettersDropped: counter(
      'poolwright_dead_letters_dropped_total',
      'Dead letters that were dropped because there were too many, by the bound that they exceeded.',
      ['queue', 'bound'],
    ),
    eventsLost: counter(
      'poolwright_events_lost_total',
      'Events of our own sources that the queue did not take; the resync finds what they were about.',
      ['cluster', 'source'],
    ),
    workflows: gauge('poolwright_workflows', 'Workflows, by kind and status.', ['workflow', 'status']),
    stepDuration: histogram('poolwright_step_duration_seconds', 'Steps of workflows.', callBuckets, [
      'activity',
      'outcome',
      'function',
    ]),
    workflowMismatches: counter(
      'poolwright_workflow_mismatches_total',
      'Histories that no longer matched the code and were started afresh.',
      ['workflow'],
    ),
    workflowsSetAside: counter(
      'poolwright_workflows_set_aside_total',
      'Workflows set aside because a step kept killing the host.',
      ['workflow'],
    ),
    restarts: counter('poolwright_restarts_total', 'Starts that found the work of an earlier life.'),
    offeringsUnavailable: gauge('poolwright_offerings_unavailable', 'Offerings that are out of capacity for now.', [
      'provider',
    ]),
    garbageCollected: counter('poolwright_garbage_collected_total', 'Instances that garbage collection deleted.', [
      'reason',
    ]),

    /** The value for a `nodepool` label: the name of a claim's NodePool. */
    nodePool: boundedLabels(maxNodePools),
    /** The value for a `resource_type` label, in Karpenter's form. */
    resourceType: (name: string): string => resourceTypes(name.toLowerCase().replaceAll('-', '_')),

    /**
     * Called before each exposition: the way to fill gauges only when somebody looks. One that fails leaves its old value
     * and does not spoil the rest.
     */
    collectors: new Set<() => void | Promise<void>>(),

    async expose(form: 'prometheus' | 'open-metrics' = 'prometheus'): Promise<{ contentType: string; text: string }> {
      if (form === 'open-metrics')
        return { contentType: openMetricsType, text: openMetricsText(await this.families()) };
      await Promise.allSettled([...this.collectors].map(async (collect) => collect()));
      return { contentType: registry().contentType, text: await registry().metrics() };
    },

    /** Since when it counts, in milliseconds since 1970. */
    startedAt: (options.clock ?? systemClock).now(),

    /** Every metric with its samples, for whoever sends them on in another form. */
    async families(): Promise<MetricFamily[]> {
      await Promise.allSettled([...this.collectors].map(async (collect) => collect()));
      return registry().getMetricsAsJSON();
    },

    /** What there is to measure, before anything is. */
    describe(): MetricDescription[] {
      return described;
    },

    /** Every sample as it stands, by its name with its labels; of histograms the sum and the count. Asks no collector. */
    async samples(): Promise<Map<string, number>> {
      const families = await registry().getMetricsAsJSON();
      const found = new Map<string, number>();
      for (const { name: family, values } of families) {
        for (const sample of values) {
          const name = 'metricName' in sample ? String(sample.metricName) : family;
          if (name.endsWith('_bucket')) continue;
          const labels = Object.entries(sample.labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
          found.set(labels.length === 0 ? name : `${name}{${labels.join(',')}}`, sample.value);
        }
      }
      return found;
    },
  };
}

const maxLabelLength = 128;

/**
 * Label values for names that users make up: absent is `none`, long ones are cut, and beyond `limit` different ones all the
 * rest is `other`, because every value is a series that stays in memory for ever.
 */
export function boundedLabels(limit: number): (value: string | undefined) => string {
  const known = new Set<string>();
  return (value) => {
    if (value === undefined || value === '') return 'none';
    const label = value.slice(0, maxLabelLength);
    if (known.has(label)) return label;
    if (known.size >= limit) return 'other';
    known.add(label);
    return label;
  };
}
