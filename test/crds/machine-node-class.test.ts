/** MachineNodeClass on the simulated cluster API: what its definition lets through, and what it refuses with which words. */
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

const size = { name: 'medium', cpu: 4, memory: '16Gi' };
const least: Fields = { provider: 'lab', sizes: [size], image: { templateName: 'ubuntu' } };

async function create(more: Fields): Promise<{ code: number; text: string }> {
  const spec = Object.fromEntries(Object.entries({ ...least, ...more }).filter(([, value]) => value !== null));
  const answer = await client.request({
    method: 'POST',
    path: '/apis/poolwright.dev/v1alpha1/machinenodeclasses?dryRun=All',
    body: { apiVersion: 'poolwright.dev/v1alpha1', kind: 'MachineNodeClass', metadata: { name: 'one' }, spec },
    timeoutMs: 10_000,
  });
  if (!answer.ok) throw new Error(answer.message);
  return { code: answer.status, text: answer.text };
}

it.each<[string, Fields]>([
  ['no more than it needs', {}],
  ['a provider for each zone', { provider: null, zones: [{ name: 'a', provider: 'one' }] }],
  [
    'an image by its address',
    { image: { url: 'https://images.example/u.img', checksum: 'ff', checksumType: 'sha256' } },
  ],
  [
    'everything at once',
    {
      zones: [{ name: 'a', provider: 'one', placement: { cluster: 'c', host: 'h', datastore: 'd' } }, { name: 'b' }],
      sizes: [{ ...size, price: 0.1, gpu: { count: 2, type: 'l4' }, firmware: 'UEFI', extraConfig: { a: 'b' } }],
      networks: [{ name: 'lan', vlan: 12 }],
      disks: [{ name: 'root', sizeGiB: 40, type: 'thin' }],
      placement: { folder: 'f', resourcePool: 'r' },
      userData: '#cloud-config\n',
      userDataSettings: { template: false },
      tags: { team: 'a' },
      kubelet: { maxPods: 50 },
    },
  ],
])('takes a class with %s', async (_, fields) => {
  const { code, text } = await create(fields);
  expect(code, text).toBe(201);
});

it.each<[string, Fields, string]>([
  ['no provider', { provider: null }, 'name a provider server'],
  ['a zone without a provider', { provider: null, zones: [{ name: 'a' }] }, 'name a provider server'],
  ['no size', { sizes: [] }, 'sizes'],
  ['two sizes of one name', { sizes: [size, size] }, 'Duplicate value'],
  ['two networks of one name', { networks: [{ name: 'lan' }, { name: 'lan' }] }, 'Duplicate value'],
  ['an image without a source', { image: { format: 'qcow2' } }, 'image has no source'],
  ['a name with capital letters', { sizes: [{ ...size, name: 'Medium' }] }, 'sizes[0].name'],
  ['a memory that is no amount', { sizes: [{ ...size, memory: 'much' }] }, 'sizes[0].memory'],
  ['a tag of ours', { tags: { 'poolwright.dev/claim': 'x' } }, 'identify the owner'],
])('refuses a class with %s', async (_, fields, says) => {
  const { code, text } = await create(fields);
  expect(code).toBe(422);
  expect(text).toContain(says);
});
