/** Adding a provider is adding its folder and a line in the list: everything else follows, from the configuration to a Ready claim. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { provisioners } from '../../functions/catalog.ts';
import { type DataDirectory, openDataDirectory } from '../../functions/hosts/local/data-directory.ts';
import { type LocalHost, startLocalHost } from '../../functions/hosts/local/host.ts';
import { deployedFunctionFor } from '../../functions/provisioners/step-fields.ts';
import { type FunctionName, functionNames, roleResource } from '../../infra/aws/function-names.ts';
import { awsRights } from '../../infra/aws/rights.ts';
import { provisionFunctions, roles } from '../../infra/aws/template.ts';
import { providersPage, withMatrix } from '../../scripts/generate/provider-matrix.ts';
import { awsEntries } from '../../scripts/package/build.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { kindDefinitions } from '../../shared/providers/definitions.ts';
import { poolwright } from '../cli/collect.ts';
import { temporaryDirectory, useProcesses, worldBeside } from '../hosts/local/host-process.ts';
import { conditionStatus } from '../nodes/world.ts';
import { throwAwayClass } from './throw-away/kinds.ts';
import { given } from './throw-away/module.ts';

// The one line.
vi.mock(import('../../shared/providers/manifests.ts'), async (original) => {
  const { manifests } = await original();
  const { manifest } = await import('./throw-away/manifest.ts');
  const longer = [...manifests, manifest];
  return {
    manifests: longer as unknown as typeof manifests,
    manifestOf: (type: string) => longer.find((one) => one.type === type),
  };
});

useProcesses();
const hosts: LocalHost[] = [];
const held: DataDirectory[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
  for (const directory of held.splice(0)) directory.release();
});

const configured = (provider: object, cluster: object = {}) =>
  loadConfig(undefined, {}, {
    clusters: { one: { server: 'http://127.0.0.1:1', ...cluster } },
    providers: { p: provider },
  } as never);

describe('a provider that is one folder and one line', () => {
  test('has its fields, its checks and its variables in the configuration', () => {
    const wrong = configured({ type: 'throw-away', address: 'http://127.0.0.1:1', patience: 61, region: 'x' });
    expect(wrong.ok ? '' : wrong.text).toContain('providers.p.patience');
    expect(wrong.ok ? '' : wrong.text).toContain(
      'belongs to providers of type ec2, but this provider is of type throw-away',
    );
    const missing = configured({ type: 'throw-away' });
    expect(missing.ok ? '' : missing.text).toContain('providers.p.address must be the address of the cloud');
    const variable = loadConfig(undefined, { POOLWRIGHT_PROVIDERS_P_PATIENCE: '7' }, {
      providers: { p: { type: 'throw-away', address: 'http://127.0.0.1:1' } },
    } as never);
    expect(variable.ok && variable.config.providers.p).toMatchObject({ patience: 7 });
    const section = configured(
      { type: 'throw-away', address: 'http://127.0.0.1:1' },
      { azure: { corner: 'left', location: 'eastus' } },
    );
    expect(section.ok && section.config.clusters.one).toMatchObject({ azure: { corner: 'left', location: 'eastus' } });
  });

  test('has a function, a bundle and a role on AWS', async () => {
    expect(functionNames).toContain('provision-throw-away');
    expect(awsEntries().map(({ name }) => name)).toContain('provision-throw-away');
    const functions = await provisionFunctions({ resolveVariable: async () => 'main' });
    expect(functions).toHaveProperty(
      'provision-throw-away',
      expect.objectContaining({ role: roleResource('provision-throw-away') }),
    );
  });

  test('has the rights on AWS that a provider without needs of its own there has, and its role', async () => {
    const { Resources } = (await roles({ resolveVariable: async () => 'main' })) as { Resources: object };
    expect(Resources).toHaveProperty(roleResource('provision-throw-away'));
    const rightsOf = (name: FunctionName) =>
      awsRights.filter(({ functions }) => functions.includes(name)).map(({ id }) => id);
    expect(rightsOf('provision-throw-away').length).toBeGreaterThan(0);
    expect(rightsOf('provision-throw-away')).toEqual(rightsOf('provision-aks'));
  });

  test('has a function on Azure, to which its steps go', () => {
    expect(provisioners).toContain('provision-throw-away');
    expect(deployedFunctionFor({ provider: 'p', providerType: 'throw-away' })).toBe('provision-throw-away');
  });

  test('has the definition of its node class, and a column in the table of what providers can do', async () => {
    expect((await kindDefinitions()).map(({ kind }) => kind)).toContain(throwAwayClass.kind);
    const page = await withMatrix(readFileSync(providersPage, 'utf8'));
    expect(page).toMatch(/^\| \|.*\| \[`throw-away`\]\(throw-away\.md\) \|$/m);
    expect(page).toMatch(/^\| node classes \|.*\| ThrowAwayNodeClass \|$/m);
  });

  test('is offered by the wizard, with its flags', async () => {
    const folder = temporaryDirectory();
    const kubeconfig = join(folder, 'kubeconfig');
    const config = {
      'current-context': 'plain',
      contexts: [{ name: 'plain', context: { cluster: 'p', user: 'u' } }],
      clusters: [{ name: 'p', cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 'x' } }],
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const where = ['--kubeconfig', kubeconfig, '--file', join(folder, 'a.yaml'), '--manifest', join(folder, 'b.yaml')];
    const flags = ['--provider', 'throw-away', '--address', 'http://127.0.0.1:1'];
    const { code, out, err } = await poolwright('init', '--dry-run', ...where, ...flags);
    expect([code, err]).toEqual([0, expect.stringContaining('Nothing was written')]);
    expect(out).toContain('type: throw-away');
    expect(out).toContain('address: http://127.0.0.1:1');
    expect(out).toContain(`kind: ${throwAwayClass.kind}`);
  });

  test('brings a claim to Ready and takes it back', async () => {
    const { world, config } = await worldBeside();
    const settings = JSON.parse(readFileSync(config, 'utf8'));
    const clusters = { sim: { ...settings.clusters.sim, azure: { corner: 'left', location: 'eastus' } } };
    const providers = { mine: { type: 'throw-away', address: world.cloud.url, patience: 3 } };
    writeFileSync(config, JSON.stringify({ ...settings, clusters, providers }));
    const loaded = loadConfig(config, {}, {});
    if (!loaded.ok) throw new Error(loaded.text);
    const directory = openDataDirectory(temporaryDirectory());
    held.push(directory);
    const host = await startLocalHost({ config: loaded.config, directory, log: silentLog, version: 'test' });
    if (!host.ok) throw new Error(host.error.message);
    hosts.push(host.value);
    const { api } = host.value.services.clusters[0]!;

    await api.create(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'one' },
      spec: {
        nodeClassRef: { group: 'throw-away.example', kind: 'ThrowAwayNodeClass', name: 'default' },
        requirements: [],
        resources: { requests: { cpu: '1' } },
      },
    });
    const claim = async () => {
      const got = await api.get<StoredClaim>(nodeClaims, { name: 'one' });
      return got.ok ? got.value : undefined;
    };
    await expect.poll(async () => conditionStatus(await claim(), 'Ready')).toBe('True');
    await api.delete(nodeClaims, { name: 'one' }, {});
    await expect.poll(claim).toBeUndefined();

    expect(world.cloud.living).toBe(0);
    expect(given.at(-1)).toMatchObject({ address: world.cloud.url, patience: 3, corner: 'left' });
    // What the section says to others is not for it.
    expect(given.at(-1)).not.toHaveProperty('location');
  });
});
