import { describe, expect, test } from 'vitest';
import { aCreateRequest, plainFacts } from '../../../../test/stand-ins/provider-context.ts';
import { describeProblems } from '../../../base/problems.ts';
import type { CreateRequest } from '../../contract.ts';
import type { PoolWish } from '../agent-pools.ts';
import { type PoolClass, wishFor } from './wish.ts';

const aks = { osDisk: true };

/** A claim as KAITO makes it. */
const request = (claim: Partial<CreateRequest['claim']> = {}, more: Partial<CreateRequest> = {}): CreateRequest =>
  aCreateRequest({
    claimName: 'ws1234567890',
    claim: {
      ...plainFacts,
      createdAt: Date.parse('2026-11-16T10:30:05Z'),
      labels: { 'kaito.sh/workspace': 'phi', 'karpenter.sh/nodepool': 'kaito' },
      taints: [{ key: 'sku', value: 'gpu', effect: 'NoSchedule' }],
      requests: { storage: '120Gi' },
      ...claim,
    },
    offering: { instanceType: 'Standard_NC12s_v3', zone: '', capacityType: 'on-demand' },
    ...more,
  });

function wish(from: CreateRequest, poolClass: PoolClass = { tags: {} }, abilities = aks): PoolWish {
  const mapped = wishFor(from, poolClass, abilities);
  if (!mapped.ok) expect.fail(describeProblems(mapped.problems));
  return mapped.value.wish;
}

function problem(from: CreateRequest, poolClass: PoolClass = { tags: {} }): string {
  const mapped = wishFor(from, poolClass, aks);
  if (mapped.ok) expect.fail('it should have been refused');
  return describeProblems(mapped.problems);
}

describe('a claim of gpu-provisioner', () => {
  test('becomes the pool that gpu-provisioner would make, with the owner beside it', () => {
    expect(wish(request())).toEqual({
      vmSize: 'Standard_NC12s_v3',
      labels: {
        'karpenter.sh/nodepool': 'kaito',
        'kaito.sh/workspace': 'phi',
        'kaito.sh/machine-type': 'gpu',
        'kaito.sh/creation-timestamp': '2026-11-16T10-30-05Z',
        'poolwright.dev/claim-uid': 'claim-uid',
        'poolwright.dev/attempt': '1',
      },
      taints: ['sku=gpu:NoSchedule'],
      initializationTaints: [],
      tags: {
        'poolwright-deployment': 'main',
        'poolwright-cluster': 'c-uid',
        'poolwright-claim-uid': 'claim-uid',
        'poolwright-claim': 'ws1234567890',
        'poolwright-attempt': '1',
      },
      spot: false,
      zone: '',
      osDiskSizeGB: 120,
      osSku: 'Ubuntu',
    });
  });

  test.each([
    ['kaito when the claim names none', {}, 'kaito'],
    ["the claim's own when it names one", { 'karpenter.sh/nodepool': 'mine' }, 'mine'],
  ])('has the node pool %s', (_, labels, expected) => {
    expect(wish(request({ labels })).labels['karpenter.sh/nodepool']).toBe(expected);
  });

  test.each([
    ['Standard_NV36ads_A10_v5', 'gpu'],
    ['Standard_D4s_v5', 'cpu'],
    ['standard_nc6', 'cpu'],
  ])('calls %s a %s machine', (instanceType, expected) => {
    const offering = { instanceType, zone: '', capacityType: 'on-demand' } as const;
    expect(wish(request({}, { offering })).labels['kaito.sh/machine-type']).toBe(expected);
  });

  test('writes a taint without a value with its equals sign', () => {
    const taints = [{ key: 'dedicated', effect: 'NoExecute' } as const];
    expect(wish(request({ taints })).taints).toEqual(['dedicated=:NoExecute']);
  });

  test('leaves startup taints to the registration, because Azure would put them back for ever', () => {
    const startupTaints = [{ key: 'agent.example/not-ready', effect: 'NoExecute' } as const];
    expect(wish(request({ startupTaints }))).toMatchObject({
      taints: ['sku=gpu:NoSchedule'],
      initializationTaints: [],
    });
  });

  test.each([
    ['120Gi', 120],
    ['30Gi', 30],
    ['127.9Gi', 127],
    ['128G', 119],
    ['2048Gi', 2048],
  ])('makes of %s of storage a disk of %i GiB', (storage, expected) => {
    expect(wish(request({ requests: { storage } })).osDiskSizeGB).toBe(expected);
  });

  test.each([
    [{}, 'the storage request is missing and should be more than 0'],
    [{ storage: '0' }, 'the storage request "0" should be more than 0'],
    [{ storage: '-5Gi' }, 'should be more than 0'],
    [{ storage: '10Gi' }, '"10Gi" is 10 GiB, but Azure has no OS disk of that size'],
    [{ storage: '3Ti' }, '"3Ti" is 3072 GiB, but Azure has no OS disk of that size'],
    [{ storage: 'much' }, '"much" is not a quantity'],
  ])('refuses the requests %j by the field, and says what to do', (requests, expected) => {
    const said = problem(request({ requests }));

    expect(said).toContain('spec.resources.requests.storage: ');
    expect(said).toContain(expected);
  });

  test.each([
    ['AzureLinux', 'AzureLinux', undefined],
    ['azurelinux', 'AzureLinux', undefined],
    ['UBUNTU', 'Ubuntu', undefined],
    ['ubuntu2204', 'Ubuntu', 'ubuntu2204'],
    ['constructor', 'Ubuntu', 'constructor'],
  ])('reads the image family %s as %s', (family, osSku, warning) => {
    const mapped = wishFor(request({ annotations: { 'kaito.sh/node-image-family': family } }), { tags: {} }, aks);

    expect(mapped).toMatchObject({ ok: true, value: { wish: { osSku } } });
    expect(mapped.ok && mapped.value.warning).toBe(warning);
  });
});

