/** The shapes of the objects that come from a cluster: the types of the fields that we use, and how long they may be. */
import { conditionStatuses } from '../../../base/kubernetes/object.ts';
import * as z from '../../../base/schemas.ts';
import { taintEffects } from './types.ts';

const texts = new Map<number, z.ZodMiniString>();

/** Made once for each limit: to make a schema takes longer than most that is done with it. */
function text(limit: number): z.ZodMiniString {
  const known = texts.get(limit) ?? z.string().check(z.maxLength(limit));
  texts.set(limit, known);
  return known;
}

/** By a function, because a function that starts needs none of them before its first object has come. */
export function makeShapes() {
  const name = text(253).check(z.minLength(1));
  const timestamp = text(64).check(
    z.refine((value) => !Number.isNaN(Date.parse(value)), 'is not a time like 2026-01-31T12:00:00Z'),
  );
  const quantities = z.record(text(317), z.union([text(64), z.number()]));
  const labelMap = z.record(text(317), text(63));
  const annotationMap = z.record(text(317), text(262_144));

  const objectMeta = z.looseObject({
    name,
    namespace: z.exactOptional(text(63)),
    generateName: z.exactOptional(text(253)),
    uid: text(128).check(z.minLength(1)),
    resourceVersion: z.exactOptional(text(128)),
    generation: z.exactOptional(z.int()),
    creationTimestamp: z.exactOptional(timestamp),
    deletionTimestamp: z.exactOptional(timestamp),
    deletionGracePeriodSeconds: z.exactOptional(z.int()),
    labels: z.exactOptional(labelMap),
    annotations: z.exactOptional(annotationMap),
    finalizers: z.exactOptional(z.array(text(317)).check(z.maxLength(100))),
    ownerReferences: z.exactOptional(
      z
        .array(
          z.looseObject({
            apiVersion: text(317),
            kind: text(63),
            name: text(253),
            uid: text(128),
            controller: z.exactOptional(z.boolean()),
            blockOwnerDeletion: z.exactOptional(z.boolean()),
          }),
        )
        .check(z.maxLength(100)),
    ),
  });

  const taint = z.looseObject({
    key: text(317),
    value: z.exactOptional(text(63)),
    effect: z.enum(taintEffects),
    timeAdded: z.exactOptional(timestamp),
  });
  const taints = z.array(taint).check(z.maxLength(100));

  const condition = z.looseObject({
    type: text(316),
    status: z.enum(conditionStatuses),
    reason: z._default(text(1024), ''),
    message: z._default(text(32_768), ''),
    lastTransitionTime: timestamp,
    observedGeneration: z.exactOptional(z.int()),
  });

  const requirement = z.looseObject({
    key: text(317),
    operator: text(32),
    // A claim made from a pool lists up to 600 instance types.
    values: z.exactOptional(z.array(text(256)).check(z.maxLength(2000))),
    minValues: z.exactOptional(z.number()),
  });

  const nodeClaimSpec = z.looseObject({
    nodeClassRef: z.looseObject({ group: z._default(text(253), ''), kind: text(63), name: text(253) }),
    requirements: z._default(z.array(requirement).check(z.maxLength(1000)), []),
    resources: z.exactOptional(z.looseObject({ requests: z.exactOptional(quantities) })),
    taints: z.exactOptional(taints),
    startupTaints: z.exactOptional(taints),
    terminationGracePeriod: z.exactOptional(text(64)),
    expireAfter: z.exactOptional(text(64)),
  });

  const apiVersion = z.exactOptional(text(317));
  const kind = z.exactOptional(text(63));

  const nodeClaim = z.looseObject({
    apiVersion,
    kind,
    metadata: objectMeta,
    spec: nodeClaimSpec,
    status: z.exactOptional(
      z.looseObject({
        nodeName: z.exactOptional(text(253)),
        providerID: z.exactOptional(text(1024)),
        imageID: z.exactOptional(text(1024)),
        capacity: z.exactOptional(quantities),
        allocatable: z.exactOptional(quantities),
        conditions: z.exactOptional(z.array(condition).check(z.maxLength(100))),
        lastPodEventTime: z.exactOptional(timestamp),
      }),
    ),
  });

  const nodePool = z.looseObject({
    apiVersion,
    kind,
    metadata: objectMeta,
    spec: z.looseObject({
      template: z.looseObject({
        metadata: z.exactOptional(
          z.looseObject({ labels: z.exactOptional(labelMap), annotations: z.exactOptional(annotationMap) }),
        ),
        spec: nodeClaimSpec,
      }),
      limits: z.exactOptional(quantities),
      weight: z.exactOptional(z.int()),
      replicas: z.exactOptional(z.int()),
    }),
    status: z.exactOptional(
      z.looseObject({
        resources: z.exactOptional(quantities),
        conditions: z.exactOptional(z.array(condition).check(z.maxLength(100))),
      }),
    ),
  });

  const nodeCondition = z.looseObject({
    type: text(316),
    status: z.enum(conditionStatuses),
    reason: z.exactOptional(text(1024)),
    message: z.exactOptional(text(32_768)),
    lastHeartbeatTime: z.exactOptional(timestamp),
    lastTransitionTime: z.exactOptional(timestamp),
  });

  const node = z.looseObject({
    apiVersion,
    kind,
    metadata: objectMeta,
    spec: z.exactOptional(
      z.looseObject({
        providerID: z.exactOptional(text(1024)),
        unschedulable: z.exactOptional(z.boolean()),
        taints: z.exactOptional(taints),
      }),
    ),
    status: z.exactOptional(
      z.looseObject({
        capacity: z.exactOptional(quantities),
        allocatable: z.exactOptional(quantities),
        conditions: z.exactOptional(z.array(nodeCondition).check(z.maxLength(100))),
      }),
    ),
  });

  return { nodeClaim, nodePool, node };
}
