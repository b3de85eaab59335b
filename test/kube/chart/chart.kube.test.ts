/** The chart, rendered for a matrix of values and installed on a real API server. */
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addBridgeOptions } from '../../../cli/commands/bridge/options.ts';
import { rbacObjects } from '../../../infra/kubernetes/rbac-manifests.ts';
import { webhookConfiguration } from '../../../infra/kubernetes/webhook.ts';
import { usualRights } from '../../../scripts/generate/rbac.ts';
import type { Json } from '../../../shared/base/json.ts';
import { type ConfigInput, resolveConfig } from '../../../shared/config/load.ts';
import { type KubeApiserver, startKubeApiserver } from '../apiserver.ts';
import type { KubeManifest } from '../cluster.ts';
import { freshName } from '../use-kube.ts';
import { chart, helm, refusal, render, setting, type Values } from './helm.ts';

const bridge = { url: 'https://poolwright.example', tokenSecret: { name: 'intake', key: 'token' } };
const host = { tokenSecret: { name: 'api', key: 'token' } };
const least: Values = { clusterName: 'east', bridge };

/** Every switch on and off with every other. */
const switches: Values[] = [true, false].flatMap((bridgeOn) =>
  [true, false].flatMap((hostOn) =>
    [true, false].flatMap((webhookOn) =>
      [true, false].map((others) => ({
        clusterName: 'east',
        bridge: { ...bridge, enabled: bridgeOn, caConfigMap: others ? { name: 'ca', key: 'ca.crt' } : undefined },
        host: { ...host, enabled: hostOn, persistence: others ? { existingClaim: 'disk' } : undefined },
        webhook: {
          enabled: webhookOn,
          url: 'https://poolwright.example',
          pathSecret: others ? 'not-a-real-secret-1' : '',
        },
        rbac: { create: others, functions: others },
        serviceMonitor: { enabled: others },
        networkPolicy: { enabled: others, egressPorts: [8006], allowFrom: others ? [{ podSelector: {} }] : [] },
        image: {
          repository: 'poolwright',
          digest: others ? `sha256:${'a'.repeat(64)}` : '',
          pullSecrets: [{ name: 'pull' }],
        },
      })),
    ),
  ),
);

interface PodTemplate {
  metadata: Json;
  spec: { serviceAccountName: string; containers: Json[]; volumes: Json[] };
}

const podsOf = (objects: KubeManifest[]): PodTemplate[] =>
  objects
    .filter(({ kind }) => kind === 'Deployment')
    .map((object) => (object.spec as { template: PodTemplate }).template);

