/** The check of installed definitions, on a real API server and on Karpenter's own definitions. */
import { describe, expect, it } from 'vitest';
import { checkCrds, judgeCrd } from '../../shared/kube/crds/installed-crds.ts';
import { neededKinds } from '../../shared/kube/crds/needed-crds.ts';
import { simNodeClasses } from '../../shared/providers/sim/kinds.ts';
import { freshName, useKube } from '../kube/use-kube.ts';
import { upstreamDefinitions } from './upstream.ts';

const kube = useKube();

describe('checkCrds', () => {
  it('has no complaint about a cluster with our definitions', async () => {
    const api = kube.connect();

    const report = await checkCrds(api, { nodeClasses: simNodeClasses });
    api.close();

    expect(report).toMatchObject({ ok: true, value: { problems: [], warnings: [] } });
  });

  it('finds those of Karpenter as good, and says who made them', async () => {
    const [claims, pools] = await upstreamDefinitions();

    for (const [needed, definition] of [
      [neededKinds[0]!, claims!],
      [neededKinds[1]!, pools!],
    ] as const) {
      const metadata = { ...definition.metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '' };
      expect(judgeCrd(needed, { ...definition, metadata })).toMatchObject({
        state: 'usable',
        madeBy: expect.stringMatching(/^controller-gen v/),
      });
    }
  });

  it('says which right is missing', async () => {
    const name = freshName('nobody');
    await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } });
    const api = kube.connect({ token: await kube.tokenFor({ namespace: 'default', name }) });

    const report = await checkCrds(api);
    api.close();

    expect(report).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
    expect(!report.ok && report.error.message).toMatch(/nodeclaims\.karpenter\.sh.*cannot get resource/s);
  });
});
