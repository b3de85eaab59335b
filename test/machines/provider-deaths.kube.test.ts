/** The process dies right before or right after each thing that it asks of the cluster; the next round leaves one of everything. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterApi, deployments, type KubeObject, secrets } from '../../shared/kube/contract.ts';
import { useOwnKube } from '../kube/own-kube.ts';
import { type ProviderWorld, providerWorld } from './provider-world.ts';

const kube = useOwnKube();
let api: ClusterApi;
let world: ProviderWorld;
let left = Number.POSITIVE_INFINITY;
let asks = 0;
let when: 'before' | 'after' = 'before';

beforeAll(async () => {
  api = kube().connect();
  await kube().apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poolwright' } });
  world = await providerWorld(kube(), 'team', mortal(api));
});
afterAll(async () => {
  await world?.close();
  api?.close();
});

/** Whatever is asked of it after its death fails. */
function mortal(living: ClusterApi): ClusterApi {
  return new Proxy(living, {
    get: (target, name, receiver) => {
      const method = Reflect.get(target, name, receiver) as unknown;
      if (typeof method !== 'function') return method;
      return async (...values: unknown[]) => {
        asks += 1;
        left -= 1;
        if (left < 0 || (left === 0 && when === 'before')) throw new Error('the process died');
        const answer: unknown = await Reflect.apply(method, target, values);
        if (left === 0) throw new Error('the process died');
        return answer;
      };
    },
  });
}

const live = (calls = Number.POSITIVE_INFINITY): void => {
  left = calls;
};

async function owned(resource: typeof deployments, name: string): Promise<KubeObject[]> {
  const labelSelector = `app.kubernetes.io/instance=${name}`;
  const listed = await world.admin.list<KubeObject>(resource, { namespace: 'team', labelSelector });
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value.items;
}

it('dies at every step of a first round', async () => {
  await world.apply('whole', {});
  asks = 0;
  await world.round();
  const steps = asks;
  expect(steps).toBeGreaterThan(12);
  for (const mode of ['before', 'after'] as const) {
    for (let step = 1; step <= steps; step++) {
      const name = `${mode}-${step}`;
      // One Provider at a time: what others ask would be counted too.
      await removeAll();
      await world.apply(name, {});
      [when] = [mode];
      live(step);
      await world.round().catch(() => undefined);
      live();
      await world.round();
      await world.round();
      expect(await owned(deployments, name), name).toHaveLength(1);
      expect(await owned(secrets, name), name).toHaveLength(1);
      expect(await world.condition(name, 'TLSConfigured'), name).toBe('True CertificatesIssued');
      expect(await world.condition(name, 'Ready'), name).toBe('False DeploymentProgressing');
    }
  }
});

async function removeAll(): Promise<void> {
  const path = '/apis/infra.virtrigaud.io/v1beta1/namespaces/team/providers';
  const { body } = await kube().request('GET', path);
  for (const { metadata } of body.items) await kube().request('DELETE', `${path}/${metadata.name}`);
  await world.round();
  const { body: after } = await kube().request('GET', path);
  expect(after.items).toEqual([]);
}
