/** The admission webhook as a real API server calls it: over TLS, by URL, in a cluster that has no node. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookConfiguration } from '../../infra/kubernetes/webhook.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import type { KubeCluster } from './cluster.ts';
import { isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';

const kube = useOwnKube();
const claims = '/apis/karpenter.sh/v1/nodeclaims';
const pathSecret = 'a-secret-in-the-path-0123456789';

/** A host that hears of claims by nothing but the webhook. */
async function setUp(cluster: KubeCluster, how: { secret?: string } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-webhook-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const { cert, key } = selfSigned('poolwright');
  const world = await startHostWorld(cluster, {
    cluster: { watch: false, resyncSeconds: '1h', intake: { pathSecrets: [pathSecret] } },
    config: { http: { port: 0, tls: { certFile: file('tls.crt', cert), keyFile: file('tls.key', key) } } },
  });
  const host = await world.startHost();
  const configure = (url: string) =>
    cluster.apply(webhookConfiguration({ cluster: 'kube', url, caBundle: cert, pathSecret: how.secret ?? pathSecret }));
  await configure(host.url);
  onTestFinished(async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/poolwright';
    await cluster.request('DELETE', path);
  });
  const admissions = async (): Promise<string> => (await host.metrics.expose()).text;
  // The API server takes a new configuration into use a moment later.
  const probe = { ...claim('probe'), metadata: { name: 'probe' } };
  if (how.secret === undefined) {
    await world.until(async () => {
      await cluster.request('POST', `${claims}?dryRun=All`, probe);
      return /^poolwright_admissions_total\{.*\} [1-9]/m.test(await admissions());
    });
  }
  return { world, host, admissions };
}

const claim = (name: string, spec: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    resources: { requests: { cpu: '1' } },
    ...spec,
  },
});

const contradiction = [
  { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-a'] },
  { key: 'topology.kubernetes.io/zone', operator: 'NotIn', values: ['zone-a'] },
];

describe('the webhook on a real API server', () => {
  it('brings a claim up and down by itself: it fires before the object is stored, and the watcher copes', async () => {
    const { world } = await setUp(kube());
    expect((await kube().request('POST', claims, claim('by-webhook'))).code).toBe(201);
    await world.until(async () => isTrue(await world.claim('by-webhook'), 'Launched'));

    await kube().request('DELETE', `${claims}/by-webhook`);
    await world.until(async () => (await world.claim('by-webhook')) === undefined);
    await world.until(() => world.cloud.living === 0);
    expect(world.cloud.overlaps()).toEqual([]);
  });

  it('sees the uid and the name that a claim will have, also one that the server names', async () => {
    const { world } = await setUp(kube());
    const generated = { ...claim('x'), metadata: { generateName: 'named-by-server-' } };
    const created = await kube().request('POST', claims, generated);
    expect(created.code).toBe(201);
    const { name } = created.body.metadata;
    await world.until(async () => isTrue(await world.claim(name), 'Launched'));
    await kube().request('DELETE', `${claims}/${name}`);
    await world.until(async () => (await world.claim(name)) === undefined);
  });

  it('refuses a claim that could never be served, with words that kubectl shows', async () => {
    await setUp(kube());
    const answer = await kube().request('POST', claims, claim('wrong', { requirements: contradiction }));
    expect(answer.code).toBe(422);
    expect(answer.body.message).toMatch(
      /^admission webhook "claims\.poolwright\.dev" denied the request: spec\.requirements/,
    );
    expect(answer.body.message).toContain('topology.kubernetes.io/zone');
  });

  it('puts no event on the queue for a dry run', async () => {
    const { world, host, admissions } = await setUp(kube());
    const before = await host.services.events.stats();
    const count = async (): Promise<number> =>
      Number(
        /poolwright_admissions_total\{cluster="kube",operation="create",verdict="allowed"\} (\d+)/.exec(
          await admissions(),
        )?.[1],
      );
    const asked = await count();
    expect((await kube().request('POST', `${claims}?dryRun=All`, claim('dry'))).code).toBe(201);
    expect(await count()).toBe(asked + 1);
    expect(await host.services.events.stats()).toEqual(before);
    expect(await world.claim('dry')).toBeUndefined();
  });

  it('never holds up the user: while the host is away claims are made, changed and deleted', async () => {
    const { host } = await setUp(kube());
    await host.stop();
    expect((await kube().request('POST', claims, claim('alone', { requirements: contradiction }))).code).toBe(201);
    expect((await kube().request('DELETE', `${claims}/alone`)).code).toBe(200);
  });

  it('lets an invalid claim that was stored without it be changed in its metadata, and be deleted', async () => {
    const stored = await kube().request('POST', claims, claim('invalid', { requirements: contradiction }));
    expect(stored.code).toBe(201);
    await setUp(kube());
    const patch = { metadata: { labels: { a: 'b' } } };
    const changed = await kube().request('PATCH', `${claims}/invalid`, patch, 'application/merge-patch+json');
    expect(changed.code).toBe(200);
    expect((await kube().request('DELETE', `${claims}/invalid`)).code).toBe(200);
  });

  it('is not answered without the secret, which no log shows', async () => {
    const { world, admissions } = await setUp(kube(), { secret: 'another-secret-0123456789' });
    // The server says how often it went on without an answer, so the webhook was asked indeed.
    await world.until(async () => {
      await kube().request('POST', `${claims}?dryRun=All`, claim('stranger'));
      const { body } = await kube().request('GET', '/metrics');
      return /^apiserver_admission_webhook_fail_open_count\{name="claims\.poolwright\.dev".*\} [1-9]/m.test(
        String(body),
      );
    });
    expect((await kube().request('POST', claims, claim('stranger'))).code).toBe(201);
    expect(await admissions()).not.toMatch(/^poolwright_admissions_total\{/m);
    expect(JSON.stringify(world.log.lines)).not.toMatch(/secret-in-the-path|another-secret/);
    await world.api.delete(nodeClaims, { name: 'stranger' }, {});
  });
});
