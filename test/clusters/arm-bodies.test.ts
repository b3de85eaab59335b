/** What the driver `arm` sends, held against the models of Microsoft's own client: a field that it does not know would be lost there. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asObject, isObject, type Json, type JsonObject } from '../../shared/base/json.ts';
import { bodyOf, needsOf } from '../../shared/clusters/drivers/arm/body.ts';
import { apiVersionOf, targetOf } from '../../shared/clusters/drivers/arm/kinds.ts';
import type { Manifest } from '../../shared/clusters/manifests/manifest.ts';
import { planRequest } from '../../shared/clusters/plan/plan.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import { stagesFor } from '../conformance/cluster-drivers/harness.ts';
import { requests } from './requests.ts';

type Convert = (item: unknown) => unknown;
const main = createRequire(import.meta.url).resolve('@azure/arm-containerservice');
const models = (await import(
  pathToFileURL(join(dirname(main).replace(/commonjs$/, 'esm'), 'models/models.js')).href
)) as Record<string, Convert>;

/** Through the model and back: what the model has no place for is gone. */
const throughModel = (name: 'managedCluster' | 'agentPool', body: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(models[`${name}Serializer`]!(models[`${name}Deserializer`]!(body)))) as JsonObject;

function paths(value: Json | undefined, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => paths(one, `${at}[${index}]`));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => paths(one, `${at}.${key}`));
  return [`${at}=${JSON.stringify(value)}`];
}

const subscription = '11111111-1111-4111-8111-111111111111';
const values = { principalIdFromConfig: 'p-1', issuerFromConfig: 'https://issuer.example/' };

function bodyFor(manifest: Manifest): JsonObject {
  const target = targetOf(subscription, manifest)!;
  return bodyOf(target, manifest.spec, values);
}

const manifestsOf = (object: unknown): Manifest[] => {
  const plan = planRequest(object, { types: builtInPoolTypes, today: '2026-11-19', deployment: 'test' });
  return plan.valid
    ? plan.stages.filter(({ cluster }) => cluster === 'management').flatMap(({ manifests }) => [...manifests])
    : [];
};

describe('what the driver arm sends', () => {
  it('is known to the models of Azure, whatever the request', () => {
    let seen = 0;
    fc.assert(
      fc.property(requests, (request) => {
        for (const manifest of manifestsOf(request)) {
          const model = { ManagedCluster: 'managedCluster', ManagedClustersAgentPool: 'agentPool' }[manifest.kind];
          if (model === undefined) continue;
          seen += 1;
          const body = bodyFor(manifest);
          const { identity: _, ...rest } = body;
          const back = new Set(paths(throughModel(model as 'agentPool', rest)));
          expect(paths(rest).filter((path) => !back.has(path))).toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
    expect(seen).toBeGreaterThan(50);
  });

  it.each([
    ['managedCluster', { properties: { dnsPrefixx: 'web' } }],
    ['agentPool', { properties: { vnetSubnetReference: { armId: '/a' } } }],
  ] as const)('a field of a %s that Azure does not have would be seen', (model, body) => {
    expect(paths(throughModel(model, body))).toEqual([]);
  });

  it('has nothing in it that only the operator knows', () => {
    fc.assert(
      fc.property(requests, (request) => {
        for (const manifest of manifestsOf(request)) {
          if (targetOf(subscription, manifest) === undefined) continue;
          const text = JSON.stringify(bodyFor(manifest));
          expect(text).not.toMatch(/"(owner|azureName|operatorSpec|reference|armId|[a-zA-Z]+(Reference|FromConfig))":/);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('names groups, identities and roles by their ids', () => {
    const subnetID = '/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/s';
    const stages = stagesFor({
      resourceGroup: 'Group_A',
      clusterName: 'Web_One',
      dnsPrefix: 'web-one',
      identity: { type: 'UserAssigned' },
      network: { subnetID },
    });
    const manifests = stages.flatMap(({ manifests: some }) => some);
    const at = (kind: string) => manifests.find((one) => one.kind === kind)!;
    const group = `/subscriptions/${subscription}/resourceGroups/Group_A`;
    const identity = `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web-identity`;
    const cluster = at('ManagedCluster');
    expect(targetOf(subscription, cluster)?.id).toBe(
      `${group}/providers/Microsoft.ContainerService/managedClusters/Web_One`,
    );
    expect(bodyFor(cluster)).toMatchObject({
      location: 'westeurope',
      identity: { type: 'UserAssigned', userAssignedIdentities: { [identity]: {} } },
      sku: { name: 'Base' },
      properties: { dnsPrefix: 'web-one', agentPoolProfiles: [{ vnetSubnetID: subnetID }] },
    });
    const role = at('RoleAssignment');
    expect(needsOf(targetOf(subscription, role)!, role.spec)).toMatchObject([
      { field: 'principalIdFromConfig', id: identity, path: ['properties', 'principalId'] },
    ]);
    expect(bodyFor(role)).toEqual({
      properties: {
        principalId: 'p-1',
        principalType: 'ServicePrincipal',
        roleDefinitionId: `/subscriptions/${subscription}/providers/Microsoft.Authorization/roleDefinitions/4d97b98b-1d4f-4787-a291-c67834d212e7`,
      },
    });
    expect(asObject(bodyFor(at('ResourceGroup')).properties)).toBeUndefined();
  });

  it.each([
    ['containerservice.azure.com/v1api20250801', '2025-08-01'],
    ['containerservice.azure.com/v20251002preview', '2025-10-02-preview'],
    ['resources.azure.com/v1api20200601', '2020-06-01'],
  ])('%s is %s', (operator, azure) => {
    expect(apiVersionOf(operator)).toBe(azure);
  });
});
