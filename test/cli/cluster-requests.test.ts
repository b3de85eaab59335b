import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { diffText } from '../../cli/commands/clusters/diff.ts';
import { requestLines } from '../../cli/commands/clusters/get/stages.ts';
import { newLines } from '../../cli/commands/clusters/get/watch.ts';
import { priceLines } from '../../cli/commands/clusters/plan/text.ts';
import type { Json } from '../../shared/base/json.ts';
import type { Timers } from '../../shared/base/timers.ts';
import { clusterRequests } from '../../shared/clusters/request/kind.ts';
import { requestAnnotations, requestFinalizer } from '../../shared/clusters/request/marks.ts';
import type { StoredRequest } from '../../shared/clusters/store/contract.ts';
import { aRequest, requestServices, stored } from '../http/cluster-requests-world.ts';
import { type ClusterWorld, clusterWorld, mustBe, present } from './cluster-world.ts';
import { poolwright } from './collect.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-requests-'));
  vi.useFakeTimers({ toFake: ['Date'], now: present });
});
afterAll(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, ...documents: object[]): string {
  const file = join(folder, name);
  writeFileSync(file, documents.map((one) => JSON.stringify(one)).join('\n---\n'));
  return file;
}

const at = (seconds: number): string => new Date(present - 300_000 + seconds * 1000).toISOString();
const underWay = {
  observedGeneration: 1,
  stage: 'ManagedCluster' as const,
  stages: [
    { name: 'ResourceGroup' as const, state: 'Succeeded' as const, startedAt: at(0), finishedAt: at(4), seconds: 4 },
    {
      name: 'ManagedCluster' as const,
      state: 'Waiting' as const,
      startedAt: at(4),
      waitingFor: 'ManagedCluster/wéb-日本 to be Ready',
      code: 'QuotaExceeded',
      message: 'Operation could not be completed as it results in exceeding approved Total Regional Cores quota.',
    },
    { name: 'GitOps' as const, state: 'Pending' as const },
  ],
  conditions: [
    {
      type: 'Ready',
      status: 'False' as const,
      reason: 'Provisioning',
      message: 'The cluster is being made.',
      lastTransitionTime: at(0),
    },
  ],
};
const asReady = {
  ...underWay,
  stages: underWay.stages.map((one) => ({ name: one.name, state: 'Succeeded' as const, seconds: 4 })),
  conditions: [{ type: 'Ready', status: 'True' as const, reason: 'Ready', message: '', lastTransitionTime: at(0) }],
};

