/** One owner, on a real API server: its Leases, its versions and its managed fields. */
import { describe, expect, it } from 'vitest';
import { type KubeObject, leases, nodeClaims } from '../../shared/kube/contract.ts';
import type { LeaseObject } from '../../shared/ownership/lease.ts';
import { isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';
import { freshName } from './use-kube.ts';

const kube = useOwnKube();
const leaseSeconds = 10;

describe('two installations and one cluster', () => {
  it('leave it to the first; the second says who acts, and takes over when the first is gone', async () => {
    const first = await startHostWorld(kube(), { leaseSeconds });
    const second = await startHostWorld(kube(), { leaseSeconds, leaseName: first.leaseName });
    const acting = await first.startHost();
    await first.until(() => first.log.lines.some(({ event }) => event === 'owner.acts'));
    const standingBy = await second.startHost();
    await second.until(() => second.log.lines.some(({ event }) => event === 'owner.read-only'));
    const said = second.log.lines.find(({ event }) => event === 'owner.read-only');
    expect(said?.fields).toMatchObject({ reason: 'NotOwner', who: expect.stringMatching(/^local\//) });
    // To stand by is no fault.
    expect((await fetch(`${standingBy.url}/readyz`)).status).toBe(200);

    const name = freshName('owned');
    await first.createClaim(name);
    await first.until(async () => isTrue(await first.claim(name), 'Ready'));
    expect([first.cloud.living, second.cloud.living]).toEqual([1, 0]);
    await first.api.delete(nodeClaims, { name }, {});
    await first.until(async () => (await first.claim(name)) === undefined);

    await acting.stop();
    const next = freshName('next');
    await second.createClaim(next);
    await second.until(async () => isTrue(await second.claim(next), 'Ready'));
    const lease = await second.api.get<LeaseObject>(leases, { namespace: 'kube-system', name: first.leaseName });
    expect(lease).toMatchObject({ value: { spec: { leaseTransitions: 1, leaseDurationSeconds: leaseSeconds } } });
    await second.api.delete(nodeClaims, { name: next }, {});
    await second.until(async () => (await second.claim(next)) === undefined);
  });
});

describe('another provisioner', () => {
  it('that writes the status of our claims makes us stop and say who it is', async () => {
    const world = await startHostWorld(kube(), { leaseSeconds });
    const host = await world.startHost();
    await world.until(() => world.log.lines.some(({ event }) => event === 'owner.acts'));
    const name = freshName('fought-over');
    await world.createClaim(name);
    await world.until(async () => isTrue(await world.claim(name), 'Ready'));
    const rival = kube().connect({ fieldManager: 'karpenter' });
    const written = await rival.mergePatch<KubeObject>(
      nodeClaims,
      { name },
      { status: { imageID: 'theirs' } },
      { subresource: 'status' },
    );
    rival.close();
    expect(written.ok).toBe(true);
    await world.until(() => world.log.lines.some(({ fields }) => fields.reason === 'RivalProvisioner'));
    expect((await fetch(`${host.url}/readyz`)).status).toBe(503);
    const said = world.log.lines.find(({ fields }) => fields.reason === 'RivalProvisioner');
    expect(said?.fields.why).toContain(`karpenter, which writes the status of NodeClaim ${name}`);
    const other = freshName('not-bought');
    await world.createClaim(other);
    expect(world.cloud.living).toBe(1);
    for (const one of [name, other]) {
      await world.api.mergePatch(nodeClaims, { name: one }, { metadata: { finalizers: null } });
      await world.api.delete(nodeClaims, { name: one }, {});
    }
  });
});
