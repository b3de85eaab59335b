/** `poolwright adopt` and `poolwright get providers`, against the HTTP app with a simulated cluster and cloud behind it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { formats } from '../../cli/terminal/output/formats.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { type KubeObject, nodeClaims } from '../../shared/kube/contract.ts';
import { annotations, terminationFinalizer } from '../../shared/nodes/claims/spec/well-known.ts';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { servingOf } from '../../shared/providers/serving.ts';
import { createSimProvider } from '../../shared/providers/sim/provider.ts';
import { startSimCloud } from '../../sim/cloud/start.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';
import { value } from '../conformance/providers/requests.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

let server: Awaited<ReturnType<typeof startClusterApi>>;
let cloud: Awaited<ReturnType<typeof startSimCloud>>;
let api: ReturnType<typeof connectCluster>;
let world: HostWorld;
let claims = 0;

beforeAll(async () => {
  server = await startClusterApi({ file: ':memory:', port: 0 });
  cloud = await startSimCloud({ bootSeconds: 0 });
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 10_000, fieldManager: 'test' };
  api = connectCluster({ name: 'production', url: server.url, ...common });
});
beforeEach(async () => {
  const provider = createSimProvider({ url: cloud.url });
  const serving = servingOf.bind(undefined, [{ provider, type: 'sim' }]);
  world = await hostWorld({ api, cluster: { providers: [provider], serving } });
});
afterEach(() => world.close());
afterAll(async () => {
  api.close();
  await cloud.close();
  await server.close();
});

async function aMachine(tags: Record<string, string>): Promise<{ id: string; providerID: string }> {
  const offering = { instanceType: 'general-medium', zone: 'zone-a', capacityType: 'on-demand' };
  const body = JSON.stringify({ name: 'theirs', ...offering, tags });
  return (await (await fetch(`${cloud.url}/instances`, { method: 'POST', body })).json()) as {
    id: string;
    providerID: string;
  };
}

/** A claim that another provisioner has launched. */
async function theirClaim(): Promise<{ name: string; uid: string; id: string }> {
  const name = `old-${++claims}`;
  const { metadata } = value(
    await api.create(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, finalizers: [terminationFinalizer] },
      spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
    }),
  );
  const machine = await aMachine({ 'karpenter.sh/nodeclaim': name, 'karpenter.sh/cluster': 'kube-system-uid' });
  const launched = { type: 'Launched', status: 'True', reason: 'Launched', message: '' };
  const status = {
    providerID: machine.providerID,
    conditions: [{ ...launched, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  };
  value(await api.mergePatch(nodeClaims, { name }, { status }, { subresource: 'status' }));
  return { name, uid: metadata.uid, id: machine.id };
}

const recordOf = async (name: string): Promise<string | undefined> =>
  value(await api.get<KubeObject>(nodeClaims, { name })).metadata.annotations?.[annotations.attempt];

test('what would be tagged is shown, and nothing is done with --dry-run', async () => {
  const { name, uid, id } = await theirClaim();

  const said = await world.run('adopt', `claim/${name}`, '--cluster', 'production', '--dry-run');

  expect(said).toMatchObject({ code: 0, out: '' });
  const text = said.err.replaceAll(id, '<id>').replaceAll(uid, '<uid>').replaceAll(name, '<name>');
  await expect(text).toMatchFileSnapshot('__snapshots__/adopt/dry-run.txt');
  expect(await recordOf(name)).toBeUndefined();
});

test('it names its target and asks; a no changes nothing', async () => {
  const { name, id } = await theirClaim();
  const args = ['adopt', name, '--cluster', 'production'];

  const no = await world.runAnswering('no', ...args);
  const nobody = await world.run(...args);
  const yes = await world.runAnswering('y', ...args);

  expect(no).toMatchObject({ code: 3, out: '' });
  expect(no.questions).toEqual([
    `Adopt claim/${name} of cluster production: tag ${id} as owned by this deployment and write the attempt record on the claim? [y/N] `,
  ]);
  expect(nobody).toMatchObject({ code: 3, err: expect.stringContaining('--yes') });
  expect(yes).toMatchObject({ code: 0, out: `claim/${name} is adopted: attempt 1 at sim, ${id}\n` });
  expect(JSON.parse((await recordOf(name)) ?? '')).toMatchObject({ attempt: 1, provider: 'sim', state: 'open' });
});

test('a record that can not be read is written anew', async () => {
  const { name } = await theirClaim();
  const args = [name, '--cluster', 'production', '--yes', '-o', 'json'];
  await world.run('adopt', ...args);
  value(await api.mergePatch(nodeClaims, { name }, { metadata: { annotations: { [annotations.attempt]: '{' } } }));

  const { code, out } = await world.run('adopt', ...args);

  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ name, need: 'unreadable', tags: {}, done: true });
  expect(JSON.parse((await recordOf(name)) ?? '')).toMatchObject({ attempt: 1, state: 'open' });
});

test.each([
  ['a claim that is not there', ['claim/nobody', '--cluster', 'production'], 1, /has no NodeClaim nobody/],
  ['another kind', ['node/web-1'], 2, /Unknown kind "node"/],
  ['a cluster that is not served', ['claim/web-1', '--cluster', 'producton'], 2, /did you mean "production"/],
])('%s is refused', async (_, args, code, why) => {
  expect(await world.run('adopt', ...args, '--yes')).toMatchObject({ code, err: expect.stringMatching(why) });
});

test.each(formats)('providers as %s', async (format) => {
  await pause(world.services, { kind: 'provider', name: 'sim' }, 'too \u001b[2J dear');
  const { code, out } = await world.run('get', 'providers', '-o', format);
  expect(code).toBe(0);
  await expect(out).toMatchFileSnapshot(`__snapshots__/get/providers-${format}.txt`);
});

test('providers of one cluster, by name, or by their own name', async () => {
  expect((await world.run('get', 'providers', '--cluster', 'staging', '-o', 'name')).out).toBe('provider/sim\n');
  expect((await world.run('get', 'provider/sim', '-o', 'name')).out).toBe('provider/sim\n');
  expect((await world.run('get', 'providers', '--cluster', 'elsewhere')).out).toBe('');
});
