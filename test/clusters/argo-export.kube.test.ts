/** The exported workflow, and every object in it, held against the definitions of Argo Workflows, Azure Service Operator and Karpenter. */
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../shared/base/json.ts';
import { exportToArgo } from '../../shared/clusters/argo/export.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../../shared/clusters/request/schema.ts';
import { resolve } from '../../shared/clusters/resolved/resolve.ts';
import { freshName, useKube } from '../kube/use-kube.ts';
import { filledIn } from './fill-in.ts';
import {
  type Definition,
  definitionsAreThere,
  foreignDefinitions,
  whereDefinitionsAre,
} from './foreign-definitions.ts';

const kube = useKube();
const namespace = freshName('argo');
// Groups of their own: other files install other releases of the same definitions.
const suffix = '.argo-export.test';
const releases = ['argo-workflows-4.1.2', 'azure-service-operator-2.20.0', 'karpenter-azure-1.14.2'] as const;

type Object = JsonObject & { apiVersion: string; kind: string; metadata: { name?: string; namespace?: string } };

const exported = (spec: Partial<ClusterRequestSpec>) => {
  const request = {
    apiVersion: 'poolwright.dev/v1alpha1' as const,
    kind: 'ClusterRequest' as const,
    metadata: { name: 'web', namespace },
    spec: { location: 'westeurope', kubernetesVersion: '1.35', ...spec },
  };
  return exportToArgo(resolve(request, builtInPoolTypes), { types: builtInPoolTypes, kubectlImage: 'kubectl:1.35' });
};

const values = {
  'cluster-name': 'a'.repeat(52),
  location: 'westeurope',
  'node-pool-type': 'memory-optimized',
  'kubernetes-version': '1.35',
  'primary-vm-size': 'Standard_E2s_v5',
  'secondary-vm-size': 'Standard_E4s_v5',
  'sku-family': 'E',
  'max-cpu': '1000',
  'max-memory': '2000Gi',
  'system-vm-size': 'Standard_D4s_v5',
  'git-url': 'https://git.example/fleet',
  'git-branch': 'main',
};

/** What the steps of the workflow hand to an API server. */
function objectsIn(workflow: JsonObject | undefined, parameters: Readonly<Record<string, string>>): Object[] {
  const { templates } = (workflow?.spec ?? {}) as unknown as {
    templates: {
      resource?: { action: string; manifest: string };
      inputs?: { artifacts?: { raw: { data: string } }[] };
    }[];
  };
  const texts = templates.flatMap(({ resource, inputs }) => [
    ...(resource?.action === 'apply' ? [resource.manifest] : []),
    ...(inputs?.artifacts ?? []).map(({ raw }) => raw.data),
  ]);
  return texts.map((text) => parse(filledIn(text, parameters)) as Object);
}

describe.skipIf(!definitionsAreThere)(`the export to Argo Workflows ${whereDefinitionsAre}`, () => {
  const definitions = new Map<string, Definition>();

  beforeAll(async () => {
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (const definition of releases.flatMap((release) => foreignDefinitions(release, suffix))) {
      await kube.apply(definition);
      definitions.set(`${definition.spec.group}/${definition.spec.names.kind}`, definition);
    }
  }, 180_000);

  /** Undefined if the API server takes it, with every field. */
  async function refusal(object: Object): Promise<string | undefined> {
    const [group = '', version = ''] = object.apiVersion.split('/');
    const definition = definitions.get(`${group}${suffix}/${object.kind}`);
    if (definition === undefined) return `no definition of ${object.apiVersion} ${object.kind}`;
    const { spec } = definition;
    const { name = '' } = object.metadata;
    const scope = object.metadata.namespace === undefined ? '' : `/namespaces/${namespace}`;
    const apiVersion = `${spec.group}/${version}`;
    const path = `/apis/${apiVersion}${scope}/${spec.names.plural}/${name}?fieldManager=test&dryRun=All&fieldValidation=Strict`;
    const body = { ...object, apiVersion } as unknown as Json;
    const answer = await kube.request('PATCH', path, body, 'application/apply-patch+yaml');
    return answer.code < 300 ? undefined : `${object.kind} ${name}: ${String(answer.body.message)}`;
  }

  it.each<[string, Partial<ClusterRequestSpec>]>([
    ['that says little', {}],
    [
      'that says much',
      {
        nodePool: { type: 'memory-optimized', zones: ['1', '2'], labels: { team: 'data' } },
        network: {
          subnetID: '/subscriptions/s/resourceGroups/n/providers/Microsoft.Network/virtualNetworks/v/subnets/s',
        },
        identity: { federatedCredentials: [{ name: 'app', serviceAccount: 'shop/app' }] },
        addOns: { azurePolicy: true, keyVaultSecretsProvider: { rotation: true }, applicationRouting: {} },
        gitOps: {
          url: 'https://git.example/fleet',
          public: true,
          kustomizations: [{ name: 'infra', path: './infra' }],
        },
        deleteGuard: true,
      },
    ],
  ])('is valid for a request %s, with everything that it applies', async (_, spec) => {
    const { objects, findings } = exported(spec);
    const [workflow] = objects;

    expect(findings).toEqual([]);
    expect(await refusal(workflow as Object)).toBeUndefined();
    const applied = objectsIn(workflow, values);
    expect(applied.length).toBeGreaterThan(10);
    const refusals = await Promise.all(applied.map(refusal));
    expect(refusals.filter((why) => why !== undefined)).toEqual([]);
  });

  it('refuses a name that is too long before anything is created', async () => {
    const [workflow] = exported({}).objects;
    const [group] = objectsIn(workflow, { ...values, 'cluster-name': 'a'.repeat(53) });

    expect(await refusal(group as Object)).toMatch(/must be no more than 63/);
  });

  it('gives its pods rights that the API server understands', async () => {
    const rights = exported({}).objects.slice(1);
    const created = await Promise.all(
      rights.map((one) => {
        const { apiVersion, kind, metadata } = one as Object;
        const plural = `${kind.toLowerCase()}s`;
        const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
        const path = `${root}/namespaces/${namespace}/${plural}/${metadata.name}?fieldManager=test&dryRun=All&fieldValidation=Strict`;
        return kube.request('PATCH', path, one as Json, 'application/apply-patch+yaml');
      }),
    );

    expect(created.map(({ code }) => code)).toEqual([201, 201, 201]);
  });
});