describe('beyond gpu-provisioner', () => {
  test('the node class says what the claim does not', () => {
    const poolClass: PoolClass = {
      osSku: 'AzureLinux',
      osDiskSizeGB: 256,
      maxPods: 50,
      subnetId: '/subscriptions/s/subnet',
      tags: { team: 'web' },
      fips: true,
      gpuDriver: 'None',
      kubelet: { podMaxPids: 100 },
    };

    expect(wish(request({ requests: {} }), poolClass)).toMatchObject({
      osSku: 'AzureLinux',
      osDiskSizeGB: 256,
      maxPods: 50,
      subnetId: '/subscriptions/s/subnet',
      fips: true,
      gpuDriver: 'None',
      kubelet: { podMaxPids: 100 },
      tags: { team: 'web', 'poolwright-claim': 'ws1234567890' },
    });
  });

  test("the claim's disk and image win over those of the node class", () => {
    const claim = { annotations: { 'kaito.sh/node-image-family': 'ubuntu' } };
    const from = wish(request(claim), { osSku: 'AzureLinux', osDiskSizeGB: 256, tags: {} });

    expect(from).toMatchObject({ osSku: 'Ubuntu', osDiskSizeGB: 120 });
  });

  test('nothing that a node class says hides whose a pool is', () => {
    const from = wish(request(), { tags: { 'poolwright-claim-uid': 'another' } });

    expect(from.tags['poolwright-claim-uid']).toBe('claim-uid');
  });

  test.each([
    ['eastus-1', '1'],
    ['2', '2'],
    ['', ''],
  ])('zone %j is zone %j of the API', (zone, expected) => {
    const offering = { instanceType: 'Standard_D4s_v5', zone, capacityType: 'on-demand' } as const;
    expect(wish(request({}, { offering })).zone).toBe(expected);
  });

  test('refuses what is not an Azure zone', () => {
    const offering = { instanceType: 'Standard_D4s_v5', zone: 'zone-a', capacityType: 'on-demand' } as const;
    expect(problem(request({}, { offering }))).toContain('zone-a is not an Azure zone');
  });

  test('leaves the mark of spot pools to AKS, which takes it from nobody else', () => {
    const mark = { key: 'kubernetes.azure.com/scalesetpriority', value: 'spot', effect: 'NoSchedule' } as const;
    const labels = { 'kubernetes.azure.com/scalesetpriority': 'spot', team: 'web' };
    const offering = { instanceType: 'Standard_D4s_v5', zone: '', capacityType: 'spot' } as const;

    const from = wish(request({ taints: [mark], labels }, { offering }));

    expect(from).toMatchObject({ spot: true, taints: [] });
    expect(from.labels).not.toHaveProperty('kubernetes.azure.com/scalesetpriority');
    expect(from.labels).toHaveProperty('team', 'web');
  });

  test('leaves out labels that no kubelet may give itself, and what an earlier attempt wrote about its machine', () => {
    const labels = {
      team: 'web',
      'node.kubernetes.io/role': 'x',
      'node.kubernetes.io/instance-type': 'Standard_NC6',
      'topology.kubernetes.io/zone': 'eastus-1',
      'karpenter.sh/capacity-type': 'spot',
      'kubernetes.io/arch': 'amd64',
      'node-role.kubernetes.io/gpu': '',
      'kubernetes.azure.com/mode': 'user',
      'karpenter.azure.com/aksnodeclass': 'default',
    };

    const { labels: made } = wish(request({ labels }));

    expect(Object.keys(made).sort()).toEqual([
      'kaito.sh/creation-timestamp',
      'kaito.sh/machine-type',
      'karpenter.sh/nodepool',
      'node.kubernetes.io/role',
      'poolwright.dev/attempt',
      'poolwright.dev/claim-uid',
      'team',
    ]);
  });

  test('on Arc neither disk nor image of the claim are sent, because the API has no field for them', () => {
    const from = wish(
      request({ annotations: { 'kaito.sh/node-image-family': 'ubuntu' } }),
      { tags: {} },
      { osDisk: false },
    );

    expect(from).not.toHaveProperty('osDiskSizeGB');
    expect(from).not.toHaveProperty('osSku');
  });
});
