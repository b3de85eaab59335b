/** Virtual machines and their Providers at the command line, from a cluster alone. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import type { Resource } from '../../shared/kube/contract.ts';
import { machineApiVersion, machineKinds } from '../../shared/machines/api/kinds.ts';
import { type ClusterWorld, clusterWorld, present } from './cluster-world.ts';

let world: ClusterWorld;
beforeEach(async () => {
  world = await clusterWorld();
  vi.useFakeTimers({ now: present, toFake: ['Date'] });
  await add(machineKinds.provider, 'vsphere', provider, {
    connectedVMs: 2,
    runtime: { phase: 'Running' },
    conditions: [condition('False', 'ProviderUnreachable', 'connection refused')],
  });
  await add(machineKinds.virtualMachine, 'web', machine, {
    phase: 'Running',
    powerState: 'On',
    ips: ['10.0.0.5'],
    conditions: [condition('True', 'ReconcileSuccess', '')],
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

const provider = { type: 'vsphere', endpoint: 'https://vcenter.example.com', runtime: { image: 'x:1' } };
const machine = { providerRef: { name: 'vsphere' }, classRef: { name: 'small' }, imageRef: { name: 'ubuntu' } };
const condition = (status: string, reason: string, message: string) => ({
  type: 'Ready',
  status,
  reason,
  message,
  lastTransitionTime: '2026-03-04T05:05:00Z',
});

async function add(resource: Resource, name: string, spec: Json, status: Json): Promise<void> {
  const ref = { name, namespace: 'default' };
  const object = { apiVersion: machineApiVersion, kind: resource.kind, metadata: ref, spec };
  const made = await world.api.create(resource, object);
  if (!made.ok) throw new Error(made.error.message);
  const written = await world.api.mergePatch(resource, ref, { status }, { subresource: 'status' });
  if (!written.ok) throw new Error(written.error.message);
}

it('get vmproviders shows what each is, and why it is not ready', async () => {
  expect((await world.run('get', 'vmproviders')).out).toBe(
    'NAMESPACE   NAME      READY   PHASE     TYPE      VMS   ENDPOINT                      AGE   WHY\n' +
      'default     vsphere   False   Running   vsphere   2     https://vcenter.example.com   90s   ProviderUnreachable: connection refused\n',
  );
});

it('get vms shows where each runs', async () => {
  expect((await world.run('get', 'vms')).out).toMatch(
    /^default {5}web {3,}True {4}Running {3}vsphere {4}small {3}On /m,
  );
  const { out } = await world.run('get', 'vm', 'default/web', '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({ items: [{ name: 'web', ips: '10.0.0.5', why: null }] });
});

it('names are what kubectl accepts, and commands take them back', async () => {
  for (const [kind, name] of [
    ['vmproviders', 'provider.infra.virtrigaud.io/vsphere'],
    ['vms', 'virtualmachine.infra.virtrigaud.io/web'],
  ] as const) {
    expect((await world.run('get', kind, '-o', 'name')).out).toBe(`${name}\n`);
    expect(await world.run('get', name, '-o', 'name')).toMatchObject({ code: 0, out: `${name}\n` });
  }
});

it('a name that is not there is a failure', async () => {
  expect(await world.run('get', 'vmproviders', 'none')).toMatchObject({ code: 1 });
});
