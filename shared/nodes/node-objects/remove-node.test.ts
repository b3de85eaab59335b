import { expect, it } from 'vitest';
import { ok } from '../../base/result.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import type { Provider } from '../../providers/contract.ts';
import type { ClusterServices } from '../steps/services.ts';
import { removeNode } from './remove-node.ts';

const { signal } = new AbortController();

/** A server with one Node, which deletes only what has the uid that was asked for. */
function clusterWith(node: { uid: string; providerID: string }) {
  const left = [node];
  const api: Partial<ClusterApi> = {
    get: (async () => {
      const [one] = left;
      if (!one) return { ok: false, error: { kind: 'not-found', message: 'gone' } };
      return ok({ metadata: { name: 'n', uid: one.uid }, spec: { providerID: one.providerID } });
    }) as ClusterApi['get'],
    delete: (async (_kind, _ref, { uid }) => {
      if (left[0]?.uid !== uid) return { ok: false, error: { kind: 'conflict', message: 'another uid' } };
      left.pop();
      return ok(undefined);
    }) as ClusterApi['delete'],
  };
  return { left, cluster: { api, providers: [] as readonly Provider[] } as ClusterServices };
}

const seen = { name: 'n', uid: 'old', finalizers: [], deleting: false };

it('a Node that its kubelet has made anew since it was seen goes too', async () => {
  const { left, cluster } = clusterWith({ uid: 'new', providerID: 'machine' });
  expect(await removeNode(cluster, 'n', 'machine', signal, seen)).toEqual(ok(true));
  expect(left).toEqual([]);
});

it('a namesake with another machine stays', async () => {
  const { left, cluster } = clusterWith({ uid: 'new', providerID: 'other' });
  expect(await removeNode(cluster, 'n', 'machine', signal, seen)).toEqual(ok(false));
  expect(left).toHaveLength(1);
});
