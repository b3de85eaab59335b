/** Templates of Argo Workflows: one that applies an object and waits for it, and one that runs kubectl in a cluster. */
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { placeholder } from './parameters.ts';

export type Template = JsonObject & { name: string };

/** A pod may die although the object is fine, so a step that applies is simply done again. */
const retryStrategy = {
  limit: '5',
  retryPolicy: 'Always',
  backoff: { duration: '10s', factor: '2', maxDuration: '10m' },
} satisfies JsonObject;

export const fieldManager = 'argo-workflows';
const serverSide = ['--server-side', `--field-manager=${fieldManager}`];

/** Azure Service Operator has one condition, so the first one is Ready. */
const operatorReady = 'status.conditions.0.status == True';
const operatorGaveUp = 'status.conditions.0.severity == Error';

const asText = (manifest: Manifest): string => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });

/** Refused here, nothing was created: the API server and the operator's webhooks see the whole object. */
export const dryRun = (name: string, manifest: Manifest): Template => ({
  name,
  resource: {
    action: 'apply',
    flags: [...serverSide, '--dry-run=server', '--validate=strict'],
    manifest: asText(manifest),
  },
});

export interface ApplyHow {
  /** False: a later step waits. */
  awaits?: boolean;
  deadlineSeconds?: number;
}

/** Applied, not created: a repeated create fails because the object is there. */
export const apply = (
  name: string,
  manifest: Manifest,
  { awaits = true, deadlineSeconds }: ApplyHow = {},
): Template => ({
  name,
  ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
  retryStrategy,
  resource: {
    action: 'apply',
    flags: serverSide,
    ...(awaits ? { successCondition: operatorReady, failureCondition: operatorGaveUp } : {}),
    manifest: asText(manifest),
  },
});

/** Ends early when the operator has stopped trying. Most failures of Azure stay warnings, so the deadline ends the rest. */
export const awaitObject = (
  name: string,
  { apiVersion, kind, metadata }: Manifest,
  deadlineSeconds: number,
): Template => ({
  name,
  activeDeadlineSeconds: deadlineSeconds,
  // A failure that the operator reports is none of the pod, and is not tried again.
  retryStrategy: { ...retryStrategy, retryPolicy: 'OnError' },
  resource: {
    action: 'get',
    successCondition: operatorReady,
    failureCondition: operatorGaveUp,
    manifest: stringify({ apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace } }),
  },
});

export interface KubectlHow {
  /** Applied as the file /manifests/object.yaml. */
  manifest?: Manifest;
  /** Secret with the kubeconfig of the cluster to work in; absent: the one that Argo runs in. */
  kubeconfig?: { secretName: string; key: string };
  deadlineSeconds: number;
}

/** In the new cluster: a resource template reaches the cluster of Argo alone. */
export const kubectl = (name: string, args: readonly string[], how: KubectlHow): Template => {
  const { manifest, kubeconfig, deadlineSeconds } = how;
  const mounted = '/kubeconfig';
  return {
    name,
    activeDeadlineSeconds: deadlineSeconds,
    retryStrategy: { ...retryStrategy, limit: '20', backoff: { duration: '15s', factor: '1' } },
    ...(manifest === undefined
      ? {}
      : {
          inputs: { artifacts: [{ name: 'object', path: '/manifests/object.yaml', raw: { data: asText(manifest) } }] },
        }),
    ...(kubeconfig === undefined
      ? {}
      : { volumes: [{ name: 'kubeconfig', secret: { secretName: kubeconfig.secretName } }] }),
    container: {
      image: placeholder('kubectl-image'),
      command: ['kubectl'],
      args: [...(kubeconfig === undefined ? [] : [`--kubeconfig=${mounted}/${kubeconfig.key}`]), ...args],
      ...(kubeconfig === undefined
        ? {}
        : { volumeMounts: [{ name: 'kubeconfig', mountPath: mounted, readOnly: true }] }),
    },
  };
};

export const applyThere = [...['apply', '--filename=/manifests/object.yaml'], ...serverSide];

export interface StepCall {
  template: string;
  /** Absent: always. */
  when?: string;
}

/** One after the other; those of one list at the same time. */
export const sequence = (name: string, groups: readonly (readonly StepCall[])[]): Template => ({
  name,
  steps: groups.map((group) =>
    group.map(({ template, when }): Json => ({ name: template, template, ...(when === undefined ? {} : { when }) })),
  ),
});
