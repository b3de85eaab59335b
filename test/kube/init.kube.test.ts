/** What `poolwright init` writes, on a real API server. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { poolwright } from '../cli/collect.ts';
import type { KubeManifest } from './cluster.ts';
import { useOwnKube } from './own-kube.ts';

const kube = useOwnKube();
const folder = mkdtempSync(join(tmpdir(), 'poolwright-init-kube-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const azure = ['--subscription', '00000000-0000-0000-0000-000000000000', '--resource-group', 'group'];

it.each<[string, string[]]>([
  ['sim', []],
  ['ec2', ['--region', 'eu-west-1', '--cluster-name', 'web']],
  ['aks', ['--location', 'eastus', '--cluster-name', 'web', ...azure]],
  ['arc', ['--cluster-name', 'web', ...azure]],
])('a claim and a pool for %s are accepted', async (provider, flags) => {
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, readFileSync(kube().kubeconfig, 'utf8'));
  expect((await poolwright('crds', 'install', '--yes', '--kubeconfig', kubeconfig)).code).toBe(0);
  for (const wish of ['--claim', '--pool']) {
    const manifest = join(folder, `${provider}${wish}.yaml`);
    const { code, err } = await poolwright(
      ...['init', '--yes', '--provider', provider, ...(provider === 'sim' ? [] : ['--kubeconfig', kubeconfig])],
      ...[
        ...flags,
        wish,
        `init-${provider}`,
        '--file',
        join(folder, `${provider}${wish}.config.yaml`),
        '--manifest',
        manifest,
      ],
    );
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    const objects: KubeManifest[] = parseAllDocuments(readFileSync(manifest, 'utf8')).map((one) => one.toJS());
    await kube().apply(...objects);
  }
});
