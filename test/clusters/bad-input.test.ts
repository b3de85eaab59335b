/**
 * What people write wrong in a request for a cluster: each is refused at admission where it can be known there, and else named in the
 * conditions, with code, cause and fix. A request beside it becomes a cluster all the same.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { preflightOf } from '../../functions/hosts/common/requests/preflight.ts';
import { failed, ok } from '../../shared/base/result.ts';
import { admitRequest } from '../../shared/clusters/operations/admit.ts';
import { explainRequest } from '../../shared/clusters/operations/explain.ts';
import type { AzureFacts } from '../../shared/clusters/preflight/azure-facts.ts';
import type { ClusterRequestSpec } from '../../shared/clusters/request/schema.ts';
import { stateRequestStore } from '../../shared/clusters/store/state.ts';
import { findCondition } from '../../shared/kube/conditions.ts';
import { findError } from '../../shared/observe/errors/catalog.ts';
import { aRequest } from '../http/cluster-requests-world.ts';
import { team } from '../sim/aso/world.ts';
import { type RequestWorld, type RequestWorldOptions, requestWorld } from './request-world.ts';

interface BadInput {
  what: string;
  name?: string;
  spec?: Partial<ClusterRequestSpec>;
  code: string;
  /** What the message names. */
  says: RegExp;
  field: string;
  /** Only a warning: the request is carried out. */
  onlyWarned?: true;
}

const longName = 'a'.repeat(40);
const table: readonly BadInput[] = [
  {
    what: 'a name that Kubernetes allows and Azure does not',
    name: 'web.shop',
    code: 'ClusterNameInvalid',
    field: 'metadata.name',
    says: /"web\.shop" is not a name that Azure allows/,
  },
  {
    what: 'a name that Azure reserves',
    name: 'login-web',
    code: 'ClusterNameInvalid',
    field: 'metadata.name',
    says: /reserves/,
  },
  {
    what: 'a node resource group of more than 80 characters',
    spec: { nodeResourceGroup: `MC_${'x'.repeat(82)}` },
    code: 'NodeResourceGroupInvalid',
    field: 'spec.nodeResourceGroup',
    says: /80/,
  },
  {
    what: 'a location that is none',
    spec: { location: 'mars/north' },
    code: 'LocationInvalid',
    field: 'spec.location',
    says: /mars/,
  },
  {
    what: 'a location without AKS',
    spec: { location: 'marsnorth' },
    code: 'LocationInvalid',
    field: 'spec.location',
    says: /marsnorth/,
  },
  {
    what: 'a version out of support',
    spec: { kubernetesVersion: '1.27' },
    code: 'KubernetesVersionUnsupported',
    field: 'spec.kubernetesVersion',
    says: /1\.27/,
  },
  {
    what: 'a version that AKS does not offer there',
    spec: { kubernetesVersion: '1.34' },
    code: 'KubernetesVersionUnsupported',
    field: 'spec.kubernetesVersion',
    says: /does not offer 1\.34 in westeurope/,
  },
  {
    what: 'a pool type that does not exist',
    spec: { nodePool: { type: 'memory-optimised' } },
    code: 'PoolTypeUnknown',
    field: 'spec.nodePool.type',
    says: /"memory-optimised"/,
  },
  {
    what: 'a private repository without credentials',
    spec: { gitOps: { url: 'ssh://git@github.com/example/fleet' } },
    code: 'GitCredentialsMissing',
    field: 'spec.gitOps.secretRef',
    says: /ssh needs a key/,
  },
  {
    what: 'a repository that may be private, without credentials',
    spec: { gitOps: { url: 'https://git.example.com/fleet' } },
    code: 'GitCredentialsMissing',
    field: 'spec.gitOps.secretRef',
    says: /only if it is public/,
    onlyWarned: true,
  },
];

/** Only what admission may ask; what a question about quotas finds is not bad input. */
const silent = async () => failed('unavailable', 'not asked here');
const version = (minor: string) => ({ minor, patches: [], supportPlans: ['KubernetesOfficial'] });
const azure: AzureFacts = {
  subscription: 's',
  locations: async () => ok(['westeurope', 'northeurope']),
  versions: async () => ok([version('1.35'), version('1.36')]),
  registrations: silent,
  sizes: silent,
  usages: silent,
  prices: silent,
  group: silent,
  cluster: silent,
};

let world: RequestWorld;
afterEach(() => world.close());

/** Without definitions and a webhook in between: what is stored is whatever somebody has written. */
const open = async (more: RequestWorldOptions = {}): Promise<RequestWorld> => {
  world = await requestWorld(more);
  const { clock, place } = world;
  Object.assign(place, { preflight: preflightOf({ deployment: 'test', api: place.api, clock, azure }) });
  return world;
};
const review = (name: string, spec: object) => ({
  operation: 'CREATE' as const,
  object: aRequest(name, team, spec),
  oldObject: null,
});

