/** ClusterRequests on a real API server: what it refuses by itself, and what the webhook refuses for it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookConfiguration } from '../../infra/kubernetes/webhook.ts';
import { usualRights } from '../../scripts/generate/rbac.ts';
import { requestAnnotations } from '../../shared/clusters/request/marks.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { acceptedRequests, refusedRequests, requestOf } from '../clusters/definition-cases.ts';
import { applyRights } from './accounts.ts';
import { startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';

const kube = useOwnKube();
const path = '/apis/poolwright.dev/v1alpha1/namespaces/default/clusterrequests';
const mergePatch = 'application/merge-patch+json';

describe('the definition', () => {
  it.each(acceptedRequests)('%s is accepted', async (_what, spec) => {
    const { code, body } = await kube().request('POST', `${path}?dryRun=All&fieldValidation=Strict`, requestOf(spec));
    expect({ code, message: body.message }).toEqual({ code: 201, message: undefined });
  });

  it.each(refusedRequests)('%s is refused', async (_what, spec, says) => {
    const { code, body } = await kube().request('POST', `${path}?dryRun=All`, requestOf(spec));
    expect({ code, message: body.message }).toEqual({ code: 422, message: expect.stringContaining(says) });
  });
});

describe('the webhook', () => {
  const pathSecret = 'a-secret-in-the-path-0123456789';

  /** Each test has objects of its own; the host carries requests out as far as a cluster without an operator lets it. */
  async function setUp() {
    const directory = mkdtempSync(join(tmpdir(), 'poolwright-requests-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const file = (name: string, text: string): string => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const { cert, key } = selfSigned('poolwright');
    // As where the chart has rbac.clusterRequests.
    await applyRights(kube(), 'requests', usualRights);
    const world = await startHostWorld(kube(), {
      cluster: { watch: false, clusterRequests: {}, intake: { pathSecrets: [pathSecret] } },
      config: { http: { port: 0, tls: { certFile: file('tls.crt', cert), keyFile: file('tls.key', key) } } },
    });
    const host = await world.startHost();
    await kube().apply(webhookConfiguration({ cluster: 'kube', url: host.url, caBundle: cert, pathSecret }));
    onTestFinished(async () => {
      const configured = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/poolwright';
      await kube().request('DELETE', configured);
    });
    // The API server takes a new configuration into use a moment later.
    await world.until(async () => {
      const probe = requestOf({ nodePool: { type: 'none' } }, 'probe');
      return (await kube().request('POST', `${path}?dryRun=All`, probe)).code === 422;
    });
    return world;
  }
  const create = (name: string, spec: object) => kube().request('POST', path, requestOf(spec, name));
  const remove = async (name: string): Promise<void> => {
    await kube().request('PATCH', `${path}/${name}`, { metadata: { finalizers: null } }, mergePatch);
    await kube().request('DELETE', `${path}/${name}`);
  };

  it('refuses what no definition can say, in words that kubectl shows', async () => {
    await setUp();
    const { code, body } = await create('wrong', { nodePool: { type: 'standart' }, kubernetesVersion: '1.19' });
    expect(code).toBe(422);
    expect(body.message).toMatch(/^admission webhook "claims\.poolwright\.dev" denied the request: /);
    expect(body.message).toContain('write standard, or');
    expect(body.message).toContain('(PoolTypeUnknown)');
    expect(body.message).toContain('(KubernetesVersionUnsupported)');
  });

  it('refuses a second request for one cluster, and takes it under another name', async () => {
    await setUp();
    expect((await create('one', { clusterName: 'Shop', resourceGroup: 'rg-shop' })).code).toBe(201);
    const same = await create('two', { clusterName: 'shop', resourceGroup: 'rg-shop' });
    expect(same.body.message).toContain('(ClusterRequestsCollide)');
    expect((await create('two', { clusterName: 'other', resourceGroup: 'rg-other' })).code).toBe(201);
    await remove('one');
    await remove('two');
  });

  it('refuses a change that a cluster cannot follow, and lets metadata, status and deletions through', async () => {
    await setUp();
    const made = await create('moved', {});
    expect(made.code).toBe(201);
    const { uid } = made.body.metadata;
    const record = {
      ...{ uid, deployment: 'test', attempt: 1, generation: 1, spec: { location: 'westeurope' }, resolved: {} },
      ...{ versions: {}, begun: ['ResourceGroup'], failures: 0, poolsExist: false },
    };
    const annotations = { [requestAnnotations.record]: JSON.stringify(record) };
    const patch = (change: object) => kube().request('PATCH', `${path}/moved`, change as never, mergePatch);
    expect((await patch({ metadata: { annotations } })).code).toBe(200);
    const moved = await patch({ spec: { location: 'northeurope' } });
    expect({ code: moved.code, message: moved.body.message }).toEqual({
      code: 422,
      message: expect.stringMatching(/spec\.location: .*\(ChangeNotPossible\)/),
    });
    expect((await patch({ spec: { tier: 'Standard' } })).code).toBe(200);
    await remove('moved');
  });
});