describe('in a management cluster', () => {
  let world: ClusterWorld;
  beforeEach(async () => {
    world = await clusterWorld();
  });
  afterEach(() => world.close());

  const run = (...words: string[]) => world.run('clusters', ...words);
  const read = async (name = 'web') => {
    const found = await world.api.get<StoredRequest>(clusterRequests, { name, namespace: 'default' });
    return found.ok ? found.value : undefined;
  };
  const setStatus = async (status: object, name = 'web') =>
    mustBe(
      await world.api.mergePatch(
        clusterRequests,
        { name, namespace: 'default' },
        { status: JSON.parse(JSON.stringify(status)) as Json },
        { subresource: 'status' },
      ),
    );

  test('create makes the object; again it is the same; another spec is refused with the fields', async () => {
    const file = write('web.yaml', aRequest('web', 'default'));
    const made = await run('create', '-f', file);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('default/web is created');
    expect((await read())?.spec).toEqual(aRequest().spec);
    expect((await run('create', '-f', file)).out).toContain('exists already, with the same spec');
    const other = await run('create', '-f', write('other.yaml', aRequest('web', 'default', { tier: 'Standard' })));
    expect(other).toMatchObject({ code: 1, out: '' });
    expect(other.err).toContain('Different: spec.tier');
    expect(other.err).toContain('poolwright errors ClusterRequestExists');
  });

  test('create takes the twelve parameters as options', async () => {
    const words = ['--cluster-name', 'Web_1', '--location', 'westeurope', '--enable-nap', 'true', '--max-cpu', '100'];
    const { code, err } = await run('create', ...words, '--kubernetes-version', '1.35');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect((await read('web-1'))?.spec).toEqual({
      clusterName: 'Web_1',
      location: 'westeurope',
      kubernetesVersion: '1.35',
      nodes: 'nap',
      nodePool: { limits: { cpu: '100' } },
    });
    const wrong = await run('create', '--cluster-name', 'x', '--enable-nap', 'perhaps');
    expect(wrong.err).toContain('--location is required');
    expect(wrong.err).toContain('--enable-nap must be true or false');
  });

  test('create goes on after one that is refused', async () => {
    const file = write(
      'two.yaml',
      aRequest('a', 'default', { nodePool: { type: 'standart' } }),
      aRequest('b', 'default'),
    );
    const { code, out, err } = await run('create', '-f', file);
    expect(code).toBe(1);
    expect(err).toContain('there is no pool type "standart"');
    expect(out).toContain('default/b is created');
    expect(await read('a')).toBeUndefined();
  });

  test('get lists requests, and shows one stage by stage within 80 columns', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default', { deleteGuard: true })));
    await setStatus(underWay);
    await expect((await run('get')).out).toMatchFileSnapshot('__snapshots__/clusters-get.txt');
    await expect((await run('get', 'web')).out).toMatchFileSnapshot('__snapshots__/clusters-get-one.txt');
    const narrow = requestLines({ cluster: 'c', request: (await read())! }, present, 80);
    expect(narrow.filter((line) => line.length > 80)).toEqual([]);
    expect(narrow.join('\n')).toContain('日本');
    const json = JSON.parse((await run('get', '-o', 'json')).out);
    expect(json.items).toMatchObject([{ name: 'web', ready: 'False', stage: 'ManagedCluster', guarded: true }]);
    expect(parse((await run('get', 'web', '-o', 'yaml')).out)).toMatchObject({ request: { kind: 'ClusterRequest' } });
    expect((await run('get', '-o', 'name')).out).toBe('clusterrequest/default/web\n');
  });

  test('get of a name that is not there says which is near', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default')));
    const { code, err } = await run('get', 'wep');
    expect(code).toBe(1);
    expect(err).toContain('did you mean "web"');
    expect(err).toContain('UnknownClusterRequest');
  });

  test('get -w says each change once in a line, and ends when the cluster is ready', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default')));
    await setStatus(underWay);
    const watching = world.begin('clusters', 'get', 'web', '-w');
    await watching.says('QuotaExceeded');
    await setStatus(asReady);
    const said = await watching.says(/GitOps {2}Succeeded[\s\S]*Ready/);
    expect(said.match(/ResourceGroup {2}Succeeded/g)).toHaveLength(1);
    expect((await watching.end()).code).toBe(0);
  });

  test('get -w ends when the request is gone', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default')));
    const watching = world.begin('clusters', 'get', 'web', '-w');
    await watching.says('default/web');
    mustBe(await world.api.delete(clusterRequests, { name: 'web', namespace: 'default' }, {}));
    await watching.says('is gone');
    expect((await watching.end()).code).toBe(0);
  });

  test('explain says code, cause and fix in the first three lines', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default')));
    await setStatus(underWay);
    const { out } = await run('explain', 'web');
    const [first = '', cause = '', fix = ''] = out.split('\n');
    expect(first).toContain('VcpuQuotaTooSmall at ManagedCluster');
    expect(cause).toMatch(/^cause {2}/);
    expect(fix).toMatch(/^fix {4}.*quota/i);
    expect(out).toContain('poolwright errors VcpuQuotaTooSmall');
    expect(JSON.parse((await run('explain', 'web', '--json')).out)).toMatchObject({
      diagnosis: { code: 'VcpuQuotaTooSmall', stage: 'ManagedCluster' },
    });
  });

  test('diff says so where the operator serves nothing, and never that nothing differs', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default')));
    const { code, out, err } = await run('diff', 'web');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('poolwright errors ApiVersionNotServed');
  });

  test('cancel and retry ask where they have to, and write what the host reads', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default')));
    expect((await run('cancel', 'web')).code).toBe(3);
    expect((await run('cancel', 'web', '--dry-run')).code).toBe(0);
    expect((await read())?.metadata.annotations).toBeUndefined();
    expect((await run('cancel', 'web', '-y')).out).toContain('is cancelled');
    expect((await read())?.metadata.annotations).toEqual({ [requestAnnotations.cancel]: 'true' });
    expect((await run('retry', 'web')).code).toBe(0);
    expect(Object.keys((await read())?.metadata.annotations ?? {})).toEqual([requestAnnotations.retry]);
    await setStatus(asReady);
    const pointless = await run('cancel', 'web', '-y');
    expect(pointless).toMatchObject({ code: 1, err: expect.stringContaining('NothingToCancel') });
  });

  test('delete asks, and respects the guard', async () => {
    await run('create', '-f', write('web.yaml', aRequest('web', 'default', { deleteGuard: true })));
    const { uid, resourceVersion } = (await read())!.metadata;
    const held = { metadata: { uid, resourceVersion, finalizers: [requestFinalizer] } } as unknown as Json;
    mustBe(await world.api.mergePatch(clusterRequests, { name: 'web', namespace: 'default' }, held));
    const guarded = await run('delete', 'web', '-y');
    expect(guarded).toMatchObject({ code: 1, err: expect.stringContaining('--guard keep') });
    expect((await run('delete', 'web', '--guard', 'keep')).code).toBe(3);
    expect((await read())?.metadata.deletionTimestamp).toBeUndefined();
    const deleted = await run('delete', 'web', '--guard', 'keep', '-y');
    expect(deleted.out).toContain('The cluster stays in Azure');
    expect((await read())?.metadata.deletionTimestamp).toBeDefined();
    await run('create', '-f', write('b.yaml', aRequest('b', 'default')));
    expect((await run('delete', 'b', '-y')).out).toContain('is gone; nothing was made for it');
    expect(await read('b')).toBeUndefined();
  });

  test('the same name in two namespaces is asked for', async () => {
    mustBe(
      await world.api.create(
        { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false },
        { metadata: { name: 'team-b' } },
      ),
    );
    await run(
      'create',
      '-f',
      write('web.yaml', aRequest('web', 'default'), aRequest('web', 'team-b', { resourceGroup: 'rg-b' })),
    );
    expect((await run('get', 'web')).err).toContain('Name the namespace with -n');
    expect((await run('get', 'web', '-n', 'team-b')).out).toContain('team-b/web');
    expect((await run('get', 'team-b/web')).out).toContain('team-b/web');
  });
});

