/** Whose a pool is: ours, somebody else's, or one that gpu-provisioner left to us. */

import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeleteTarget } from '../../../../shared/providers/contract.ts';
import { instanceIdOf } from '../../../../shared/providers/instance-id.ts';
import { type AzureHarness, type AzureWorldOptions, startAzureHarness } from '../azure-harness.ts';
import {
  aKey,
  anOwner,
  aRequest,
  created,
  failure,
  foundOf,
  patience,
  untilCreated,
  untilDeleted,
  value,
} from '../requests.ts';

describe.each(['aks', 'arc'] as const)('pools of %s', (kind) => {
  const start = async (options: AzureWorldOptions = {}): Promise<AzureHarness> => {
    const harness = await startAzureHarness(kind, options);
    onTestFinished(() => harness.close());
    return harness;
  };
  const writes = ({ azure }: AzureHarness) => {
    const { 'pools.put': puts = 0, 'pools.delete': deletes = 0 } = azure.calls() as Record<string, number>;
    return puts + deletes;
  };

  describe('of somebody else under the same name', () => {
    test('are never changed: neither by a create, nor by its repetition, nor by a delete', async () => {
      const harness = await start();
      const request = aRequest(harness);
      await harness.makeForeign(request.name);
      const before = JSON.stringify(harness.azure.ledger());

      for (const provider of [harness.provider, harness.anotherProvider()]) {
        const refused = failure(await provider.beginCreate(request, patience()), 'conflict');
        expect(refused.message).toContain(request.name);
        expect(refused.message).toContain('not owned by this deployment');
        failure(await provider.beginDelete({ id: request.name, owner: request.owner }, patience()), 'invalid');
      }
      await harness.advance(3600);

      expect(JSON.stringify(harness.azure.ledger())).toBe(before);
    });

    test('stop a create whose claim was deleted and made again, until the first one is gone', async () => {
      const harness = await start();
      const first = await created(harness);
      const request = { ...aRequest(harness, { claimUid: 'c1a1-0009' }), name: first.name };

      const refused = failure(await harness.provider.beginCreate(request, patience()), 'conflict');
      expect(refused.message).toContain(anOwner().claimUid);
      await untilDeleted(harness, first);

      const begun = value(await harness.provider.beginCreate(request, patience()));
      expect((await untilCreated(harness, begun)).instance.owner.claimUid).toBe('c1a1-0009');
    });
  });

  describe('that gpu-provisioner made', () => {
    /** Under a name that fits, as all of its claims have. */
    const claimName = 'ws123abc';
    const key = { ...aKey(), claimName };
    const gpuLabels = {
      'karpenter.sh/nodepool': 'kaito',
      'kaito.sh/workspace': 'phi',
      'kaito.sh/machine-type': 'gpu',
      'kaito.sh/creation-timestamp': '2026-11-01T00-00-00Z',
    };
    const left = async (labels: Record<string, string> = gpuLabels): Promise<AzureHarness> => {
      const harness = await start();
      const vmSize = harness.offering.instanceType;
      harness.azure.makeForeignPool(claimName, { body: { properties: { vmSize, nodeLabels: labels } } });
      await harness.azure.settle();
      return harness;
    };
    const target: DeleteTarget = { id: claimName, owner: anOwner(), claimName, createdAt: aKey().createdAt ?? 0 };

    test('are found and gone on with, and nothing is written to them', async () => {
      const harness = await left();

      const [found] = value(await harness.provider.find(key, patience()));
      const request = { ...aRequest(harness), claimName, name: claimName };
      const begun = value(await harness.provider.beginCreate(request, patience()));

      expect(found).toMatchObject({ id: claimName, owner: anOwner(), claimName, state: 'running' });
      expect(begun).toEqual({ done: true, instance: found });
      expect(value(await harness.provider.get(anOwner(), found!.providerID, patience()))).toMatchObject({
        id: claimName,
        nodeName: found?.nodeName,
      });
      // A conditional create is refused by Azure itself; where there are none, it is not even sent.
      expect(writes(harness)).toBe(kind === 'aks' ? 1 : 0);
      expect(harness.azure.ledger()).toMatchObject([{ tags: {}, state: 'Succeeded' }]);
    });

    test('are deleted with their claim', async () => {
      const harness = await left();

      const begun = value(await harness.provider.beginDelete(target, patience()));
      if (begun.done) expect.fail('it should take its time');
      await harness.advance(begun.retryAfterSeconds);

      expect(value(await harness.provider.pollDelete(begun.handle, patience()))).toEqual({ done: true });
      expect(await harness.living()).toEqual([]);
    });

    test('are never in a list, so that nobody collects them as garbage', async () => {
      const harness = await left();

      expect(value(await harness.provider.list(anOwner(), undefined, patience())).items).toEqual([]);
    });

    test.each([
      ['a claim that is younger', { 'kaito.sh/creation-timestamp': '2026-10-31T23-59-59Z' }],
      ['a claim that nobody can tell', { 'kaito.sh/creation-timestamp': 'yesterday' }],
    ])('are left alone for %s', async (_, labels) => {
      const harness = await left({ ...gpuLabels, ...labels });

      expect(value(await harness.provider.find(key, patience()))).toEqual([]);
      const request = { ...aRequest(harness), claimName, name: claimName };
      failure(await harness.provider.beginCreate(request, patience()), 'conflict');
      failure(await harness.provider.beginDelete(target, patience()), 'invalid');
      expect(await harness.living()).toEqual([claimName]);
    });
  });

  describe('and their Nodes', () => {
    test('are running once exactly one Node with a providerID is there', async () => {
      const harness = await start({ settings: { registerSeconds: 60 } });
      const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
      if (begun.done) expect.fail('it should take its time');
      await harness.advance(30);

      const waiting = value(await harness.provider.pollCreate(begun.handle, patience()));
      expect(waiting).toMatchObject({ done: false, operationEnded: true });
      const [unjoined] = await foundOf(harness);
      expect(unjoined).toMatchObject({ state: 'creating', handle: expect.anything() });
      expect(instanceIdOf(harness.provider, unjoined!.providerID)).toBe(unjoined!.id);
      await harness.advance(60);

      const there = value(await harness.provider.pollCreate(unjoined!.handle!, patience()));
      if (!there.done) expect.fail('its Node has joined');
      expect(there.instance.providerID).not.toBe(unjoined!.providerID);
      expect(instanceIdOf(harness.provider, there.instance.providerID)).toBe(unjoined!.id);
      expect(there.instance).not.toHaveProperty('handle');
    });

    test('with two Nodes nobody knows which one is meant', async () => {
      const harness = await start();
      const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
      if (begun.done) expect.fail('it should take its time');
      await harness.advance(30);
      const [name, node] = [...harness.shelf.nodes][0]!;
      harness.shelf.nodes.set(`${name}x`, { ...node, metadata: { ...(node.metadata as object), name: `${name}x` } });

      expect(value(await harness.provider.pollCreate(begun.handle, patience()))).toMatchObject({ done: false });
    });

    test('a Node that an earlier attempt left behind is not taken for the new one', async () => {
      // Nobody takes Nodes away here, and the kubelet of the second machine can't make one of the same name.
      const harness = await start({ settings: { cloudControllerSeconds: null, nodeLostSeconds: null } });
      const first = await created(harness);
      const stale = [...harness.shelf.nodes];
      await untilDeleted(harness, first);
      const begun = value(await harness.provider.beginCreate(aRequest(harness, { attempt: 2 }), patience()));
      if (begun.done) expect.fail('it should take its time');
      await harness.advance(30);
      harness.shelf.nodes.clear();
      for (const [name, node] of stale) harness.shelf.nodes.set(name, node);

      const polled = value(await harness.provider.pollCreate(begun.handle, patience()));

      expect(polled).toMatchObject({ done: false });
    });
  });

  test('a claim without a storage request is refused before Azure is asked', async () => {
    const harness = await start();
    const request = aRequest(harness);

    const refused = failure(
      await harness.provider.beginCreate({ ...request, claim: { ...request.claim, requests: {} } }, patience()),
      'invalid',
    );

    expect(refused.message).toContain('spec.resources.requests.storage');
    expect(harness.azure.armCalls()).toBe(0);
  });

  if (kind === 'aks') {
    test('spot pools are asked for as such, and say so', async () => {
      const harness = await start();
      const offering = { instanceType: 'Standard_D4s_v5', zone: '', capacityType: 'spot' } as const;

      const begun = value(await harness.provider.beginCreate({ ...aRequest(harness), offering }, patience()));
      const { instance } = await untilCreated(harness, begun);

      expect(instance.offering).toEqual(offering);
      expect(harness.azure.ledger()).toMatchObject([{ capacityType: 'spot' }]);
      expect(value(await harness.provider.find(aKey(), patience()))).toMatchObject([{ offering }]);
    });
  }
});
