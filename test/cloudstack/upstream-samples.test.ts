/**
 * The manifests and the definition of Karpenter's provider for CloudStack: its samples become machines under its own definition and
 * under ours. They are next to the repository, and in no copy of it: then this is skipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { nodeClasses } from '../../functions/reconcilers/node-classes.ts';
import type { Json } from '../../shared/base/json.ts';
import { customResourceDefinitions } from '../../shared/kube/contract.ts';
import { value } from '../conformance/providers/requests.ts';
import { useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionOf } from '../nodes/world.ts';
import { joinedWorld, readClass, resource } from './joined-world.ts';
import { signal } from './world.ts';

const repository = join(import.meta.dirname, '../..');
const data = join(repository, '../shared/data');
const samples = join(data, 'samples/karpenter-cloudstack');
const file = 'karpenter.k8s.cloudstack_cloudstacknodeclasses.yaml';
const theirs = join(data, 'crds/karpenter-cloudstack', file);
const ours = join(repository, 'infra/kubernetes/crds', file);

type Schema = { properties?: Record<string, Schema>; items?: Schema };
type Definition = { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } };
type Pool = { spec: { template: { spec: { [field: string]: Json } } } };

const read = <T>(path: string): T => parse(readFileSync(path, 'utf8')) as T;
const schemaOf = (path: string): Schema => read<Definition>(path).spec.versions[0]?.schema.openAPIV3Schema ?? {};

function missing(upstream: Schema, own: Schema | undefined, path: string): string[] {
  if (own === undefined) return [path];
  return [
    ...Object.entries(upstream.properties ?? {}).flatMap(([name, field]) =>
      missing(field, own.properties?.[name], `${path}.${name}`),
    ),
    ...(upstream.items === undefined ? [] : missing(upstream.items, own.items, `${path}[]`)),
  ];
}

const open = useWorld();

describe.skipIf(!existsSync(theirs))('the definition and the samples of Karpenter for CloudStack', () => {
  it('have no field that our definition lacks', () => {
    expect(missing(schemaOf(theirs), schemaOf(ours), '')).toEqual([]);
  });

  it.each(['ours', 'theirs'])('work under the definition that is %s', async (whose) => {
    const { world, cloudstack } = await joinedWorld(open);
    if (whose === 'theirs') {
      const { spec } = read<{ spec: { [field: string]: Json } }>(theirs);
      const name = 'cloudstacknodeclasses.karpenter.k8s.cloudstack';
      value(await world.api.mergePatch(customResourceDefinitions, { name }, { spec }));
    }
    const nodeClass = read<{ [field: string]: Json }>(join(samples, 'nodeclass.yaml'));
    value(await world.api.create(resource, nodeClass as never));
    await nodeClasses.run(world.services, clusterName, signal);
    const stored = await readClass(world, 'default');
    expect(stored.status).toMatchObject({
      networks: [{ name: 'default-network', zone: 'zone-01', type: 'Isolated' }],
      templates: [{ name: 'ubuntu-22.04-kubernetes', zone: 'zone-01', osType: 'Ubuntu 22.04 LTS' }],
    });
    // Their definition has no such field, so the API server drops it.
    expect('zones' in (stored.status ?? {})).toBe(whose === 'ours');
    expect(stored.status?.conditions?.map(({ type, status }) => `${type}=${status}`).sort()).toEqual([
      'NetworkReady=True',
      'Ready=True',
      'ServiceOfferingReady=True',
      'TemplateReady=True',
      'ZoneReady=True',
    ]);

    // As the pool makes its claims.
    const { template } = read<Pool>(join(samples, 'nodepool.yaml')).spec;
    await world.createClaim('sample', template.spec);
    await world.pass(120, 10);
    const claim = await world.claim('sample');
    expect(conditionOf(claim, 'Launched')).toMatchObject({ status: 'True' });
    expect(claim?.metadata.labels).toMatchObject({
      'node.kubernetes.io/instance-type': 'Medium-Instance',
      'topology.kubernetes.io/zone': 'zone-01',
      'karpenter.sh/capacity-type': 'on-demand',
    });
    expect(claim?.status?.providerID).toMatch(/^cloudstack:\/\/zone-01\/[0-9a-f-]{36}$/);
    const [vm] = cloudstack.vms();
    expect(vm).toMatchObject({ zone: { name: 'zone-01' }, offering: { name: 'Medium Instance' } });
  });
});

it.skipIf(existsSync(theirs))(
  'the samples are not here: put shared/data next to the repository to run these tests',
  () => undefined,
);
