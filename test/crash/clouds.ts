/** What differs between the clouds of the crash test: how they behave, how the host is told of them, how a claim looks. */
import type { Json } from '../../shared/base/json.ts';
import { ec2NodeClass } from '../../sim/aws/node-class.ts';
import { cloudStackNodeClass } from '../../sim/cloudstack/node-class.ts';
import { machineNodeClass } from '../../sim/remote/node-class.ts';
import { crashFaults, fleetFaults, machineFaults, poolFaults } from './faults.ts';
import type { CrashOptions } from './options.ts';
import type { WorldProcess } from './processes.ts';

type JsonObject = { [key: string]: Json };

export interface CrashCloud {
  /** Of `poolwright simulate`. */
  settings: object;
  /** In the host's configuration. */
  provider(world: WorldProcess): object;
  /** Path and body; absent where claims need none. */
  nodeClass?: { path: string; body: JsonObject };
  claim(name: string, spot: boolean): JsonObject;
  /** Whether the cloud tells, under `/leftovers`, what there is besides machines and should not be. */
  tellsLeftovers?: boolean;
  /** The longest that the claims may take to come to rest. */
  quietSeconds: number;
}

/** Short, so that a run ends in minutes: a write may take so long, and its effect may be so late. */
const limits = { writeSeconds: 3, latenessSeconds: 3, listLagSeconds: 1 };
const capacity = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] };

const shortDeadlines = {
  'poolwright.dev/launch-deadline': '10s',
  'poolwright.dev/registration-deadline': '10s',
  'poolwright.dev/initialization-deadline': '10s',
};

export function crashCloud(options: CrashOptions): CrashCloud {
  if (options.provider === 'ec2') return aws(options);
  if (options.provider === 'cloudstack') return cloudStack(options);
  if (options.provider === 'remote') return machines(options);
  return options.provider === 'sim' ? simulated(options) : azure(options, options.provider);
}

/**
 * The slowest honest way of a claim: a few attempts, each with its deadline and its settling, and a pause in between. On a machine that
 * has much else to do, deadlines this short pass by themselves now and then, which costs more attempts.
 */
const slowestSeconds = 600;

const simulated = ({ seed, idempotency }: CrashOptions): CrashCloud => ({
  settings: {
    seed,
    idempotency: idempotency === 'claim-name' ? 'name' : idempotency,
    bootSeconds: 0.6,
    readySeconds: 0.2,
    deleteSeconds: 0.4,
    cloudControllerSeconds: 2,
    faults: crashFaults(),
  },
  provider: ({ cloud }) => ({
    type: 'sim',
    url: cloud,
    idempotency,
    ...limits,
    deadlines: { launch: 10, registration: 10, initialization: 10 },
  }),
  nodeClass: {
    path: '/apis/poolwright.dev/v1alpha1/simnodeclasses',
    body: {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'SimNodeClass',
      metadata: { name: 'default' },
      spec: {},
    },
  },
  claim: (name, spot) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
      requirements: spot ? [capacity] : [],
      resources: { requests: { cpu: '1' } },
    },
  }),
  quietSeconds: slowestSeconds,
});

/** Operations are short, because in a cluster that takes one at a time all claims wait for each of them. */
const azure = ({ seed, atOnce, claims }: CrashOptions, kind: 'aks' | 'arc'): CrashCloud => {
  const refusesDeletes = seed % 3 === 0;
  return {
    settings: {
      seed,
      operationsAtOnce: atOnce,
      createSeconds: 0.2,
      deleteSeconds: 0.1,
      retryAfterSeconds: 0.1,
      readySeconds: 0.2,
      cloudControllerSeconds: 2,
      soldOutAt: seed % 2 === 0 ? 'put' : 'operation',
      deleteDuringCreate: refusesDeletes ? 'conflicts' : 'cancels',
      // A create that never ends, and that no delete can end either, would stop a cluster of one operation for ever.
      faults: [...crashFaults(), ...poolFaults()].filter(
        ({ do: { kind: fault } }) => !(refusesDeletes && fault === 'never-running'),
      ),
    },
    provider: ({ standIn }) => ({ type: kind, ...standIn?.options[kind], ...limits, operationsAtOnce: atOnce }),
    claim: (name, spot) => ({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, annotations: shortDeadlines },
      spec: {
        nodeClassRef: { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
        requirements: spot ? [capacity] : [],
        resources: { requests: { cpu: '1', storage: '64Gi' } },
      },
    }),
    quietSeconds: slowestSeconds + (2 * claims) / atOnce,
  };
};

