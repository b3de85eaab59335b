/** CloudStackNodeClass on the simulated cluster API: what its definition lets through, and what it refuses with which words. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { createHttpClient } from '../../shared/net/http-client.ts';
import { type ClusterApi, startClusterApi } from '../../sim/cluster/server.ts';

let api: ClusterApi;
let client: ReturnType<typeof createHttpClient>;
beforeAll(async () => {
  api = await startClusterApi({ file: ':memory:', port: 0 });
  client = createHttpClient({ baseUrl: api.url, userAgent: 'poolwright-tests' });
});
afterAll(async () => {
  client.close();
  await api.close();
});

type Fields = { [field: string]: Json };

const least: Fields = {
  zone: 'zone-01',
  networkSelectorTerms: [{ name: 'n' }],
  serviceOfferingSelectorTerms: [{ id: 'o' }],
  templateSelectorTerms: [{ tags: { os: '*' } }],
};

async function create(more: Fields): Promise<{ code: number; text: string; body: Json | undefined }> {
  const spec = Object.fromEntries(Object.entries({ ...least, ...more }).filter(([, value]) => value !== null));
  const answer = await client.request({
    method: 'POST',
    path: '/apis/karpenter.k8s.cloudstack/v1/cloudstacknodeclasses?dryRun=All',
    body: { apiVersion: 'karpenter.k8s.cloudstack/v1', kind: 'CloudStackNodeClass', metadata: { name: 'one' }, spec },
    timeoutMs: 10_000,
  });
  if (!answer.ok) throw new Error(answer.message);
  return { code: answer.status, text: answer.text, body: answer.json() };
}

it.each<[string, Fields]>([
  ['no more than it needs', {}],
  ['several zones', { zone: null, zones: ['a', 'b'] }],
  ['an operating system alone', { templateSelectorTerms: [{ osType: 'Ubuntu 22.04' }] }],
  [
    'everything at once',
    {
      spotOfferingSelectorTerms: [{ tags: { spot: '*' } }],
      userData: '#cloud-config\n',
      userDataSettings: { template: false, compress: 'Never' },
      tags: { team: 'platform', größe: '✓' },
      details: [{ cpuNumber: 4, memory: 8192, cpuSpeed: 2000 }],
      rootDiskSize: 50,
      diskOffering: 'Small',
      dataVolumes: [{ diskOffering: 'Custom', size: 100, minIops: 100, maxIops: 1000 }],
      sshKeyPair: 'my-keypair',
      affinity: { perPool: 'non-strict host anti-affinity', groups: ['g'] },
      securityGroups: ['default'],
      boot: { type: 'UEFI', mode: 'Secure' },
      staticAddresses: [{ network: 'n', addresses: ['10.1.0.20-10.1.0.59'] }],
      extraConfig: 'x',
      lease: { days: 7, expiryAction: 'STOP' },
      kubelet: { maxPods: 30, kubeReserved: { cpu: '100m' }, evictionHard: { 'memory.available': '5%' } },
    },
  ],
])('is stored with %s', async (_name, more) => {
  const answer = await create(more);
  expect(answer.code, answer.text).toBe(201);
  const spec = Object.fromEntries(Object.entries({ ...least, ...more }).filter(([, value]) => value !== null));
  expect(answer.body).toMatchObject({ spec });
});

it.each<[string, Fields, string]>([
  ['no zone', { zone: null }, 'set either zone or zones'],
  ['both of them', { zones: ['a'] }, 'set either zone or zones'],
  ['no networks', { networkSelectorTerms: [] }, 'networkSelectorTerms'],
  ['a term of nothing', { templateSelectorTerms: [{}] }, 'each term of templateSelectorTerms needs one of'],
  ['an empty tag', { serviceOfferingSelectorTerms: [{ tags: { a: '' } }] }, 'may be empty'],
  ['a tag of ours', { tags: { 'karpenter.sh/nodepool': 'x' } }, 'identify the owner of an instance'],
  ['a tag without a value', { tags: { team: '' } }, 'values of tags must not be empty'],
  ['a tag with our prefix', { tags: { 'poolwright.dev/claim-uid': 'x' } }, 'identify the owner of an instance'],
  ['a disk of nothing', { rootDiskSize: 0 }, 'rootDiskSize'],
  ['secure boot without UEFI', { boot: { type: 'BIOS', mode: 'Secure' } }, 'boot.mode Secure needs boot.type UEFI'],
  ['a type of group that CloudStack has not', { affinity: { perPool: 'spread' } }, 'affinity'],
])('is refused with %s', async (_name, more, says) => {
  const answer = await create(more);
  expect([400, 422]).toContain(answer.code);
  expect(answer.text).toContain(says);
});
