import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ok } from '../../../shared/base/result.ts';
import { systemClock, systemRandom } from '../../../shared/base/runtime.ts';
import { type ConfigInput, resolveConfig } from '../../../shared/config/load.ts';
import { noClusterSettings } from '../../../shared/kube/cluster-settings.ts';
import { nodes } from '../../../shared/kube/contract.ts';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { startClusterApi } from '../../../sim/cluster/server.ts';
import { selfSigned } from '../../../sim/kit/self-signed.ts';
import { testContext } from '../../../test/stand-ins/provider-context.ts';
import { connectClusters, lookAtClusters, preferredProviders } from './cluster-services.ts';

async function connect(clusters: ConfigInput['clusters']) {
  const resolved = resolveConfig({ clusters });
  if (!resolved.ok) throw new Error(resolved.text);
  const log = collectingLog();
  const metrics = createMetrics({ version: 'test' });
  const connected = await connectClusters({
    config: resolved.config,
    clock: systemClock,
    random: systemRandom,
    state: testContext().state,
    log,
    metrics,
    env: {},
  });
  onTestFinished(() => void (connected.ok && connected.value.close()));
  return { connected, log, said: () => log.lines.map(({ event, ...line }) => [event, JSON.stringify(line)].join(' ')) };
}

const expired = () => {
  const { cert, key } = selfSigned('old', { from: Date.UTC(2020, 0), to: Date.UTC(2021, 0) });
  return { server: 'https://127.0.0.1:1', clientCertificate: cert, clientKey: key };
};

it('tells every mistake in the access to clusters at once', async () => {
  const { connected } = await connect({
    one: { kubeconfig: '/nowhere/one' },
    two: { server: 'https://h', certificateAuthority: '/nowhere/two' },
    fine: { server: 'http://127.0.0.1:1' },
  });
  expect(connected).toMatchObject({
    ok: false,
    error: {
      kind: 'invalid',
      message: expect.stringMatching(
        /^clusters\.one\.kubeconfig: .*\nclusters\.two\.certificateAuthority: .*ENOENT.*$/,
      ),
    },
  });
});

it('goes on without a cluster whose certificate has expired, and stops when no other is left', async () => {
  const some = await connect({ old: expired(), fine: { server: 'http://127.0.0.1:1' } });
  expect(some.connected).toMatchObject({ ok: true });
  expect(some.said()).toEqual([expect.stringMatching(/cluster\.access\.doubtful.*CN=old expired on 2021-01-01/)]);
  const none = await connect({ old: expired() });
  expect(none.connected).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('expired on 2021-01-01') },
  });
});

it('does not wait for a cluster that swallows everything, and finds two names for one cluster', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const server = await startClusterApi({ file: ':memory:', port: 0 });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await server.close();
  });
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { connected, said, log } = await connect({
    dead: { server: `http://127.0.0.1:${port}` },
    first: { server: server.url },
    second: { server: server.url },
  });
  if (!connected.ok) throw new Error(connected.error.message);
  const { clusters } = connected.value;
  // Which of the two answers first is decided here, so that the lines are always the same.
  await clusters[1]?.identity();
  void lookAtClusters(clusters, log);
  await expect.poll(() => said().length).toBe(3);
  expect(said()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/cluster\.twice.*clusters\.first and clusters\.second are the same cluster/),
      expect.stringMatching(/cluster\.reached.*first/),
      expect.stringMatching(/cluster\.unreachable.*second/),
    ]),
  );
  expect(await clusters[1]?.api.list(nodes)).toMatchObject({ ok: true });
  expect(await clusters[2]?.api.list(nodes)).toMatchObject({
    ok: false,
    error: { kind: 'invalid' },
  });
});

describe('preferredProviders', () => {
  const says = (providerType?: 'aks' | 'arc') => ({
    ...noClusterSettings,
    current: async () => ok({ azure: { clusterName: '', ...(providerType ? { providerType } : {}) } }),
  });
  const east = (defaultProvider?: string) => ({ name: 'east', ...(defaultProvider ? { defaultProvider } : {}) });
  const first = async (...given: Parameters<typeof preferredProviders>): Promise<string | undefined> => {
    const answer = await preferredProviders(...given);
    return answer.ok ? answer.value[0] : `${answer.error.kind}: ${answer.error.message}`;
  };
  const both = ['arc', 'aks'];

  it("takes the cluster's word, then the configuration's, then the environment's, then managed clusters", async () => {
    const env = { AZURE_PROVIDER_TYPE: 'arc' };
    expect(await first(says('arc'), east('aks'), both, {})).toBe('arc');
    expect(await first(says(), east('mine'), both, env)).toBe('mine');
    expect(await first(says(), east(), both, env)).toBe('arc');
    expect(await first(says(), east(), both, {})).toBe('aks');
  });

  it('refuses a type that is not configured', async () => {
    expect(await first(says('arc'), east(), ['aks'], {})).toMatch(/^not-ready: .*no provider of type arc/);
  });

  it('reads nothing for a cluster without Azure', async () => {
    const unread = { ...noClusterSettings, current: () => Promise.reject(new Error('was read')) };
    expect(await first(unread, east(), ['ec2', 'sim'], {})).toBeUndefined();
    expect(await first(unread, east('sim'), ['ec2', 'sim'], {})).toBe('sim');
  });
});
