/** Every manifest that the generator can make, held against the definitions of those who will read it, on a real API server. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { convertAll } from '../../shared/clusters/convert/convert.ts';
import {
  type ApiVersion,
  type AsoKindName,
  asoKinds,
  type Served,
} from '../../shared/clusters/manifests/api-versions.ts';
import { generate } from '../../shared/clusters/manifests/generate.ts';
import type { Manifest } from '../../shared/clusters/manifests/manifest.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequest } from '../../shared/clusters/request/request.ts';
import { isError } from '../../shared/clusters/rules/finding.ts';
import { checkRequest } from '../../shared/clusters/rules/validate.ts';
import { freshName, useKube } from '../kube/use-kube.ts';
import { designManifests } from './design.ts';
import {
  type Definition,
  definitionsAreThere,
  foreignDefinitions,
  servedVersions,
  whereDefinitionsAre,
} from './foreign-definitions.ts';
import { requests } from './requests.ts';

const kube = useKube();
const namespace = freshName('team');
const surroundings = { types: builtInPoolTypes, today: '2026-08-31' };

/** Group and kind to where such an object is applied. */
type Server = ReadonlyMap<string, Definition>;
const server = (...definitions: readonly (readonly [Definition[], suffix?: string])[]): Server =>
  new Map(
    definitions.flatMap(([list, suffix = '']) =>
      list.map((one) => [
        `${one.spec.group.slice(0, one.spec.group.length - suffix.length)}/${one.spec.names.kind}`,
        one,
      ]),
    ),
  );

/** As a driver applies it, without storing anything. Undefined if the API server takes it. */
async function refusal(manifest: Manifest, there: Server): Promise<string | undefined> {
  const [group = '', version = ''] = manifest.apiVersion.split('/');
  const definition = there.get(`${group}/${manifest.kind}`);
  if (definition === undefined) return `no definition of ${manifest.apiVersion} ${manifest.kind}`;
  const { spec } = definition;
  const scope = manifest.metadata.namespace === undefined ? '' : `/namespaces/${namespace}`;
  const object = {
    ...manifest,
    apiVersion: `${spec.group}/${version}`,
    metadata: { ...manifest.metadata, ...(scope === '' ? {} : { namespace }) },
  };
  const options = 'fieldManager=poolwright&force=true&dryRun=All&fieldValidation=Strict';
  const path = `/apis/${object.apiVersion}${scope}/${spec.names.plural}/${manifest.metadata.name}?${options}`;
  const { code, body } = await kube.request('PATCH', path, object as unknown as Json, 'application/apply-patch+yaml');
  return code === 200 || code === 201 ? undefined : `${code} ${String(body.message ?? JSON.stringify(body))}`;
}

async function judgeAll(one: ClusterRequest, there: Server, served: Served): Promise<boolean> {
  const { resolved, findings } = checkRequest(one, surroundings);
  if (resolved === undefined || findings.some(isError)) return false;
  const generated = generate(resolved, { deployment: 'office', uid: one.metadata.uid ?? '', served });
  if (generated.findings.some(isError)) return false;
  const manifests = generated.stages.flatMap((stage) => stage.manifests);
  const refusals = await Promise.all(manifests.map((manifest) => refusal(manifest, there)));
  const told = refusals.flatMap((why, index) => (why === undefined ? [] : [{ why, manifest: manifests[index] }]));
  expect(told).toEqual([]);
  return true;
}

