/**
 * The kinds of the operator and of Flux for the simulated cluster: our own definitions, which hold no more than what both sides rely on.
 * A spec may have any field. What the operator's webhooks refuse to change is refused by rules.
 */
import type { JsonObject } from '../../shared/base/json.ts';
import {
  type ClusterApi,
  customResourceDefinitions,
  namespaces,
  type Resource,
  secrets,
} from '../../shared/kube/contract.ts';
import { asoKinds, gitRepositories, kustomizations } from './kinds.ts';
import { must } from './object.ts';
import { operatorSubscription } from './settings.ts';

const open = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const same = (field: string): string =>
  `(has(self.${field}) ? self.${field} : '') == (has(oldSelf.${field}) ? oldSelf.${field} : '')`;
const text = { type: 'string' } as const;

const owner = {
  type: 'object',
  properties: { name: text, group: text, kind: text, armId: text },
  'x-kubernetes-validations': [
    { rule: same('name'), message: "updating 'spec.owner.name' is not allowed" },
    { rule: same('armId'), message: "updating 'spec.owner.armId' is not allowed" },
  ],
};

const ofOperator: JsonObject = {
  type: 'object',
  properties: {
    azureName: {
      ...text,
      'x-kubernetes-validations': [
        { rule: 'self == oldSelf', message: "updating 'spec.azureName' is not allowed for existing resources" },
      ],
    },
    owner,
  },
  ...open,
  'x-kubernetes-validations': [
    { rule: 'has(self.owner) || !has(oldSelf.owner)', message: "removing 'spec.owner' is not allowed" },
    { rule: 'has(oldSelf.owner) || !has(self.owner)', message: "adding 'spec.owner' is not allowed" },
  ],
} as unknown as JsonObject;

const status = (listType: 'atomic' | 'map'): JsonObject => ({
  type: 'object',
  properties: {
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': listType,
      ...(listType === 'map' ? { 'x-kubernetes-list-map-keys': ['type'] } : {}),
      items: {
        type: 'object',
        required: ['type', 'status', 'reason', 'lastTransitionTime'],
        properties: {
          type: text,
          status: text,
          severity: text,
          reason: text,
          message: text,
          lastTransitionTime: { type: 'string', format: 'date-time' },
          observedGeneration: { type: 'integer', format: 'int64' },
        },
      },
    },
  },
  ...open,
});

const readyIs = (field: string) => `.status.conditions[?(@.type=='Ready')].${field}`;

function definition({ group, version, kind, plural }: Resource, spec: JsonObject): JsonObject {
  const column = (name: string, field: string): JsonObject => ({ name, type: 'string', jsonPath: readyIs(field) });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            column('Ready', 'status'),
            column('Severity', 'severity'),
            column('Reason', 'reason'),
            column('Message', 'message'),
          ],
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: status('atomic') } } },
        },
      ],
    },
  };
}

export const asoDefinitions: readonly JsonObject[] = asoKinds.map(({ resource }) => definition(resource, ofOperator));
export const fluxDefinitions: readonly JsonObject[] = [gitRepositories, kustomizations].map((resource) =>
  definition(resource, { type: 'object', ...open }),
);

/** Safe to repeat. What is there already, such as the real definitions, stays. */
export async function installDefinitions(api: ClusterApi): Promise<void> {
  for (const one of [...asoDefinitions, ...fluxDefinitions]) {
    const { name } = one.metadata as { name: string };
    const found = await api.get(customResourceDefinitions, { name });
    if (!found.ok) must(await api.create(customResourceDefinitions, one));
  }
}

const operatorNamespace = 'azureserviceoperator-system';

/** The operator as it is installed: its kinds, and a credential of its own. Safe to repeat. */
export async function installOperator(api: ClusterApi): Promise<void> {
  await installDefinitions(api);
  const wanted: readonly [Resource, JsonObject][] = [
    [namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: operatorNamespace } }],
    [
      secrets,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'aso-controller-settings', namespace: operatorNamespace },
        data: { AZURE_SUBSCRIPTION_ID: Buffer.from(operatorSubscription).toString('base64') },
      },
    ],
  ];
  for (const [resource, object] of wanted) {
    const created = await api.create(resource, object);
    if (!created.ok && created.error.kind !== 'conflict') must(created);
  }
}
