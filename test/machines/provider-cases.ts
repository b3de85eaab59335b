/** What becomes of a Provider on a real API server. */
import { expect, it } from 'vitest';
import { configMaps, deployments, podDisruptionBudgets, secrets } from '../../shared/kube/contract.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { networkPolicies, providerFinalizer, serviceAccounts, services } from '../../shared/machines/runtime/object.ts';
import { designProviders } from './provider-manifests.ts';
import { type Deployed, fieldsOf, type Scene } from './provider-world.ts';

export function providerCases(at: (() => Scene) & { upstream: boolean }): void {
  it.each(Object.keys(designProviders))('the Provider %s becomes everything that its pods need', async (name) => {
    await at().world.apply(name, designProviders[name] ?? {});
    await at().world.round();
    const runtime = `virtrigaud-provider-${name}`;
    for (const resource of [serviceAccounts, configMaps, services, podDisruptionBudgets, deployments]) {
      const found = await at().world.find(resource, runtime);
      expect(found?.metadata.labels, resource.kind).toMatchObject({ 'app.kubernetes.io/instance': name });
      expect(found?.metadata.ownerReferences, resource.kind).toMatchObject([{ kind: 'Provider', name }]);
    }
    expect(await at().world.find(networkPolicies, runtime)).toBeUndefined();
    const status = (await at().world.get(name)).status;
    expect(status?.runtime).toMatchObject({
      phase: 'Starting',
      endpoint: expect.stringContaining(`${runtime}.team.svc`),
    });
    expect(await at().world.condition(name, 'TLSConfigured')).toBe('True CertificatesIssued');
    expect(await at().world.condition(name, 'Ready')).toBe('False DeploymentProgressing');
  });

  it('a Provider comes to Ready with mutual TLS, and says what it can do', async () => {
    await at().world.apply('ready', { runtime: { image: 'x:1', replicas: 2 } });
    await at().world.round();
    await at().world.startPods('ready');
    await at().world.round();
    for (const type of ['Ready', 'RuntimeReady', 'Healthy', 'Connected', 'TLSConfigured', 'CapabilitiesReported']) {
      expect(await at().world.condition('ready', type), type).toMatch(/^True /);
    }
    const { status } = await at().world.get('ready');
    expect(status).toMatchObject({ healthy: true, connectedVMs: 0, runtime: { phase: 'Running', readyReplicas: 2 } });
    expect(status?.reportedCapabilities?.supportsSnapshots).toBe(true);
    expect(status?.capabilities).toContain('Snapshots');
    // Nothing has changed, so nothing is written.
    const { resourceVersion } = (await at().world.get('ready')).metadata;
    await at().world.round();
    expect((await at().world.get('ready')).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('its pods run without privileges, and see its own Secrets alone', async () => {
    const deployment = await at().world.find<Deployed>(deployments, 'virtrigaud-provider-advanced');
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
      expect(await at().api.get(secrets, { namespace: 'team', name })).toMatchObject({
        error: { kind: 'unauthorised' },
      });
    }
    expect(await at().api.list(secrets, { namespace: 'team' })).toMatchObject({ error: { kind: 'unauthorised' } });
  });

  it('plaintext is a warning, and works', async () => {
    await at().world.apply('plain', { runtime: { image: 'x:1', service: { tls: { enabled: false } } } });
    await at().world.round();
    await at().world.startPods('plain');
    await at().world.round();
    expect(await at().world.condition('plain', 'TLSConfigured')).toBe('False ExplicitlyDisabled');
    expect(await at().world.condition('plain', 'Ready')).toBe('True Ready');
  });

  it('what VirtRigaud made goes on under its name and with its selector', async () => {
    const name = 'virtrigaud-provider-team-taken';
    const labels = {
      'app.kubernetes.io/name': 'virtrigaud-provider',
      'app.kubernetes.io/instance': 'taken',
      'app.kubernetes.io/component': 'provider',
      'app.kubernetes.io/managed-by': 'virtrigaud',
    };
    await at().kube.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'team', labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'provider', image: 'old:1' }] } },
      },
    });
    await at().world.apply('taken', {});
    await at().world.round();
    const deployment = await at().world.find<Deployed>(deployments, name);
    expect(deployment?.spec.selector.matchLabels).toEqual(labels);
    expect(deployment?.spec.template.spec.containers[0]?.image).toBe('registry.example.com/provider:1');
    expect(await at().world.find(deployments, 'virtrigaud-provider-taken')).toBeUndefined();
    expect((await at().world.get('taken')).status?.runtime?.serviceRef).toEqual({ name });
  });

  it('what belongs to somebody else is not touched', async () => {
    const name = 'virtrigaud-provider-foreign';
    await at().kube.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'team' },
      data: { a: 'b' },
    });
    await at().world.apply('foreign', {});
    await at().world.round();
    expect(await at().world.condition('foreign', 'Ready')).toBe('False ProviderNameTaken');
    expect(fieldsOf(await at().world.find(configMaps, name)).data).toEqual({ a: 'b' });
    expect(await at().world.find(deployments, name)).toBeUndefined();
  });

  // The definitions of VirtRigaud know what is in an affinity, so they refuse such a Provider themselves.
  it.runIf(!at.upstream)(
    'what the API server refuses is said on the object, and holds up no other Provider',
    async () => {
      await at().world.apply('refused', { runtime: { image: 'x:1', affinity: { podAffinty: {} } } });
      await at().world.apply('after', {});
      await at().world.round();
      expect(await at().world.condition('after', 'Ready')).toBe('False DeploymentProgressing');
      expect(await at().world.condition('refused', 'Ready')).toBe('False ProviderRuntimeRefused');
      expect((await at().world.get('refused')).status?.runtime?.message).toContain('podAffinty');
    },
  );

  it('a network policy comes and goes with its annotation', async () => {
    const metadata = { annotations: { 'poolwright.dev/network-policy': 'true' } };
    await at().world.apply('guarded', {}, metadata);
    await at().world.round();
    expect(await at().world.find(networkPolicies, 'virtrigaud-provider-guarded')).toBeDefined();
    await at().world.apply('guarded', {});
    await at().world.round();
    expect(await at().world.find(networkPolicies, 'virtrigaud-provider-guarded')).toBeUndefined();
  });

  it('a Provider stays while machines refer to it, and goes when they are gone', async () => {
    await at().world.apply('leaving', {});
    await at().world.round();
    await at().kube.apply({
      apiVersion: 'infra.virtrigaud.io/v1beta1',
      kind: 'VirtualMachine',
      metadata: { name: 'one', namespace: 'team' },
      spec: { providerRef: { name: 'leaving' }, classRef: { name: 'c' }, imageRef: { name: 'i' } },
    } as never);
    const ref = { name: 'leaving', namespace: 'team' };
    await at().world.admin.delete(machineKinds.provider, ref, {});
    await at().world.round();
    expect((await at().world.get('leaving')).metadata.finalizers).toEqual([providerFinalizer]);
    expect(await at().world.condition('leaving', 'Ready')).toBe('False ProviderInUse');
    await at().world.admin.delete(machineKinds.virtualMachine, { name: 'one', namespace: 'team' }, {});
    await at().world.round();
    expect(await at().world.admin.get(machineKinds.provider, ref)).toMatchObject({ error: { kind: 'not-found' } });
  });
}