/** Ended instances are forgotten soon in every second run: then nothing but the claim knows that there was one. */
const aws = ({ seed }: CrashOptions): CrashCloud => ({
  settings: {
    seed,
    pendingSeconds: 0.6,
    readySeconds: 0.2,
    shutdownSeconds: 0.4,
    cloudControllerSeconds: 2,
    terminatedVisibleSeconds: seed % 2 === 0 ? 5 : 3600,
    buckets: {
      CreateFleet: { burst: 50, refillPerSecond: 20 },
      TerminateInstances: { burst: 50, refillPerSecond: 20 },
    },
    faults: [...crashFaults(), ...fleetFaults()],
  },
  provider: ({ standIn }) => ({ type: 'ec2', ...standIn?.options.ec2, ...limits }),
  nodeClass: { path: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses', body: ec2NodeClass() },
  claim: (name, spot) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, annotations: shortDeadlines },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: spot ? [capacity] : [],
      resources: { requests: { cpu: '1' } },
    },
  }),
  quietSeconds: slowestSeconds,
});

/**
 * Each machine has a data disk, which must go with it. In every second run there is a limit of calls, and in every third nobody may
 * expunge: then a machine that is destroyed counts as gone.
 */
const cloudStack = ({ seed, idempotency }: CrashOptions): CrashCloud => ({
  settings: {
    seed,
    role: idempotency === 'name' ? 'admin' : 'user',
    bootSeconds: 0.6,
    readySeconds: 0.2,
    destroySeconds: 0.4,
    jobSeconds: 0.1,
    cloudControllerSeconds: 2,
    userMayExpunge: seed % 3 !== 0,
    callLimit: seed % 2 === 0 ? 25 : null,
    faults: [...crashFaults(), ...machineFaults()],
  },
  provider: ({ standIn }) => ({ type: 'cloudstack', ...standIn?.options.cloudstack, ...limits }),
  nodeClass: {
    path: '/apis/karpenter.k8s.cloudstack/v1/cloudstacknodeclasses',
    body: cloudStackNodeClass({ diskOffering: 'Small' }),
  },
  tellsLeftovers: true,
  claim: (name, spot) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, annotations: shortDeadlines },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.cloudstack', kind: 'CloudStackNodeClass', name: 'default' },
      requirements: spot ? [capacity] : [],
      resources: { requests: { cpu: '1' } },
    },
  }),
  quietSeconds: slowestSeconds,
});

/** A task takes a while, so that kills of host and server meet creates, starts and deletes that are under way. */
export const machineTaskTime = 0.3;

/** The machines are the mock's, and the server is a process of its own, which is killed as well. */
const machines = ({ idempotency }: CrashOptions): CrashCloud => ({
  settings: { serve: false, taskTime: machineTaskTime, readySeconds: 0.2, cloudControllerSeconds: 2 },
  provider: ({ provider = '' }) => ({
    type: 'remote',
    servers: {
      mock: { endpoint: provider, plaintext: true, rate: { qps: 1000, burst: 1000 }, breaker: { openSeconds: 2 } },
    },
    createsByName: idempotency === 'name',
    ...limits,
  }),
  nodeClass: { path: '/apis/poolwright.dev/v1alpha1/machinenodeclasses', body: machineNodeClass() },
  claim: (name) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, annotations: shortDeadlines },
    spec: {
      nodeClassRef: { group: 'poolwright.dev', kind: 'MachineNodeClass', name: 'default' },
      requirements: [],
      resources: { requests: { cpu: '1' } },
    },
  }),
  quietSeconds: slowestSeconds,
});
