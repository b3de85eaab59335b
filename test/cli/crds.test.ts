import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { defined } from '../../shared/base/defined.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { customResourceDefinitions, type KubeObject } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { crdsOfRelease } from '../../shared/providers/definitions.ts';
import { type ClusterApi, kubeconfigFor, startClusterApi } from '../../sim/cluster/server.ts';
import { poolwright, poolwrightAnswering } from './collect.ts';

let directory = '';
let kubeconfig = '';
let server: ClusterApi;
let api: ReturnType<typeof connectCluster>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-crds-'));
  kubeconfig = join(directory, 'kubeconfig');
  server = await startClusterApi({ file: ':memory:', port: 0 });
  writeFileSync(kubeconfig, kubeconfigFor(server.url));
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 60_000, fieldManager: 'test' };
  api = connectCluster({ name: 'sim', url: server.url, ...common });
});
afterEach(async () => {
  api.close();
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

const remove = (name: string) => api.delete(customResourceDefinitions, { name }, {});
const read = async (name: string) => {
  const answer = await api.get<KubeObject>(customResourceDefinitions, { name });
  return answer.ok ? answer.value : undefined;
};

/** Passes everything on, but says of one definition some times that it is not served yet, as a real API server does. */
async function startLateServer(target: string, name: string, times: number) {
  let left = times;
  const proxy = createServer(async (request, response) => {
    const body = request.method === 'GET' ? undefined : await text(request);
    const headers = { 'Content-Type': request.headers['content-type'] ?? 'application/json' };
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...defined({ body }),
    });
    let said = await answer.text();
    if (request.method === 'GET' && request.url?.endsWith(`/${name}`) && answer.ok && left > 0) {
      left -= 1;
      const status = { conditions: [{ type: 'Established', status: 'False', message: 'not yet' }] };
      said = JSON.stringify({ ...JSON.parse(said), status });
    }
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(said);
  });
  await new Promise<void>((up) => proxy.listen(0, '127.0.0.1', up));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, refusals: () => left };
}

describe('poolwright crds', () => {
  test('check names what is missing, how to install it, and fails', async () => {
    await remove('nodeclaims.karpenter.sh');

    const { code, out } = await poolwright('crds', 'check', '--kubeconfig', kubeconfig);

    expect(code).toBe(1);
    expect(out).toContain('nodeclaims.karpenter.sh is not installed');
    expect(out).toContain('poolwright crds install');
    expect(out).toContain('nodepools.karpenter.sh: usable (made by Poolwright');
    expect(await read('nodeclaims.karpenter.sh')).toBeUndefined();
  });

  test('install adds what is missing and leaves the rest as it is', async () => {
    await remove('nodeclaims.karpenter.sh');
    const before = await read('nodepools.karpenter.sh');

    const { code, out } = await poolwright('crds', 'install', '--yes', '--kubeconfig', kubeconfig);

    expect(code).toBe(0);
    expect(out).toContain('nodeclaims.karpenter.sh: installed\n');
    expect(out).toContain('nodepools.karpenter.sh: already installed');
    expect(await read('nodeclaims.karpenter.sh')).toMatchObject({ spec: { group: 'karpenter.sh' } });
    expect(await read('nodepools.karpenter.sh')).toEqual(before);
  });

  test('install reports every definition that it creates, those of other clouds too', async () => {
    const names = (await crdsOfRelease('0.1.0')).map(({ metadata }) => metadata.name);
    for (const name of names) await remove(name);

    const { out } = await poolwright('crds', 'install', '--yes', '--kubeconfig', kubeconfig);

    expect(out.split('\n').filter((line) => line.endsWith(': installed'))).toHaveLength(names.length);
    for (const name of names) expect(out).toContain(`${name}: installed\n`);
  });

  test('install names what and where before it does it, and does it after a yes only', async () => {
    await remove('nodeclaims.karpenter.sh');
    const install = ['crds', 'install', '--kubeconfig', kubeconfig];
    const change = `Install 1 definition (nodeclaims.karpenter.sh) in cluster ${kubeconfig}`;

    expect(await poolwright(...install)).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining(`${change}?`),
    });
    expect(await poolwright(...install, '--dry-run')).toEqual({
      code: 0,
      out: '',
      err: `${change}: not done, because of --dry-run.\n`,
    });
    expect(await poolwrightAnswering('n', ...install)).toMatchObject({ code: 3, questions: [`${change}? [y/N] `] });
    expect(await read('nodeclaims.karpenter.sh')).toBeUndefined();
    expect(await poolwrightAnswering('y', ...install)).toMatchObject({ code: 0 });
    expect(await read('nodeclaims.karpenter.sh')).toBeDefined();
    expect(await poolwright(...install)).toMatchObject({ code: 0, err: '' });
  });

  test('install waits until the API server serves what was installed', async () => {
    await remove('nodeclaims.karpenter.sh');
    const late = await startLateServer(server.url, 'nodeclaims.karpenter.sh', 2);
    writeFileSync(kubeconfig, kubeconfigFor(late.url));

    const { code, out } = await poolwright('crds', 'install', '--yes', '--kubeconfig', kubeconfig);

    expect([code, late.refusals()]).toEqual([0, 0]);
    expect(out).toContain('nodeclaims.karpenter.sh: installed\n');
  });

  test('install does not replace a definition that is too old, and says so', async () => {
    const crd = (await read('nodeclaims.karpenter.sh')) as KubeObject & { spec: { versions: object[] } };
    await remove('nodeclaims.karpenter.sh');
    const versions = crd.spec.versions.map((one) => ({ ...one, name: 'v1beta1' }));
    const old = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'nodeclaims.karpenter.sh' },
      spec: { ...crd.spec, versions },
    };
    await api.create(customResourceDefinitions, JSON.parse(JSON.stringify(old)));
    const before = await read('nodeclaims.karpenter.sh');

    const { code, out } = await poolwright('crds', 'install', '--yes', '--kubeconfig', kubeconfig);

    expect(code).toBe(1);
    expect(out).toContain('nodeclaims.karpenter.sh is too old: it serves v1beta1, not v1');
    expect(await read('nodeclaims.karpenter.sh')).toEqual(before);
  });

  test.each([['--json'], ['--output=json']])('%s is one document', async (flag) => {
    const { code, out } = await poolwright('crds', 'check', '--kubeconfig', kubeconfig, flag);

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      installed: [],
      findings: [
        { name: 'nodeclaims.karpenter.sh', state: 'usable', required: true },
        { name: 'nodepools.karpenter.sh' },
        { name: 'simnodeclasses.poolwright.dev' },
        { name: 'arcnodeclasses.poolwright.dev' },
        { name: 'ec2nodeclasses.karpenter.k8s.aws' },
        { name: 'cloudstacknodeclasses.karpenter.k8s.cloudstack' },
        { name: 'machinenodeclasses.poolwright.dev' },
      ],
    });
  });

  test('a kubeconfig that is not there is named', async () => {
    const { code, err } = await poolwright('crds', 'check', '--kubeconfig', join(directory, 'none'));

    expect(code).toBe(1);
    expect(err).toContain('none');
    expect(err).toContain('--kubeconfig');
  });
});