const named = (objects: KubeManifest[], kind: string, name: string): KubeManifest => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} among ${objects.map((one) => one.metadata.name)}`);
  return found;
};

describe('the chart', () => {
  test('has nothing that helm would warn of', async () => {
    const { ok, out } = await helm('lint', chart, '--strict', '--kube-version=1.36.0', ...setting(least));
    expect(out).toContain('0 chart(s) failed');
    expect(ok).toBe(true);
  });

  test('renders for every combination of its switches, with no name twice', async () => {
    for (const values of switches) {
      const objects = await render(values);
      const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('can be installed where roles of its own are needed anyway', async () => {
    const objects = await render({ ...least, host: { ...host, enabled: true } }, '--namespace=kube-system');
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('makes the settings of the cluster, and leaves out what is for the configuration to say', async () => {
    const data = async (azure: Values): Promise<unknown> =>
      named(await render({ ...least, settings: { azure } }), 'ConfigMap', 'poolwright-settings').data;
    expect(await data({})).toEqual({ 'settings.azure.providerType': 'aks' });
    expect((await data({ providerType: '' })) ?? {}).toEqual({});
    expect(await data({ clusterName: 'aks-east', providerType: 'arc' })).toEqual({
      'settings.azure.clusterName': 'aks-east',
      'settings.azure.providerType': 'arc',
    });
  });

  test.each<[string, Values, string[]]>([
    [
      'another provider type',
      { ...least, settings: { azure: { providerType: 'eks' } } },
      ['providerType', 'aks', 'arc'],
    ],
    ['a missing cluster name', { bridge }, ['clusterName is required']],
    ['a bridge that knows no destination', { clusterName: 'east' }, ['bridge.url is required']],
    [
      'a bridge without a token',
      { clusterName: 'east', bridge: { url: 'https://x' } },
      ['bridge.tokenSecret.name is required'],
    ],
    [
      'a host without a token',
      { clusterName: 'east', bridge: { enabled: false }, host: { enabled: true } },
      ['host.tokenSecret.name is required'],
    ],
    ['a webhook without TLS', { ...least, webhook: { enabled: true, url: 'http://x' } }, ['webhook/url']],
    ['a webhook without a URL', { ...least, webhook: { enabled: true } }, ['webhook.url is required']],
    ['a value that does not exist', { ...least, brigde: {} }, ['brigde']],
    ['a cluster name that the configuration would not take', { ...least, clusterName: 'East 1' }, ['clusterName']],
  ])('refuses %s and says what to do', async (_, values, words) => {
    const said = await refusal(values);
    for (const word of words) expect(said).toContain(word);
  });

  test('gives the host the variables that it is told, and takes node classes whose plural has digits', async () => {
    const nodeClasses = ['karpenter.k8s.aws/v1/ec2nodeclasses/EC2NodeClass'];
    const objects = await render({
      ...least,
      bridge: { ...bridge, nodeClasses },
      host: { ...host, enabled: true, env: [{ name: 'AZURE_PROVIDER_TYPE', value: 'arc' }] },
    });
    const pod = objects.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');
    expect(JSON.stringify(objects)).toContain('ec2nodeclasses');
    expect(pod).toBeDefined();
    expect(JSON.stringify(objects)).toContain('{"name":"AZURE_PROVIDER_TYPE","value":"arc"}');
  });

  test('refuses another provider type even when the schema is skipped', async () => {
    const said = await refusal({ ...least, settings: { azure: { providerType: 'eks' } } }, '--skip-schema-validation');
    expect(said).toContain('it must be "aks" (managed clusters in Azure) or "arc"');
  });

  test('asks a host with TLS by TLS, with the certificates that are mounted', async () => {
    const tls = { certFile: '/etc/poolwright/tls/tls.crt', keyFile: '/etc/poolwright/tls/tls.key' };
    const objects = await render({
      clusterName: 'east',
      bridge: { enabled: false },
      host: {
        enabled: true,
        tokenSecret: { name: 'api', key: 'token' },
        config: { http: { tls } },
        extraVolumes: [{ name: 'tls', secret: { secretName: 'tls' } }],
        extraVolumeMounts: [{ name: 'tls', mountPath: '/etc/poolwright/tls', readOnly: true }],
      },
    });
    const pod = JSON.stringify(podsOf(objects));
    expect(pod.match(/"scheme":"HTTPS"/g)).toHaveLength(2);
    expect(pod).toContain('"mountPath":"/etc/poolwright/tls"');
    expect(pod).toContain('"secretName":"tls"');
  });

  test('restarts the host when its configuration changes, and adds the cluster that it runs in', async () => {
    const rendered = async (config: Values) => {
      const objects = await render({
        clusterName: 'east',
        bridge: { enabled: false },
        host: { ...host, enabled: true, config },
      });
      const [pod] = podsOf(objects);
      return { pod: JSON.stringify(pod?.metadata), config: named(objects, 'ConfigMap', 'test-poolwright-host').data };
    };
    const plain = await rendered({});
    const other = await rendered({ clusters: { east: { maxInstances: 5 } } });
    expect(JSON.stringify(plain.config)).toContain('inCluster: true');
    expect(JSON.stringify(other.config)).toContain('maxInstances: 5');
    expect(JSON.stringify(other.config)).toContain('inCluster: true');
    expect(plain.pod).not.toBe(other.pod);
  });
});

describe('what runs', () => {
  interface Container {
    args: string[];
    ports: { name: string; containerPort: number }[];
    volumeMounts: { mountPath: string }[];
  }
  const containerOf = (objects: KubeManifest[]): Container => podsOf(objects)[0]?.spec.containers[0] as never;
  const isMounted = (file: string, { volumeMounts }: Container): boolean =>
    volumeMounts.some(({ mountPath }) => file.startsWith(`${mountPath}/`));

  test.each<[string, Values]>([
    ['without any', {}],
    ['of a user', { http: { port: 9000 }, clusters: { east: { maxInstances: 5 }, west: { kubeconfig: 'default' } } }],
  ])('is a host that takes its configuration, %s', async (_, config) => {
    const objects = await render({
      clusterName: 'east',
      bridge: { enabled: false },
      host: { ...host, enabled: true, config },
    });
    const data = named(objects, 'ConfigMap', 'test-poolwright-host').data as Record<string, string>;
    const input = parse(data['poolwright.yaml'] ?? '') as ConfigInput;
    const checked = resolveConfig(input);
    if (!checked.ok) throw new Error(checked.text);
    const container = containerOf(objects);
    expect(container.ports).toEqual([{ name: 'http', containerPort: checked.config.http.port }]);
    expect(isMounted(checked.config.http.tokenFile ?? '', container)).toBe(true);
    const file = container.args.find((arg) => arg.startsWith('--config='))?.slice('--config='.length) ?? '';
    expect(isMounted(file, container)).toBe(true);
  });

  test('is a bridge whose options the command line knows, with files that are there', async () => {
    const objects = await render({ ...least, bridge: { ...bridge, caConfigMap: { name: 'ca', key: 'ca.crt' } } });
    const container = containerOf(objects);
    const [command, ...args] = container.args;
    expect(command).toBe('bridge');
    const { options } = addBridgeOptions(new Command('bridge'));
    for (const arg of args) {
      const [name, value = ''] = arg.split('=');
      expect(options.map(({ long }) => long)).toContain(name);
      if (name?.endsWith('-file')) expect(isMounted(value, container)).toBe(true);
    }
  });

  test.each([
    ['https://poolwright.example', [443, 6443, 8006]],
    ['http://poolwright.example', [443, 6443, 8006, 80]],
    ['https://poolwright.example:8443/x', [443, 6443, 8006, 8443]],
    ['https://[fd00::1]:9443', [443, 6443, 8006, 9443]],
  ])('may reach where the events go: %s', async (url, ports) => {
    const objects = await render({
      ...least,
      bridge: { ...bridge, url },
      networkPolicy: { egressPorts: [8006] },
    });
    const { egress } = named(objects, 'NetworkPolicy', 'test-poolwright-bridge').spec as {
      egress: { ports: { port: number }[] }[];
    };
    expect(egress[1]?.ports.map(({ port }) => port)).toEqual(ports);
  });

  test('has alerts and a dashboard where they are wanted, with their own variables untouched', async () => {
    const find = async (values: Values, kind: string) =>
      (await render({ ...least, ...values })).filter((object) => object.kind === kind) as unknown as {
        metadata: { name: string; labels: Record<string, string> };
        spec: { groups: { rules: { alert: string; annotations: { summary: string } }[] }[] };
        data: Record<string, string>;
      }[];
    const [rule] = await find(
      { prometheusRule: { enabled: true, labels: { release: 'prometheus' } } },
      'PrometheusRule',
    );
    expect(rule?.metadata.labels.release).toBe('prometheus');
    expect(rule?.spec.groups[0]?.rules.map(({ alert }) => alert)).toContain('PoolwrightClusterReadOnly');
    expect(rule?.spec.groups[0]?.rules[0]?.annotations.summary).toContain('{{ $labels.cluster }}');
    const boards = await find({ dashboard: { enabled: true } }, 'ConfigMap');
    const board = boards.find(({ metadata }) => metadata.labels.grafana_dashboard === '1');
    expect(JSON.parse(board?.data['poolwright.json'] ?? '{}')).toMatchObject({ title: 'Poolwright' });
    expect(await find({}, 'PrometheusRule')).toEqual([]);
  });

  test('is watched with the token that the host asks for', async () => {
    const objects = await render({ ...least, host: { ...host, enabled: true }, serviceMonitor: { enabled: true } });
    const { endpoints } = named(objects, 'ServiceMonitor', 'test-poolwright-host').spec as { endpoints: Json[] };
    expect(endpoints).toEqual([
      expect.objectContaining({ path: '/metrics', authorization: { credentials: host.tokenSecret } }),
    ]);
    expect(endpoints[0]).not.toHaveProperty('scheme');
  });

  test('is watched over TLS where it speaks that', async () => {
    const tls = { certFile: '/etc/poolwright/tls/tls.crt', keyFile: '/etc/poolwright/tls/tls.key' };
    const tlsConfig = { serverName: 'poolwright.example' };
    const objects = await render({
      ...least,
      host: { ...host, enabled: true, config: { http: { tls } } },
      serviceMonitor: { enabled: true, tlsConfig },
    });
    const { endpoints } = named(objects, 'ServiceMonitor', 'test-poolwright-host').spec as { endpoints: Json[] };
    expect(endpoints).toEqual([expect.objectContaining({ scheme: 'https', tlsConfig })]);
    const bridge = named(objects, 'PodMonitor', 'test-poolwright-bridge').spec as { podMetricsEndpoints: Json[] };
    expect(bridge.podMetricsEndpoints[0]).not.toHaveProperty('scheme');
  });

  test('is called by the webhook as the host itself describes it', async () => {
    const caBundle = '-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n';
    const options = {
      url: 'https://poolwright.example/',
      pathSecret: 'not-a-real-secret-1',
      caBundle,
      timeoutSeconds: 4,
    };
    const objects = await render({ ...least, webhook: { enabled: true, ...options } });
    const made = named(objects, 'ValidatingWebhookConfiguration', 'test-poolwright');
    expect(made.webhooks).toEqual(webhookConfiguration({ cluster: 'east', ...options }).webhooks);
  });
});

describe('the rights', () => {
  type Binding = KubeManifest & { subjects: { name: string; namespace: string }[] };

  test('are those of the one list, in the namespace of the release, for what runs', async () => {
    const objects = await render({ ...least, host: { ...host, enabled: true }, rbac: { functions: false } });
    const options = { ...usualRights, namespace: 'tools' };
    for (const account of ['bridge', 'provisioner', 'reader', 'operator'] as const) {
      for (const { kind, metadata, rules } of rbacObjects(account, options)) {
        if (rules === undefined) continue;
        const role = objects.find(
          (one) =>
            one.kind === kind && one.metadata.name === metadata.name && one.metadata.namespace === metadata.namespace,
        );
        expect(role?.rules, `${kind} ${metadata.name}`).toEqual(rules);
      }
    }
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding')) as Binding[];
    expect(
      new Set(bindings.flatMap(({ subjects }) => subjects.map(({ namespace, name }) => `${namespace}/${name}`))),
    ).toEqual(new Set(['tools/poolwright-bridge', 'tools/poolwright-host']));
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
    expect(accounts.sort()).toEqual(['poolwright-bridge', 'poolwright-host']);
    for (const pod of podsOf(objects)) expect(accounts).toContain(pod.spec.serviceAccountName);
  });

  test('carry the annotations that workload identity asks for', async () => {
    const objects = await render({ ...least, serviceAccount: { annotations: { 'example.dev/role': 'nodes' } } });
    expect(named(objects, 'ServiceAccount', 'poolwright-bridge').metadata).toMatchObject({
      annotations: { 'example.dev/role': 'nodes' },
    });
  });
});

describe('on a real API server', () => {
  // One of its own: the names of cluster-wide roles are fixed, and other tests use the shared one with them.
  let kube: KubeApiserver;
  beforeAll(async () => {
    kube = await startKubeApiserver();
  }, 120_000);
  afterAll(() => kube?.stop());

  const makeNamespace = async (labels: Record<string, string> = {}): Promise<string> => {
    const name = freshName('chart');
    const metadata = { name, labels };
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata });
    return name;
  };

  test('its pods are allowed where Pod Security is at its strictest', async () => {
    const namespace = await makeNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const pods = podsOf(await render({ clusterName: 'east', bridge, host: { ...host, enabled: true } }));
    expect(pods).toHaveLength(2);
    for (const [index, { spec }] of pods.entries()) {
      const { code, body } = await kube.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `pod-${index}` },
        // The priority class is one that only some namespaces may use.
        spec: { ...spec, priorityClassName: null },
      } as Json);
      expect([code, body.message]).toEqual([201, undefined]);
    }
  });

  test('is installed, upgraded in one value, and removed', async () => {
    const namespace = await makeNamespace();
    const release = [`--kubeconfig=${kube.kubeconfig}`, `--namespace=${namespace}`];
    const values = setting({
      ...least,
      host: { ...host, enabled: true },
      webhook: { enabled: true, url: 'https://poolwright.example' },
    });
    const settings = async (): Promise<unknown> =>
      (await kube.request('GET', `/api/v1/namespaces/${namespace}/configmaps/poolwright-settings`)).body.data;
    try {
      const installed = await helm('install', 'poolwright', chart, ...release, ...values);
      expect(installed.out).toContain('STATUS: deployed');
      expect(await settings()).toEqual({ 'settings.azure.providerType': 'aks' });
      const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      expect((await kube.request('GET', `${definitions}/nodeclaims.karpenter.sh`)).code).toBe(200);

      const upgraded = await helm(
        'upgrade',
        'poolwright',
        chart,
        ...release,
        '--reuse-values',
        '--set',
        'settings.azure.providerType=arc',
      );
      expect(upgraded.out).toContain('STATUS: deployed');
      expect(await settings()).toEqual({ 'settings.azure.providerType': 'arc' });
    } finally {
      const removed = await helm('uninstall', 'poolwright', ...release);
      expect(removed.out).toContain('uninstalled');
    }
  });
});
