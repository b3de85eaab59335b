/** The node classes for agent pools on a real API server: it takes what the providers take, and says what it refuses. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { checkCrds } from '../../shared/kube/crds/installed-crds.ts';
import { manifests } from '../../shared/providers/manifests.ts';
import { kindsOf } from '../../shared/providers/serving.ts';
import { freshName, useKube } from '../kube/use-kube.ts';

const kube = useKube();

const subnet = '/subscriptions/s/resourceGroups/Net_(1).a/providers/Microsoft.Network/virtualNetworks/v/subnets/n';

const kinds = {
  AKSNodeClass: 'karpenter.azure.com/v1beta1',
  KaitoNodeClass: 'kaito.sh/v1alpha1',
  ArcNodeClass: 'poolwright.dev/v1alpha1',
} as const;

async function judge(kind: keyof typeof kinds, spec: Json): Promise<{ code: number; says: string; stored: unknown }> {
  const path = `/apis/${kinds[kind]}/${kind.toLowerCase()}es?dryRun=All&fieldValidation=Strict`;
  const object = { apiVersion: kinds[kind], kind, metadata: { name: freshName('class') }, spec };
  const { code, body } = await kube.request('POST', path, object);
  return { code, says: String(body.message ?? ''), stored: body.spec };
}

describe('node classes for agent pools', () => {
  it('are served, and need not be there where claims may do without', async () => {
    const api = kube.connect();
    const report = await checkCrds(api, { nodeClasses: kindsOf(manifests) });
    api.close();

    expect(report).toMatchObject({ ok: true, value: { problems: [], warnings: [] } });
  });

  it.each<[keyof typeof kinds, Json]>([
    ['AKSNodeClass', {}],
    [
      'AKSNodeClass',
      {
        imageFamily: 'AzureLinux',
        osDiskSizeGB: 128,
        maxPods: 110,
        vnetSubnetID: subnet.toUpperCase(),
        tags: { 'cost center': 'a/b' },
        fipsMode: 'FIPS',
        gpu: { mode: 'None' },
        kubelet: { podPidsLimit: 4096, containerLogMaxSize: '50Mi', allowedUnsafeSysctls: ['net.*'] },
      },
    ],
    ['KaitoNodeClass', {}],
    ['ArcNodeClass', { osSku: 'AzureLinux', maxPods: 60, tags: { team: 'web' }, deadlines: { launch: '30m' } }],
  ])('%s is stored as it is written: %j', async (kind, spec) => {
    expect(await judge(kind, spec)).toMatchObject({ code: 201, stored: spec });
  });

  it.each<[keyof typeof kinds, Json, string]>([
    ['AKSNodeClass', { imageFamily: 'Windows' }, 'spec.imageFamily'],
    ['AKSNodeClass', { osDiskSizeGB: 4096 }, 'spec.osDiskSizeGB'],
    ['AKSNodeClass', { vnetSubnetID: 'default' }, 'spec.vnetSubnetID'],
    ['AKSNodeClass', { tags: { 'a/b': '' } }, 'names of tags must not contain'],
    ['AKSNodeClass', { tags: { 'a\\b': '' } }, 'names of tags must not contain'],
    ['AKSNodeClass', { tags: { 'poolwright-claim': '' } }, 'identify the owner of a pool'],
    ['AKSNodeClass', { tags: { a: 'x'.repeat(257) } }, 'at most 256 characters'],
    ['AKSNodeClass', { security: {} }, 'unknown field "spec.security"'],
    ['ArcNodeClass', { osSku: 'Ubuntu' }, 'spec.osSku'],
    ['ArcNodeClass', { deadlines: { launch: 'soon' } }, 'spec.deadlines.launch'],
  ])('%s is refused with %j', async (kind, spec, expected) => {
    const { code, says } = await judge(kind, spec);

    expect(code).toBeGreaterThanOrEqual(400);
    expect(says).toContain(expected);
  });
});
