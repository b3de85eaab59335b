/** Certificates of a Provider, and what is said when something is wrong. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { deployments, type KubeObject, secrets } from '../../shared/kube/contract.ts';
import { authoritySecret } from '../../shared/machines/runtime/authority.ts';
import { issueCertificate, makeAuthority } from '../../shared/net/certificates/certificates.ts';
import { startTestServer } from '../hosts/provider/server.ts';
import type { KubeManifest } from '../kube/cluster.ts';
import type { Deployed, Scene } from './provider-world.ts';

/** What the author of a Provider grants for one Secret. */
const readerOf = (secret: string): KubeManifest[] => {
  const metadata = { name: 'provider-tls', namespace: 'team' };
  const group = 'rbac.authorization.k8s.io';
  return [
    {
      apiVersion: `${group}/v1`,
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get'] }],
    },
    {
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'Role', name: 'provider-tls' },
      subjects: [{ kind: 'ServiceAccount', name: 'poolwright-host', namespace: 'poolwright' }],
    },
  ];
};

export function providerTroubleCases(at: () => Scene): void {
  it('certificates of another authority, and another protocol, are said on the object', async () => {
    const runtime = 'virtrigaud-provider-wrong';
    await at().world.apply('wrong', {});
    await at().world.round();
    await at().world.setReady(runtime, 1);
    const other = await startTestServer();
    onTestFinished(() => other.stop());
    at().world.route(runtime, `127.0.0.1:${other.host.port}`);
    await at().world.round();
    expect(await at().world.condition('wrong', 'Connected')).toBe('False ProviderCertificateMismatch');
    expect(await at().world.condition('wrong', 'Ready')).toBe('False ProviderCertificateMismatch');
    expect((await at().world.get('wrong')).status).toMatchObject({ healthy: false, runtime: { phase: 'Running' } });

    at().world.route(runtime, `127.0.0.1:${other.host.healthPort}`);
    at().world.now += 31_000;
    await at().world.round();
    expect(await at().world.condition('wrong', 'Ready')).toBe('False ProviderProtocolUnknown');

    at().world.route(runtime, '127.0.0.1:9');
    at().world.now += 31_000;
    await at().world.round();
    expect(await at().world.condition('wrong', 'Ready')).toBe('False ProviderUnreachable');
  });

  it('one failed check is no reason to call a provider unhealthy; three are', async () => {
    const runtime = 'virtrigaud-provider-ready';
    at().world.route(runtime, '127.0.0.1:9');
    for (const healthy of [true, true, false]) {
      at().world.now += 31_000;
      await at().world.round();
      expect(await at().world.condition('ready', 'Connected')).toBe('False ProviderUnreachable');
      expect((await at().world.get('ready')).status?.healthy).toBe(healthy);
    }
  });

  it('a Secret of the author is used for TLS, once it may be read', async () => {
    const runtime = 'virtrigaud-provider-given';
    const service = { tls: { secretRef: { name: 'given-tls' } } };
    await at().world.apply('given', { runtime: { image: 'x:1', service } });
    await at().world.round();
    expect(await at().world.condition('given', 'TLSConfigured')).toBe('False ProviderTlsSecretUnusable');
    expect((await at().world.get('given')).status?.runtime?.message).toContain('may not be read');

    await at().kube.apply(...readerOf('given-tls'));
    await vi.waitFor(async () => {
      await at().world.round();
      expect((await at().world.get('given')).status?.runtime?.message).toBe('there is no Secret team/given-tls');
    });
    const from = { from: Date.now() - 3_600_000, to: Date.now() + 3_600_000 };
    const authority = makeAuthority({ commonName: 'their authority' }, from);
    const both = issueCertificate(authority, { commonName: 'both', dns: [`${runtime}.team.svc`] }, from);
    await at().kube.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'given-tls', namespace: 'team' },
      stringData: { 'tls.crt': both.cert, 'tls.key': both.key, 'ca.crt': authority.cert },
    });
    await at().world.round();
    await at().world.startPods('given');
    await at().world.round();
    expect(await at().world.condition('given', 'TLSConfigured')).toBe('True Enabled');
    expect(await at().world.condition('given', 'Ready')).toBe('True Ready');

    const misnamed = issueCertificate(authority, { commonName: 'both', dns: ['elsewhere'] }, from);
    const patch = { stringData: { 'tls.crt': misnamed.cert, 'tls.key': misnamed.key } };
    await at().world.admin.mergePatch(secrets, { name: 'given-tls', namespace: 'team' }, patch);
    await at().world.startPods('given');
    at().world.now += 31_000;
    await at().world.round();
    expect(await at().world.condition('given', 'Connected')).toBe('False ProviderCertificateMismatch');
    const unverified = { tls: { ...service.tls, insecureSkipVerify: true } };
    await at().world.apply('given', { runtime: { image: 'x:1', service: unverified } });
    await at().world.round();
    expect(await at().world.condition('given', 'Connected')).toBe('True Connected');
  });

  it('certificates are renewed, and the pods take the new ones', async () => {
    const secretOf = async (): Promise<string | undefined> =>
      (await at().world.find<Deployed>(deployments, 'virtrigaud-provider-ready'))?.spec.template.spec.volumes.find(
        ({ name }) => name === 'tls',
      )?.secret?.secretName;
    const before = await secretOf();
    at().world.now += 31 * 24 * 3_600_000;
    await at().world.round();
    expect(await secretOf()).not.toBe(before);
    expect(await at().world.find(secrets, (await secretOf()) ?? '')).toBeDefined();
    at().world.now -= 31 * 24 * 3_600_000;
  });

  it('an authority is made once, and kept in a Secret of ours', async () => {
    const found = await at().world.admin.get<KubeObject>(secrets, { namespace: 'poolwright', name: authoritySecret });
    const version = found.ok ? found.value.metadata.resourceVersion : '';
    await at().world.round();
    expect(await at().world.admin.get(secrets, { namespace: 'poolwright', name: authoritySecret })).toMatchObject({
      ok: true,
      value: { metadata: { resourceVersion: version } },
    });
  });

  it.each([
    [
      'a missing Secret',
      { message: 'MountVolume.SetUp failed for volume "credentials" : secret "credentials" not found' },
    ],
  ])('%s is said on the object', async (_what, { message }) => {
    await at().world.apply('stuck', {});
    await at().world.round();
    const uid = await at().world.addPod('stuck');
    await at().kube.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'stuck-1', namespace: 'team' },
      involvedObject: { kind: 'Pod', namespace: 'team', name: 'stuck-1', uid },
      reason: 'FailedMount',
      type: 'Warning',
      message,
    } as never);
    await at().world.round();
    expect(await at().world.condition('stuck', 'Ready')).toBe('False ProviderSecretMissing');
    expect((await at().world.get('stuck')).status?.runtime).toMatchObject({ phase: 'Failed', message });
  });
}