describe.skipIf(!definitionsAreThere)(`manifests of cluster requests ${whereDefinitionsAre}`, () => {
  let current: Server;
  let older: Server;
  let servedToday: Served;
  let servedBefore: Served;

  beforeAll(async () => {
    const aso = foreignDefinitions('azure-service-operator-2.20.0');
    const flux = foreignDefinitions('flux');
    const azure = foreignDefinitions('karpenter-azure-1.14.2', '.azure.test');
    const asoBefore = foreignDefinitions('azure-service-operator-2.16.1', '.v216.test');
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    // One after the other: they are large, and the API server reads each into a schema.
    for (const definition of [...aso, ...flux, ...azure, ...asoBefore]) await kube.apply(definition);
    current = server([aso], [flux], [azure, '.azure.test']);
    older = new Map([...current, ...server([asoBefore, '.v216.test'])]);
    const servedBy = (definitions: readonly Definition[]): Served =>
      Object.fromEntries(definitions.map((one) => [one.spec.names.kind as AsoKindName, servedVersions(one)]));
    servedToday = servedBy(aso);
    servedBefore = { ...servedToday, ...servedBy(asoBefore) };
  }, 180_000);

  const property = async (there: () => Server, served: () => Served, numRuns: number): Promise<void> => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(requests, async (one) => {
        if (await judgeAll(one, there(), served())) judged += 1;
      }),
      // The same requests each time: a verdict must not depend on luck.
      { numRuns, seed: 20_261_118 },
    );
    // Were most of them invalid, little would have been tried. The oldest versions can't say everything.
    expect(judged).toBeGreaterThan(numRuns / 10);
  };

  it('pass a strict dry run with the definitions of today', async () => {
    await property(
      () => current,
      () => servedToday,
      200,
    );
  }, 300_000);

  it.each(['v1api20250801', 'v20251002preview'])(
    'pass it where only %s of ManagedCluster is served',
    async (version) => {
      const only = (): Served => ({ ...servedToday, ManagedCluster: [version], ManagedClustersAgentPool: [version] });
      await property(() => current, only, 40);
    },
    300_000,
  );

  it.each(['v1api20240402preview', 'v1api20240901'])(
    'pass it with an older release, where only %s of ManagedCluster is served',
    async (version) => {
      const only = (): Served => ({ ...servedBefore, ManagedCluster: [version], ManagedClustersAgentPool: [version] });
      await property(() => older, only, 200);
    },
    300_000,
  );

  it('pass it with the oldest versions of the other kinds', async () => {
    const oldest: Served = {
      UserAssignedIdentity: ['v1api20181130'],
      FederatedIdentityCredential: ['v1api20220131preview'],
      RoleAssignment: ['v1api20200801preview'],
      Extension: ['v1api20230501'],
      FluxConfiguration: ['v1api20230501'],
    };
    await property(
      () => current,
      () => ({ ...servedToday, ...oldest }),
      100,
    );
  }, 300_000);

  it('know which versions each release serves', () => {
    const releases: [string, Served][] = [
      ['2.16', servedBefore],
      ['2.20', servedToday],
    ];
    const asNumber = (release: string): number => Number(release.split('.')[1]);
    for (const kind of ['ManagedCluster', 'ManagedClustersAgentPool'] as const) {
      for (const { version, since, removedIn } of asoKinds[kind].versions as readonly ApiVersion[]) {
        const expected = releases.map(
          ([release]) =>
            asNumber(release) >= asNumber(since ?? release) &&
            (removedIn === undefined || asNumber(release) < asNumber(removedIn)),
        );
        expect(
          releases.map(([, served]) => served[kind]?.includes(version)),
          `${kind} ${version}`,
        ).toEqual(expected);
      }
    }
    for (const [kind, { versions }] of Object.entries(asoKinds)) {
      if (kind.startsWith('Managed')) continue;
      for (const { version } of versions) expect(servedToday[kind as AsoKindName], kind).toContain(version);
    }
  });

  it('of the design of years ago are refused as they were, and taken when they are converted', async () => {
    const asTheyWere = designManifests('standard');
    const lookedUp = new Map([...current, ...server([foreignDefinitions('azure-service-operator-2.20.0')])]);
    const refusals = await Promise.all(asTheyWere.map((one) => refusal(one as unknown as Manifest, lookedUp)));
    // Each is refused: two are no longer served, one has fields that never were.
    for (const why of refusals) expect(why).toMatch(/^(400|404|422|500) /);

    const converted = convertAll(asTheyWere).map(({ object }) => object as unknown as Manifest);
    expect(await Promise.all(converted.map((one) => refusal(one, lookedUp)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are refused where a field is wrong, so the dry run is a test', async () => {
    const { resolved } = checkRequest(
      {
        apiVersion: 'poolwright.dev/v1alpha1',
        kind: 'ClusterRequest',
        metadata: { name: 'a' },
        spec: { location: 'westeurope' },
      },
      surroundings,
    );
    const manifests = generate(resolved!, { deployment: 'office', uid: 'u' }).stages.flatMap(
      (stage) => stage.manifests,
    );
    expect(manifests.length).toBeGreaterThan(4);
    for (const manifest of manifests) {
      const wrong = { ...manifest, spec: { ...manifest.spec, colour: 'red' } };
      expect(await refusal(wrong, current), manifest.kind).toContain('colour');
    }
  });
});

it('node classes and pools for Poolwright pass it with our own definitions, which clusters without Karpenter have', async () => {
  const resource = (group: string, kind: string, plural: string): [string, Definition] => [
    `${group}/${kind}`,
    { spec: { group, names: { kind, plural }, versions: [] } } as unknown as Definition,
  ];
  const ours: Server = new Map([
    resource('karpenter.azure.com', 'AKSNodeClass', 'aksnodeclasses'),
    resource('karpenter.sh', 'NodePool', 'nodepools'),
  ]);
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (one) => {
      const request = { ...one, spec: { ...one.spec, nodes: 'poolwright' as const } };
      const { resolved, findings } = checkRequest(request, surroundings);
      if (resolved === undefined || findings.some(isError)) return;
      const { stages } = generate(resolved, { deployment: 'office', uid: 'u' });
      const manifests = stages.filter(({ cluster }) => cluster === 'new').flatMap((stage) => stage.manifests);
      expect(manifests.map(({ kind }) => kind)).toEqual(['AKSNodeClass', 'NodePool']);
      for (const manifest of manifests) expect(await refusal(manifest, ours)).toBeUndefined();
      judged += 1;
    }),
    { numRuns: 200, seed: 20_261_118 },
  );
  expect(judged).toBeGreaterThan(20);
}, 120_000);