describe.each(table)('$what', ({ name = 'bad', spec = {}, code, field, says, onlyWarned = false }) => {
  it('is told at admission, with code, cause and fix', async () => {
    await open();
    const { allowed, findings } = await admitRequest(world.place, review(name, spec), world.clock.now());
    expect(allowed).toBe(onlyWarned);
    const found = findings.find((one) => one.code === code);
    expect(found).toMatchObject({ field, severity: onlyWarned ? 'warning' : 'error' });
    expect(found?.cause).toMatch(says);
    expect(found?.fix).not.toBe('');
    expect(findError(code)?.cure).toBeTruthy();
  });

  it('is told in the conditions where nobody has refused it, and others continue', async () => {
    // A store that checks nothing but shapes, as an API server without our newest definition.
    await open({ store: ({ clock, state }) => stateRequestStore({ clock, state, ids: counting() }) });
    await world.create(spec, name);
    await world.create({}, 'good');
    await world.until(async () => (await world.ready('good')) === 'True Ready');
    const request = (await world.get(name))!;
    if (onlyWarned) {
      expect(request.status?.warnings?.join()).toMatch(says);
      return;
    }
    const validated = findCondition(request.status?.conditions, 'Validated');
    expect(validated).toMatchObject({ status: 'False', reason: code, message: expect.stringMatching(says) });
    expect(await world.ready(name)).toMatch(/^False/);
    const [first = '', cause = '', fix = ''] = explainRequest(world.place, request, world.clock.now()).lines;
    expect(first).toContain(code);
    expect(cause).toContain(field);
    expect(fix.length).toBeGreaterThan('fix    '.length);
    const things = world.aso.aso.azure.living().map(({ id }) => id);
    expect(things.filter((id) => id.includes(`/${name}`) || id.includes(`rg-${name}`))).toEqual([]);
  });
});

let made = 0;
const counting = () => ({ next: () => `s-${++made}` });

describe('a cluster that exists and is not ours', () => {
  const foreign = async (): Promise<void> => {
    await open();
    const apply = (kind: string, name: string, spec: object) =>
      world.aso.apply({
        apiVersion:
          kind === 'ResourceGroup' ? 'resources.azure.com/v1api20200601' : 'containerservice.azure.com/v1api20250801',
        kind,
        metadata: { name, namespace: team },
        spec: { azureName: name, location: 'westeurope', ...spec },
      });
    await apply('ResourceGroup', 'rg-taken', {});
    await world.pass(10);
  };

  it('is refused at admission as far as the management cluster shows it', async () => {
    await foreign();
    const { allowed, findings } = await admitRequest(world.place, review('taken', {}), world.clock.now());
    expect({ allowed, codes: findings.map(({ code, field }) => `${code} ${field}`) }).toEqual({
      allowed: false,
      codes: ['ClusterNotOurs spec.resourceGroup'],
    });
  });

  it('is told in the conditions else, nothing of it changes, and others continue', async () => {
    await foreign();
    const before = await world.aso.get('ResourceGroup', 'rg-taken');
    await world.create({}, 'taken');
    await world.create({}, 'good');
    await world.until(async () => (await world.ready('good')) === 'True Ready');
    const request = (await world.get('taken'))!;
    expect(findCondition(request.status?.conditions, 'Owned')).toMatchObject({
      status: 'False',
      reason: 'ClusterNotOurs',
    });
    const [first = '', cause = '', fix = ''] = explainRequest(world.place, request, world.clock.now()).lines;
    expect(first).toContain('ClusterNotOurs');
    expect(cause).toContain('rg-taken');
    expect(fix).toContain('another name');
    expect((await world.aso.get('ResourceGroup', 'rg-taken'))?.spec).toEqual(before?.spec);
    await world.delete('taken');
    await world.until(async () => (await world.get('taken')) === undefined);
    expect(await world.aso.get('ResourceGroup', 'rg-taken')).toBeDefined();
  });
});

it('a name that makes the usual node resource group too long gets a shorter one', async () => {
  await open();
  const spec = { clusterName: longName, resourceGroup: `rg-${longName}` };
  const { allowed } = await admitRequest(world.place, review('long', spec), world.clock.now());
  expect(allowed).toBe(true);
});

it('of several mistakes each is told', async () => {
  await open();
  const spec = { location: 'mars/north', nodePool: { type: 'x' }, kubernetesVersion: '1.1' };
  const { findings } = await admitRequest(world.place, review('web.shop', spec), world.clock.now());
  const codes = findings.map(({ code }) => code);
  for (const code of ['ClusterNameInvalid', 'LocationInvalid', 'PoolTypeUnknown', 'KubernetesVersionUnsupported']) {
    expect(codes).toContain(code);
  }
});

describe('a request that is too large', () => {
  const large = (length: number): Partial<ClusterRequestSpec> => ({
    addOns: { profiles: { somethingNew: { enabled: true, config: { text: 'x'.repeat(length) } } } },
  });

  it('for the state is told in the conditions, nothing is made, and others continue', async () => {
    await open({ store: ({ clock, state }) => stateRequestStore({ state, clock, ids: counting() }) });
    await world.create(large(15_000), 'large');
    await world.create({}, 'good');
    await world.until(async () => (await world.ready('good')) === 'True Ready');
    expect(await world.ready('large')).toBe('False ClusterRequestTooLarge');
    const things = world.aso.aso.azure.living().map(({ id }) => id);
    expect(things.filter((id) => id.includes('large'))).toEqual([]);
    await world.change(large(100), 'large');
    await world.until(async () => (await world.ready('large')) === 'True Ready');
  });

  it('for an API server is told, too', async () => {
    await open();
    await world.create(large(140_000), 'large');
    await world.until(async () => (await world.ready('large')) === 'False ClusterRequestTooLarge', 600);
  });
});
