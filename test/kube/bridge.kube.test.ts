/** The bridge between a real API server and a host that does not watch: it loses nothing, whoever dies and whenever. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookConfiguration } from '../../infra/kubernetes/webhook.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { productAccount } from './accounts.ts';
import { type BridgeProcess, startBridgeProcess } from './bridge-process.ts';
import type { KubeCluster } from './cluster.ts';
import { isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';

const kube = useOwnKube();
const token = 'the-token-of-this-cluster-0123456789';

/** The host hears of the cluster by what others send, unless `cluster` says otherwise. */
async function setUp(cluster: KubeCluster, more: { cluster?: object } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-bridge-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const port = await freePort();
  const { cert, key } = selfSigned('poolwright');
  const world = await startHostWorld(cluster, {
    cluster: { watch: false, resyncSeconds: '1h', intake: { tokens: [token] }, ...more.cluster },
    config: { http: { port, tls: { certFile: file('tls.crt', cert), keyFile: file('tls.key', key) } } },
  });
  const account = await productAccount(cluster, 'bridge', directory);
  const args = [
    ['--cluster', 'kube'],
    ['--kubeconfig', account.kubeconfig],
    ['--to', `https://127.0.0.1:${port}`],
    ['--ca-file', join(directory, 'tls.crt')],
    ['--token-file', file('token', token)],
    ['--state-dir', join(directory, 'state')],
  ].flat();
  const startBridge = async (): Promise<BridgeProcess> => {
    const bridge = startBridgeProcess(args);
    const probes = await bridge.probes;
    await world.until(async () => (await fetch(`${probes}/readyz`)).status === 200);
    return bridge;
  };
  return { world, startBridge, cert, args };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

const events = (bridge: BridgeProcess): string[] => bridge.lines.map(({ event }) => event);

describe('the bridge on a real API server', () => {
  it('with its own rights alone, brings claims up and down, and ends in order', async () => {
    const { world, startBridge } = await setUp(kube());
    await world.startHost();
    const bridge = await startBridge();
    await world.createClaim('bridged');
    await world.until(async () => isTrue(await world.claim('bridged'), 'Ready'));
    await world.api.delete(nodeClaims, { name: 'bridged' }, {});
    await world.until(async () => (await world.claim('bridged')) === undefined);
    expect(world.cloud.overlaps()).toEqual([]);
    expect(await bridge.kill('SIGTERM')).toBe(0);
    expect(events(bridge).filter((event) => event !== 'bridge.started' && event !== 'bridge.stopped')).toEqual([]);
  });

  it('goes on from its bookmark after kill -9, and tells what happened meanwhile', async () => {
    const { world, startBridge } = await setUp(kube());
    await world.startHost();
    const first = await startBridge();
    await world.createClaim('goes');
    await world.until(async () => isTrue(await world.claim('goes'), 'Ready'));
    await first.kill('SIGKILL');
    await world.createClaim('comes');
    await world.api.delete(nodeClaims, { name: 'goes' }, {});

    const second = await startBridge();
    await world.until(async () => isTrue(await world.claim('comes'), 'Ready'));
    await world.until(async () => (await world.claim('goes')) === undefined);
    expect(events(second)).toContain('bridge.resumed');
    await world.api.delete(nodeClaims, { name: 'comes' }, {});
    await world.until(async () => (await world.claim('comes')) === undefined);
  });

  it('keeps what the host does not take, and says why meanwhile', async () => {
    const { world, startBridge, args } = await setUp(kube());
    const host = await world.startHost();
    await (await startBridge()).kill('SIGKILL');
    await host.stop();
    const bridge = startBridgeProcess(args);
    await world.createClaim('patient');
    const probes = await bridge.probes;
    await world.until(() => events(bridge).includes('bridge.send.failed'));
    expect(await (await fetch(`${probes}/readyz`)).text()).toMatch(/the queue does not accept events: .*ECONNREFUSED/);
    expect((await fetch(`${probes}/healthz`)).status).toBe(200);

    await world.startHost();
    await world.until(async () => isTrue(await world.claim('patient'), 'Ready'));
    expect((await fetch(`${probes}/readyz`)).status).toBe(200);
    await world.api.delete(nodeClaims, { name: 'patient' }, {});
    await world.until(async () => (await world.claim('patient')) === undefined);
  });
});

describe('one claim that the host, a bridge, the webhook and the resync all report', () => {
  it('is launched once and terminated once', async () => {
    const pathSecret = 'the-secret-of-this-webhook-0123456789';
    const intake = { tokens: [token], pathSecrets: [pathSecret] };
    const { world, startBridge, cert } = await setUp(kube(), { cluster: { watch: true, resyncSeconds: 1, intake } });
    const host = await world.startHost();
    const bridge = await startBridge();
    await kube().apply(webhookConfiguration({ cluster: 'kube', url: host.url, caBundle: cert, pathSecret }));
    onTestFinished(async () => {
      const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/poolwright';
      await kube().request('DELETE', path);
    });
    const metric = async (name: string, from = host.metrics.expose().then(({ text }) => text)): Promise<number> =>
      (await from)
        .split('\n')
        .filter((line) => line.startsWith(name))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    const probe = {
      nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
      requirements: [],
    };
    await world.until(async () => {
      const object = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'probe' }, spec: probe };
      await kube().request('POST', '/apis/karpenter.sh/v1/nodeclaims?dryRun=All', object);
      return (await metric('poolwright_admissions_total')) > 0;
    });
    const told = await metric('poolwright_admissions_total');

    await world.createClaim('once');
    await world.until(async () => isTrue(await world.claim('once'), 'Ready'));
    await world.api.delete(nodeClaims, { name: 'once' }, {});
    await world.until(async () => (await world.claim('once')) === undefined);

    // Everybody has told of it.
    expect(await metric('poolwright_admissions_total')).toBeGreaterThanOrEqual(told + 2);
    const ofBridge = fetch(`${await bridge.probes}/metrics`).then((answer) => answer.text());
    expect(await metric('poolwright_bridge_events_sent_total{type="dev.poolwright.claim', ofBridge)).toBeGreaterThan(1);
    // And it happened once.
    const calls = (method: string): Promise<number> =>
      metric(`karpenter_cloudprovider_duration_seconds_count{controller="poolwright",method="${method}"`);
    expect(await calls('beginCreate')).toBe(1);
    expect(await calls('beginDelete')).toBe(1);
    const { items } = await host.engine.list({});
    expect(items.map(({ workflow, epoch }) => [workflow, epoch > 0]).sort()).toEqual([
      ['launch', true],
      ['terminate', true],
    ]);
    expect(world.cloud.overlaps()).toEqual([]);
  });
});