describe('the definition of ClusterRequest', () => {
  beforeAll(async () => kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  const judge = async (object: Json): Promise<string | undefined> => {
    const path = `/apis/poolwright.dev/v1alpha1/namespaces/${namespace}/clusterrequests?dryRun=All&fieldValidation=Strict`;
    const { code, body } = await kube.request('POST', path, object);
    return code === 201 ? undefined : String(body.message);
  };

  it('takes every request that we take, and stores it as it was written', async () => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(requests, async (one) => {
        const { findings } = checkRequest(one, surroundings);
        if (findings.some(isError)) return;
        const { uid: _, ...metadata } = one.metadata;
        expect(await judge({ ...one, metadata: { ...metadata, namespace } } as unknown as Json)).toBeUndefined();
        judged += 1;
      }),
      { numRuns: 150, seed: 20_261_118 },
    );
    expect(judged).toBeGreaterThan(30);
  }, 120_000);

  it.each<[string, Json, string]>([
    ['a location', {}, 'spec.location'],
    ['a known maker of nodes', { location: 'westeurope', nodes: 'magic' }, 'spec.nodes'],
    ['known fields only', { location: 'westeurope', colour: 'red' }, 'colour'],
    [
      'labels that Kubernetes allows',
      { location: 'westeurope', nodePool: { labels: { a: 'b c' } } },
      'spec.nodePool.labels',
    ],
    ['a lifetime that is a duration', { location: 'westeurope', lifetime: 'soon' }, 'spec.lifetime'],
  ])('demands %s', async (_, spec, expected) => {
    const object = { apiVersion: 'poolwright.dev/v1alpha1', kind: 'ClusterRequest', metadata: { name: 'a' }, spec };
    expect(await judge(object)).toContain(expected);
  });
});