/** Time passes as soon as a watch waits for it. */
const soon: Timers = {
  after: (_, callback) => {
    queueMicrotask(callback);
    return () => undefined;
  },
};

describe('through a host', () => {
  let world: HostWorld;
  beforeEach(async () => {
    world = await hostWorld({ timers: soon });
    Object.assign(world.services, { requests: requestServices(world.services, ['management']) });
  });
  afterEach(() => world.close());
  const place = () => world.services.requests?.places[0];
  const run = (...words: string[]) => world.run('clusters', ...words);

  test('a whole round: create, get, explain, cancel, retry, delete', async () => {
    const made = await run('create', '-f', write('web.yaml', aRequest('web', 'team-a')));
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('team-a/web is created in management');
    expect((await run('create', '-f', join(folder, 'web.yaml'))).out).toContain('exists already');
    expect((await run('get')).out).toContain('team-a');
    expect((await run('get', 'web')).out).toContain('team-a/web');
    expect((await run('explain', 'web')).out).toContain('the request has not been begun');
    expect((await run('cancel', 'web', '-y')).code).toBe(0);
    expect((await run('retry', 'web')).code).toBe(0);
    expect((await run()).out).toContain('Being built (poolwright clusters get):\n  team-a/web');
    expect((await run('delete', 'web', '-y')).out).toContain('is gone');
    expect((await run('get')).err).toContain('There are no cluster requests.');
  });

  test('diff names each field, and exits with 1', async () => {
    await stored(place(), aRequest('web', 'team-a'));
    const served = {
      ResourceGroup: ['v1api20200601'],
      ManagedCluster: ['v1api20250801'],
      UserAssignedIdentity: ['v1api20230131'],
    };
    Object.assign(place()!.driver, {
      served: async () => ({ ok: true, value: served }),
      observe: async ({ kind }: { kind: string }) => ({
        ok: true,
        value: kind === 'ResourceGroup' ? { spec: {}, status: { location: 'northeurope' } } : undefined,
      }),
    });
    const { code, out } = await run('diff', 'web');
    expect(code).toBe(1);
    expect(out).toMatch(/ResourceGroup\/rg-web +spec.location +westeurope +northeurope/);
    expect(out).toMatch(/ManagedCluster\/web +metadata +present +absent/);
    expect(out).toContain('not compared: NodePool/web-nodepool: no cluster is made here');
    expect(JSON.parse((await run('diff', 'web', '-o', 'json')).out)).toMatchObject({
      name: 'web',
      namespace: 'team-a',
    });
  });

  test('plan takes the price and the checks of the host', async () => {
    const prices = { currency: 'USD', sizes: { Standard_D4s_v5: { onDemand: 0.2 } }, tiers: {} };
    const finding = {
      severity: 'warning',
      field: 'spec.nodePool',
      code: 'VcpuQuotaTooSmall',
      cause: 'few',
      fix: 'ask',
    };
    Object.assign(place()!, {
      prices: async () => ({ ok: true, value: prices }),
      preflight: {
        asksAzure: true,
        check: async () => ({ ok: true, value: { findings: [finding], skipped: ['names: Azure is silent'] } }),
      },
    });
    const file = write('web.yaml', aRequest('web', 'team-a'));
    const plain = await run('plan', '-f', file);
    expect(plain.out).toContain('price  from 292.00 USD per month');
    expect(plain.out).not.toContain('VcpuQuotaTooSmall');
    const checked = await run('plan', '-f', file, '--check');
    expect(checked.out).toContain('VcpuQuotaTooSmall');
    expect(checked.out).toContain('not checked  names: Azure is silent');
    expect(await place()!.store.list()).toMatchObject({ value: { items: [] } });
  });

  test('get -w ends when the request is gone', async () => {
    const { metadata } = await stored(place(), aRequest('web', 'team-a'));
    const { store } = place()!;
    let reads = 0;
    // Each read of the watch is a look; after a few the request goes.
    const counting = {
      ...store,
      get: async (...args: Parameters<typeof store.get>) => {
        if (++reads === 5) await store.delete({ namespace: 'team-a', name: 'web' }, { uid: metadata.uid! });
        return store.get(...args);
      },
    };
    Object.assign(place()!, { store: counting });
    const { code, out } = await run('get', 'web', '-w');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('team-a/web  is gone') });
  });

  test('what a host without cluster requests says is passed on', async () => {
    Object.assign(world.services, { requests: undefined });
    const { code, err } = await run('get');
    expect(code).toBe(1);
    expect(err).toContain('carries out no cluster requests');
    expect(err).toContain('NoManagementCluster');
  });
});

