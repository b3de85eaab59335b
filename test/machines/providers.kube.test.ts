/** Providers become pods, on a real API server, with exactly the rights of the list; and Ready, with a real provider server behind them. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { usualRights } from '../../scripts/generate/rbac.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { configMaps, deployments, type KubeObject, podDisruptionBudgets, secrets } from '../../shared/kube/contract.ts';
import { rightsOf } from '../../shared/kube/rights.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { authoritySecret } from '../../shared/machines/runtime/authority.ts';
import { networkPolicies, providerFinalizer, serviceAccounts, services } from '../../shared/machines/runtime/object.ts';
import { issueCertificate, makeAuthority } from '../../shared/net/certificates/certificates.ts';
import { checkRights } from '../../shared/ownership/check-rights.ts';
import { startTestServer } from '../hosts/provider/server.ts';
import { applyRights } from '../kube/accounts.ts';
import type { KubeManifest } from '../kube/cluster.ts';
import { useOwnKube } from '../kube/own-kube.ts';
import { designProviders } from './provider-manifests.ts';
import { type Deployed, fieldsOf, type ProviderWorld, providerWorld } from './provider-world.ts';
import {
  outdatedSamples,
  samples,
  upstreamDefinitions,
  upstreamIsThere,
  whereUpstreamIs,
} from './upstream-definitions.ts';

describe('Providers under our definitions', () => suite(false));
describe.skipIf(!upstreamIsThere)(`Providers under VirtRigaud's definitions ${whereUpstreamIs}`, () => suite(true));

const account = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'poolwright-host', namespace: 'poolwright' },
};

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

function suite(upstream: boolean): void {
  const kube = useOwnKube();
  let api: ClusterApi;
  let world: ProviderWorld;
  beforeAll(async () => {
    if (upstream) for (const { names, crd } of theirs()) await replaceDefinition(names, crd);
    await kube().apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poolwright' } }, account);
    await applyRights(kube(), 'providers', usualRights);
    const token = await kube().tokenFor({ namespace: 'poolwright', name: 'poolwright-host' });
    // The rights for Providers alone: what the provisioner has besides must not help.
    api = kube().connect({ token });
    await vi.waitFor(async () => expect(await checkRights(api, rightsOf(usualRights).providers)).toEqual([]), {
      timeout: 30_000,
    });
    world = await providerWorld(kube(), 'team', api);
  });
  afterAll(async () => {
    await world?.close();
    api?.close();
  });

  const replaceDefinition = async (name: string, crd: object): Promise<void> => {
    await kube().request('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    await vi.waitFor(async () => expect((await kube().request('GET', path)).code).toBe(404), { timeout: 30_000 });
    await kube().apply(crd as never);
  };
  const theirs = () => upstreamDefinitions().map((crd) => ({ names: crd.metadata.name, crd }));

  it.runIf(upstreamIsThere)('the samples of VirtRigaud are accepted, but for those of an older API', async () => {
    const refused: string[] = [];
    for (const { file, object } of samples()) {
      const kind = Object.values(machineKinds).find((one) => one.kind === object.kind);
      const path = `/apis/${object.apiVersion}/namespaces/team/${kind?.plural}?dryRun=All`;
      const { code, body } = await kube().request('POST', path, {
        ...object,
        metadata: { ...object.metadata, namespace: 'team' },
      });
      if (code === 201) continue;
      const one = `${object.kind}/${object.metadata.name}`;
      refused.push(outdatedSamples.includes(one) ? one : `${file}: ${one}: ${body.message}`);
    }
    expect(samples().length).toBeGreaterThan(40);
    expect(refused.sort()).toEqual(outdatedSamples.toSorted());
  });

  it.each(Object.keys(designProviders))('the Provider %s becomes everything that its pods need', async (name) => {
    await world.apply(name, designProviders[name] ?? {});
    await world.round();
    const runtime = `virtrigaud-provider-${name}`;
    for (const resource of [serviceAccounts, configMaps, services, podDisruptionBudgets, deployments]) {
      const found = await world.find(resource, runtime);
      expect(found?.metadata.labels, resource.kind).toMatchObject({ 'app.kubernetes.io/instance': name });
      expect(found?.metadata.ownerReferences, resource.kind).toMatchObject([{ kind: 'Provider', name }]);
    }
    expect(await world.find(networkPolicies, runtime)).toBeUndefined();
    const status = (await world.get(name)).status;
    expect(status?.runtime).toMatchObject({
      phase: 'Starting',
      endpoint: expect.stringContaining(`${runtime}.team.svc`),
    });
    expect(await world.condition(name, 'TLSConfigured')).toBe('True CertificatesIssued');
    expect(await world.condition(name, 'Ready')).toBe('False DeploymentProgressing');
  });

  it('a Provider comes to Ready with mutual TLS, and says what it can do', async () => {
    await world.apply('ready', { runtime: { image: 'x:1', replicas: 2 } });
    await world.round();
    await world.startPods('ready');
    await world.round();
    for (const type of ['Ready', 'RuntimeReady', 'Healthy', 'Connected', 'TLSConfigured', 'CapabilitiesReported']) {
      expect(await world.condition('ready', type), type).toMatch(/^True /);
    }
    const { status } = await world.get('ready');
    expect(status).toMatchObject({ healthy: true, connectedVMs: 0, runtime: { phase: 'Running', readyReplicas: 2 } });
    expect(status?.reportedCapabilities?.supportsSnapshots).toBe(true);
    expect(status?.capabilities).toContain('Snapshots');
    // Nothing has changed, so nothing is written.
    const { resourceVersion } = (await world.get('ready')).metadata;
    await world.round();
    expect((await world.get('ready')).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('its pods run without privileges, and see its own Secrets alone', async () => {
    const deployment = await world.find<Deployed>(deployments, 'virtrigaud-provider-advanced');
    const { template } = deployment!.spec;
    const [container] = template.spec.containers;
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      imagePullSecrets: [{ name: 'regcred' }],
      nodeSelector: { 'workload-type': 'compute' },
    });
    expect(container).toMatchObject({
      args: ['--port=9090', '--health-port=8080'],
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        runAsUser: 1000,
      },
      lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', 'sleep 15'] } } },
      readinessProbe: { grpc: { port: 9090 } },
    });
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
    expect(env).toMatchObject({
      PROVIDER_TYPE: 'libvirt',
      PROVIDER_NAME: 'advanced',
      PROVIDER_NAMESPACE: 'team',
      TLS_ENABLED: 'true',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'json',
      PROVIDER_DEFAULT_CLUSTER: 'compute',
      LIBVIRT_DEBUG: '1',
    });
    const mounted = template.spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []);
    expect(mounted).toEqual(['libvirt', expect.stringMatching(/^virtrigaud-provider-advanced-tls-/)]);
    for (const name of ['libvirt', mounted[1]!]) {
      expect(await api.get(secrets, { namespace: 'team', name })).toMatchObject({ error: { kind: 'unauthorised' } });
    }
    expect(await api.list(secrets, { namespace: 'team' })).toMatchObject({ error: { kind: 'unauthorised' } });
  });

  it('certificates of another authority, and another protocol, are said on the object', async () => {
    const runtime = 'virtrigaud-provider-wrong';
    await world.apply('wrong', {});
    await world.round();
    await world.setReady(runtime, 1);
    const other = await startTestServer();
    onTestFinished(() => other.stop());
    world.route(runtime, `127.0.0.1:${other.host.port}`);
    await world.round();
    expect(await world.condition('wrong', 'Connected')).toBe('False ProviderCertificateMismatch');
    expect(await world.condition('wrong', 'Ready')).toBe('False ProviderCertificateMismatch');
    expect((await world.get('wrong')).status).toMatchObject({ healthy: false, runtime: { phase: 'Running' } });

    world.route(runtime, `127.0.0.1:${other.host.healthPort}`);
    world.now += 31_000;
    await world.round();
    expect(await world.condition('wrong', 'Ready')).toBe('False ProviderProtocolUnknown');

    world.route(runtime, '127.0.0.1:9');
    world.now += 31_000;
    await world.round();
    expect(await world.condition('wrong', 'Ready')).toBe('False ProviderUnreachable');
  });

  it('one failed check is no reason to call a provider unhealthy; three are', async () => {
    const runtime = 'virtrigaud-provider-ready';
    world.route(runtime, '127.0.0.1:9');
    for (const healthy of [true, true, false]) {
      world.now += 31_000;
      await world.round();
      expect(await world.condition('ready', 'Connected')).toBe('False ProviderUnreachable');
      expect((await world.get('ready')).status?.healthy).toBe(healthy);
    }
  });

  it('plaintext is a warning, and works', async () => {
    await world.apply('plain', { runtime: { image: 'x:1', service: { tls: { enabled: false } } } });
    await world.round();
    await world.startPods('plain');
    await world.round();
    expect(await world.condition('plain', 'TLSConfigured')).toBe('False ExplicitlyDisabled');
    expect(await world.condition('plain', 'Ready')).toBe('True Ready');
  });

  it('a Secret of the author is used for TLS, once it may be read', async () => {
    const runtime = 'virtrigaud-provider-given';
    const service = { tls: { secretRef: { name: 'given-tls' } } };
    await world.apply('given', { runtime: { image: 'x:1', service } });
    await world.round();
    expect(await world.condition('given', 'TLSConfigured')).toBe('False ProviderTlsSecretUnusable');
    expect((await world.get('given')).status?.runtime?.message).toContain('may not be read');

    await kube().apply(...readerOf('given-tls'));
    await vi.waitFor(async () => {
      await world.round();
      expect((await world.get('given')).status?.runtime?.message).toBe('there is no Secret team/given-tls');
    });
    const from = { from: Date.now() - 3_600_000, to: Date.now() + 3_600_000 };
    const authority = makeAuthority({ commonName: 'their authority' }, from);
    const both = issueCertificate(authority, { commonName: 'both', dns: [`${runtime}.team.svc`] }, from);
    await kube().apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'given-tls', namespace: 'team' },
      stringData: { 'tls.crt': both.cert, 'tls.key': both.key, 'ca.crt': authority.cert },
    });
    await world.round();
    await world.startPods('given');
    await world.round();
    expect(await world.condition('given', 'TLSConfigured')).toBe('True Enabled');
    expect(await world.condition('given', 'Ready')).toBe('True Ready');
  });

  it('certificates are renewed, and the pods take the new ones', async () => {
    const secretOf = async (): Promise<string | undefined> =>
      (await world.find<Deployed>(deployments, 'virtrigaud-provider-ready'))?.spec.template.spec.volumes.find(
        ({ name }) => name === 'tls',
      )?.secret?.secretName;
    const before = await secretOf();
    world.now += 31 * 24 * 3_600_000;
    await world.round();
    expect(await secretOf()).not.toBe(before);
    expect(await world.find(secrets, (await secretOf()) ?? '')).toBeDefined();
    world.now -= 31 * 24 * 3_600_000;
  });

  it('an authority is made once, and kept in a Secret of ours', async () => {
    const found = await world.admin.get<KubeObject>(secrets, { namespace: 'poolwright', name: authoritySecret });
    const version = found.ok ? found.value.metadata.resourceVersion : '';
    await world.round();
    expect(await world.admin.get(secrets, { namespace: 'poolwright', name: authoritySecret })).toMatchObject({
      ok: true,
      value: { metadata: { resourceVersion: version } },
    });
  });

  it('what VirtRigaud made goes on under its name and with its selector', async () => {
    const name = 'virtrigaud-provider-team-taken';
    const labels = {
      'app.kubernetes.io/name': 'virtrigaud-provider',
      'app.kubernetes.io/instance': 'taken',
      'app.kubernetes.io/component': 'provider',
      'app.kubernetes.io/managed-by': 'virtrigaud',
    };
    await kube().apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'team', labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'provider', image: 'old:1' }] } },
      },
    });
    await world.apply('taken', {});
    await world.round();
    const deployment = await world.find<Deployed>(deployments, name);
    expect(deployment?.spec.selector.matchLabels).toEqual(labels);
    expect(deployment?.spec.template.spec.containers[0]?.image).toBe('registry.example.com/provider:1');
    expect(await world.find(deployments, 'virtrigaud-provider-taken')).toBeUndefined();
    expect((await world.get('taken')).status?.runtime?.serviceRef).toEqual({ name });
  });

  it('what belongs to somebody else is not touched', async () => {
    const name = 'virtrigaud-provider-foreign';
    await kube().apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'team' },
      data: { a: 'b' },
    });
    await world.apply('foreign', {});
    await world.round();
    expect(await world.condition('foreign', 'Ready')).toBe('False ProviderNameTaken');
    expect(fieldsOf(await world.find(configMaps, name)).data).toEqual({ a: 'b' });
    expect(await world.find(deployments, name)).toBeUndefined();
  });

  // The definitions of VirtRigaud know what is in an affinity, so they refuse such a Provider themselves.
  it.runIf(!upstream)('what the API server refuses is said on the object, and holds up no other Provider', async () => {
    await world.apply('refused', { runtime: { image: 'x:1', affinity: { podAffinty: {} } } });
    await world.apply('after', {});
    await world.round();
    expect(await world.condition('after', 'Ready')).toBe('False DeploymentProgressing');
    expect(await world.condition('refused', 'Ready')).toBe('False ProviderRuntimeRefused');
    expect((await world.get('refused')).status?.runtime?.message).toContain('podAffinty');
  });

  it('a network policy comes and goes with its annotation', async () => {
    const metadata = { annotations: { 'poolwright.dev/network-policy': 'true' } };
    await world.apply('guarded', {}, metadata);
    await world.round();
    expect(await world.find(networkPolicies, 'virtrigaud-provider-guarded')).toBeDefined();
    await world.apply('guarded', {});
    await world.round();
    expect(await world.find(networkPolicies, 'virtrigaud-provider-guarded')).toBeUndefined();
  });

  it('a Provider stays while machines refer to it, and goes when they are gone', async () => {
    await world.apply('leaving', {});
    await world.round();
    await kube().apply({
      apiVersion: 'infra.virtrigaud.io/v1beta1',
      kind: 'VirtualMachine',
      metadata: { name: 'one', namespace: 'team' },
      spec: { providerRef: { name: 'leaving' }, classRef: { name: 'c' }, imageRef: { name: 'i' } },
    } as never);
    const ref = { name: 'leaving', namespace: 'team' };
    await world.admin.delete(machineKinds.provider, ref, {});
    await world.round();
    expect((await world.get('leaving')).metadata.finalizers).toEqual([providerFinalizer]);
    expect(await world.condition('leaving', 'Ready')).toBe('False ProviderInUse');
    await world.admin.delete(machineKinds.virtualMachine, { name: 'one', namespace: 'team' }, {});
    await world.round();
    expect(await world.admin.get(machineKinds.provider, ref)).toMatchObject({ error: { kind: 'not-found' } });
  });

  it.each([
    [
      'a missing Secret',
      { message: 'MountVolume.SetUp failed for volume "credentials" : secret "credentials" not found' },
    ],
  ])('%s is said on the object', async (_what, { message }) => {
    await world.apply('stuck', {});
    await world.round();
    const uid = await world.addPod('stuck');
    await kube().apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'stuck-1', namespace: 'team' },
      involvedObject: { kind: 'Pod', namespace: 'team', name: 'stuck-1', uid },
      reason: 'FailedMount',
      type: 'Warning',
      message,
    } as never);
    await world.round();
    expect(await world.condition('stuck', 'Ready')).toBe('False ProviderSecretMissing');
    expect((await world.get('stuck')).status?.runtime).toMatchObject({ phase: 'Failed', message });
  });
}
