/** The host as a whole looks after Providers where its configuration says so, and nowhere else. */
import { expect, it } from 'vitest';
import { usualRights } from '../../scripts/generate/rbac.ts';
import { deployments, type KubeObject } from '../../shared/kube/contract.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import type { ProviderObject } from '../../shared/machines/runtime/object.ts';
import { applyRights } from '../kube/accounts.ts';
import { startHostWorld } from '../kube/host-world.ts';
import { useOwnKube } from '../kube/own-kube.ts';

const kube = useOwnKube();
const ref = { name: 'virtrigaud-provider-one', namespace: 'default' };

it('leaves Providers alone without machineProviders, and runs them with it', async () => {
  await applyRights(kube(), 'providers', usualRights);
  await kube().apply({
    apiVersion: 'infra.virtrigaud.io/v1beta1',
    kind: 'Provider',
    metadata: { name: 'one', namespace: 'default' },
    spec: { type: 'mock', endpoint: 'mock://one', runtime: { image: 'poolwright:1' } },
  });
  const without = await startHostWorld(kube());
  const host = await without.startHost();
  await without.until(() => without.log.lines.some(({ event }) => event === 'owner.acts'));
  await without.until(async () => (await fetch(`${host.url}/readyz`)).status === 200);
  expect(await without.api.get<KubeObject>(deployments, ref)).toMatchObject({ ok: false });
  await host.stop();

  const world = await startHostWorld(kube(), { cluster: { machineProviders: { everySeconds: 1 } } });
  await world.startHost();
  await world.until(async () => (await world.api.get<KubeObject>(deployments, ref)).ok);
  const status = async () => {
    const got = await world.api.get<ProviderObject>(machineKinds.provider, { name: 'one', namespace: 'default' });
    return got.ok ? got.value.status : undefined;
  };
  await world.until(async () => (await status())?.runtime?.phase === 'Starting');
  expect(world.log.lines.filter(({ event }) => event === 'provider.undecided')).toEqual([]);
});
