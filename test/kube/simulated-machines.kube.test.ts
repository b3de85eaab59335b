/** Simulated machines talk to a real cluster by any way in that the product has. */
import { expect, test } from 'vitest';
import { clusterNodeApi } from '../../sim/cloud/node-api.ts';
import { freshName, useKube } from './use-kube.ts';

const kube = useKube();

test('a kubelet makes its Node once, changes it, and sees when it is gone', async () => {
  const api = clusterNodeApi(kube.connect({ fieldManager: 'sim-kubelet' }));
  const name = freshName('machine');
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID: `sim:///zone-a/${name}` } };
  try {
    expect(await api.getNode(name)).toEqual({ answer: 'missing' });
    expect((await api.createNode(node)).answer).toBe('ok');
    expect((await api.createNode(node)).answer).toBe('conflict');
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' };
    expect((await api.patchNode(name, { status: { conditions: [ready] } }, 'status')).answer).toBe('ok');
    expect((await api.patchNode(name, { metadata: { resourceVersion: '1' } })).answer).toBe('conflict');
    expect(await api.getNode(name)).toMatchObject({ object: { status: { conditions: [{ type: 'Ready' }] } } });
    expect((await api.deleteNode(name)).answer).toBe('ok');
    expect(await api.deleteNode(name)).toEqual({ answer: 'missing' });
  } finally {
    api.close?.();
  }
});
