/** Whole lives of virtual machines on a real API server, with exactly the rights of the list. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { usualRights } from '../../scripts/generate/rbac.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { rightsOf } from '../../shared/kube/rights.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { checkRights } from '../../shared/ownership/check-rights.ts';
import { applyRights } from '../kube/accounts.ts';
import { useOwnKube } from '../kube/own-kube.ts';
import { upstreamDefinitions, upstreamIsThere, whereUpstreamIs } from './upstream-definitions.ts';
import { isGone, isReady, type MachineWorld, machineWorld } from './world.ts';

describe('virtual machines under our definitions', () => suite(false));
describe.skipIf(!upstreamIsThere)(`virtual machines under VirtRigaud's definitions ${whereUpstreamIs}`, () =>
  suite(true),
);

const account = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'poolwright-host', namespace: 'poolwright' },
};

function suite(upstream: boolean): void {
  const kube = useOwnKube();
  let api: ClusterApi;
  let admin: ClusterApi;
  let world: MachineWorld;

  beforeAll(async () => {
    if (upstream) {
      for (const crd of upstreamDefinitions()) {
        const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
        await kube().request('DELETE', path);
        await vi.waitFor(async () => expect((await kube().request('GET', path)).code).toBe(404), { timeout: 30_000 });
        await kube().apply(crd as never);
      }
    }
    await kube().apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poolwright' } }, account);
    await applyRights(kube(), 'machines', usualRights);
    const token = await kube().tokenFor({ namespace: 'poolwright', name: 'poolwright-host' });
    api = kube().connect({ token });
    admin = kube().connect();
    await vi.waitFor(async () => expect(await checkRights(api, rightsOf(usualRights).machines)).toEqual([]), {
      timeout: 30_000,
    });
    world = await machineWorld({ api, admin, providerType: upstream ? 'libvirt' : 'mock' });
  });
  afterAll(async () => {
    await world?.close();
    api?.close();
    admin?.close();
  });

  it('a machine comes to Ready, is changed, vanishes and comes back, and is gone with its object', async () => {
    await world.create({ disks: [{ name: 'data', sizeGiB: 10 }], networks: [{ name: 'front' }] });
    await world.until(isReady(world));
    await world.change({ powerState: 'OffGraceful' });
    await world.until(isReady(world));
    await world.change({ powerState: 'On', resources: { cpu: 4 } });
    await world.until(isReady(world));
    const [first] = await world.machines();
    expect(first).toMatchObject({ power: 'On', cpu: 4 });
    expect((await world.get())?.status).toMatchObject({
      phase: 'Running',
      id: first!.id,
      currentResources: { cpu: 4 },
    });

    await world.hypervisor.delete(first!.id, new AbortController().signal);
    await world.until(async () => (await world.ready()) === 'False MachineVanished');
    await world.until(isReady(world), 1200);
    expect(await world.machines()).toHaveLength(1);

    await world.delete();
    await world.until(isGone(world));
    expect(await world.machines()).toEqual([]);
  });

  it('machines that exist are adopted', async () => {
    const before = (await world.machines()).length;
    const metadata = { annotations: { 'virtrigaud.io/adopt-vms': 'true' } };
    await world.patch(machineKinds.provider, 'hall', { metadata });
    const adopted = async () =>
      (await kube().request('GET', '/apis/infra.virtrigaud.io/v1beta1/virtualmachines')).body.items as {
        metadata: { name: string };
      }[];
    await world.until(async () => (await adopted()).length === 3);
    for (const one of await adopted()) await world.until(isReady(world, one.metadata.name));
    expect(await world.machines()).toHaveLength(before);
  });

  it('an image is prepared once', async () => {
    await world.make(machineKinds.image, 'remote', { source: { http: { url: 'https://example.com/a.qcow2' } } });
    await world.create({ imageRef: { name: 'remote' } }, 'from-image');
    await world.until(isReady(world, 'from-image'));
    const image = await world.admin.get(machineKinds.image, { namespace: 'team-a', name: 'remote' });
    expect(image).toMatchObject({ value: { status: { ready: true, phase: 'Ready' } } });
  });
}