test('without a host and without a cluster the command says what to do', async () => {
  const empty = join(folder, 'empty');
  const { code, err } = await poolwright('clusters', 'get', '-d', empty, '--kubeconfig', join(empty, 'none'));
  expect(code).toBe(1);
  expect(err).toContain('--kubeconfig');
});

describe('texts', () => {
  const request = { ...aRequest(), status: underWay } as unknown as StoredRequest;

  test('a line of a watch comes once', () => {
    const said = new Map<string, string>();
    const read = { cluster: 'c', request };
    expect(newLines(read, said)).toHaveLength(3);
    expect(newLines(read, said)).toEqual([]);
    const later = { ...underWay, conditions: asReady.conditions };
    expect(newLines({ cluster: 'c', request: { ...request, status: later } as StoredRequest }, said)).toEqual([
      'team-a/web  Ready',
    ]);
  });

  test('differences fit a narrow terminal, and control characters are shown', () => {
    const differences = [
      {
        object: 'ManagedCluster/web',
        field: 'spec.networkProfile.podCidr',
        wanted: 'x'.repeat(30),
        found: 'a\u001b[2J',
      },
    ];
    const text = diffText(
      'team-a/web',
      { differences, notCompared: [{ object: 'NodePool/w', why: 'y '.repeat(60) }] },
      80,
    );
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).toContain('\\u001b');
    expect(diffText('a/b', { differences: [], notCompared: [] }, 80)).toContain('Nothing differs');
  });

  test('an unknown price says why', () => {
    const unknown = {
      state: 'unknown',
      currency: 'USD',
      least: null,
      most: null,
      parts: [],
      reason: 'no list',
    } as const;
    expect(priceLines(unknown)).toEqual(['price  unknown: no list']);
    expect(priceLines({ ...unknown, state: 'known', least: 10, most: 20 })[0]).toContain(
      '10.00 USD to 20.00 USD per month',
    );
  });
});
