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

async function judge(
  kind: keyof typeof kinds,
  spec: Json,
  { apiVersion = kinds[kind] as string, fieldValidation = 'Strict' } = {},
): Promise<{ code: number; says: string; stored: unknown }> {
  const path = `/apis/${apiVersion}/${kind.toLowerCase()}es?dryRun=All&fieldValidation=${fieldValidation}`;
  const object = { apiVersion, kind, metadata: { name: freshName('class') }, spec };
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
    ['ArcNodeClass', { osSku: 'Ubuntu' }, 'spec.osSku'],
    ['ArcNodeClass', { deadlines: { launch: 'soon' } }, 'spec.deadlines.launch'],
  ])('%s is refused with %j', async (kind, spec, expected) => {
    const { code, says } = await judge(kind, spec);

    expect(code).toBeGreaterThanOrEqual(400);
    expect(says).toContain(expected);
  });

  it('AKSNodeClass has the disk that Karpenter gives it, in both versions that Karpenter serves', async () => {
    for (const apiVersion of ['karpenter.azure.com/v1alpha2', 'karpenter.azure.com/v1beta1']) {
      const { code, stored } = await judge('AKSNodeClass', {}, { apiVersion });
      expect({ code, stored }).toEqual({ code: 201, stored: { osDiskSizeGB: 128 } });
    }
  });

  it('AKSNodeClass of one version is the same object in the other', async () => {
    const name = freshName('class');
    const at = (version: string) => `/apis/karpenter.azure.com/${version}/aksnodeclasses`;
    const object = {
      apiVersion: 'karpenter.azure.com/v1alpha2',
      kind: 'AKSNodeClass',
      metadata: { name },
      spec: { imageFamily: 'AzureLinux' },
    };
    expect(await kube.request('POST', at('v1alpha2'), object)).toMatchObject({ code: 201 });
    const read = await kube.request('GET', `${at('v1beta1')}/${name}`);
    await kube.request('DELETE', `${at('v1beta1')}/${name}`);

    expect(read.body).toMatchObject({ apiVersion: 'karpenter.azure.com/v1beta1', spec: object.spec });
  });

  it.each<Json>([
    { security: { encryptionAtHost: true } },
    { artifactStreaming: { enabled: true } },
    { linuxOSConfig: { sysctls: { vmSwappiness: 10 } } },
    { linuxOSConfig: { swapFileSize: '1Gi' } },
    { localDNS: { mode: 'Required', kubeDNSOverrides: [], vnetDNSOverrides: [] } },
  ])('AKSNodeClass is refused with %j, instead of stored without it', async (spec) => {
    for (const fieldValidation of ['Ignore', 'Strict']) {
      const { code, says } = await judge('AKSNodeClass', spec, { fieldValidation });
      expect(code).toBe(422);
      expect(says).toContain("only Karpenter's own provider for Azure supports this");
    }
  });

  it('AKSNodeClass may switch off what agent pools do not do', async () => {
    const off = {
      security: { encryptionAtHost: false },
      artifactStreaming: { enabled: false },
      linuxOSConfig: {},
      localDNS: { mode: 'Disabled', kubeDNSOverrides: [{ zone: '.' }], vnetDNSOverrides: [] },
    };
    expect(await judge('AKSNodeClass', off)).toMatchObject({ code: 201, stored: off });
  });
});
