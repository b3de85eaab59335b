/** `poolwright clusters migrate` as people type it. What a hand-over does is held in test/clusters/migration. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigFor } from '../../sim/cluster/server.ts';
import { type MigrationWorld, migrationWorld } from '../clusters/migration/world.ts';
import type { PlatformOptions } from '../stand-ins/kro/objects.ts';
import { poolwright, poolwrightAnswering, type Said } from './collect.ts';

async function world(options?: PlatformOptions): Promise<{ made: MigrationWorld; kubeconfig: string }> {
  const made = await migrationWorld(options);
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-migrate-'));
  onTestFinished(async () => {
    await made.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(made.url));
  return { made, kubeconfig };
}

const migrate = (kubeconfig: string, ...args: string[]): Promise<Said> =>
  poolwright('clusters', 'migrate', '--from-kro', '--kubeconfig', kubeconfig, ...args);

describe('the comparison', () => {
  it('says that a request is equivalent, and what it would be', async () => {
    const { made, kubeconfig } = await world();

    const said = await migrate(kubeconfig, '--all');

    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('AKSCluster team-a/web (graph aks-cluster): the request is equivalent\n');
    expect(said.out).toContain('  request  ClusterRequest team-a/web\n');
    expect(said.out).toContain('  take over  ManagedCluster team-a/web\n');
    expect(await made.request()).toBeUndefined();
  });

  it('is a document for programs, with each field that differs', async () => {
    const { kubeconfig } = await world({ cluster: { nodeProvisioningProfile: { mode: 'Auto' } } });

    const said = await migrate(kubeconfig, 'team-a/web', '-o', 'yaml');

    expect(said.code).toBe(1);
    const [item] = parse(said.out).items;
    expect(item).toMatchObject({ instance: 'AKSCluster team-a/web', equivalent: false, state: 'ACTIVE' });
    const cluster = item.objects.find(({ object }: { object: string }) => object === 'ManagedCluster team-a/web');
    expect(cluster.differences).toContainEqual({
      field: 'nodeProvisioningProfile.defaultNodePools',
      wanted: 'None',
      class: 'in-place',
    });
  });

  it('writes the request only when it is asked to and confirmed, set aside for KRO', async () => {
    const { made, kubeconfig } = await world();
    const answered = (answer: string) =>
      poolwrightAnswering(
        answer,
        'clusters',
        'migrate',
        'web',
        '--from-kro',
        '--kubeconfig',
        kubeconfig,
        '--write-requests',
      );

    expect((await answered('n')).code).not.toBe(0);
    expect(await made.request()).toBeUndefined();
    expect((await answered('y')).questions).toEqual(['Create 1 ClusterRequest, set aside for KRO? [y/N] ']);
    expect((await made.request())?.metadata.annotations).toMatchObject({ 'poolwright.dev/carried-out-by': 'kro' });
  });
});

describe('what would change something', () => {
  it('asks first, and with --dry-run does nothing', async () => {
    const { made, kubeconfig } = await world();

    const said = await migrate(kubeconfig, 'web', '--phase', 'adopt', '--dry-run');

    expect(said.err).toContain(
      'Take over 1 cluster from KRO (AKSCluster team-a/web); nothing is deleted in Azure: not done',
    );
    expect(await made.request()).toBeUndefined();
    expect((await migrate(kubeconfig, 'web', '--phase', 'adopt')).err).toContain('No terminal to ask on');
  });

  it('names why an instance is not taken over', async () => {
    const { kubeconfig } = await world({ groupName: 'rg-elsewhere' });

    const said = await migrate(kubeconfig, 'web', '--phase', 'adopt', '--yes');

    expect(said.code).toBe(1);
    expect(said.err).toContain('ResourceGroup team-a/rg-elsewhere');
  });
});

describe('the commit', () => {
  it('is refused while the request is not Ready, and says what it would remove', async () => {
    const { made, kubeconfig } = await world();
    expect((await made.adopt()).ok).toBe(true);

    const said = await migrate(kubeconfig, '--all', '--phase', 'commit', '--yes');

    expect(said.code).toBe(1);
    expect(said.out).toContain('error    ClusterRequest team-a/web: the host has not brought it to Ready');
    // It may still go back, so its graph stays.
    expect(said.out).toContain(
      'keep     ResourceGraphDefinition aks-cluster: 0 instances, 1 migrations that are not committed',
    );
    expect(await made.records()).toHaveLength(1);
  });

  it('commits what is Ready, after a question', async () => {
    const { made, kubeconfig } = await world();
    expect((await made.adopt()).ok).toBe(true);
    await made.hostIsDone();
    const answered = (answer: string) =>
      poolwrightAnswering(
        answer,
        'clusters',
        'migrate',
        'web',
        '--from-kro',
        '--phase',
        'commit',
        '--kubeconfig',
        kubeconfig,
      );

    const asked = await answered('n');
    expect(asked.questions).toEqual(['Commit 1 migration, and remove what is listed; there is no way back? [y/N] ']);
    expect(asked.out).toContain('delete   ResourceGraphDefinition aks-cluster: it has no instance');
    expect(await made.records()).toHaveLength(1);
  });
});

describe('what cannot be', () => {
  let kubeconfig = '';
  beforeAll(() => {
    kubeconfig = '/nowhere/kubeconfig';
  });

  it.each([
    [[], 'Name an instance as NAMESPACE/NAME, or pass --all.'],
    [['web', '--all'], 'not both'],
    [['a/b/c'], 'NAMESPACE/NAME'],
    [['web', '--phase', 'all'], 'shadow, adopt, commit, rollback'],
  ])('%j is refused', async (args, message) => {
    const said = await migrate(kubeconfig, ...args);

    expect(said.code).toBe(2);
    expect(said.err).toContain(message);
  });

  it('an instance that is not there is named, and a rollback without a record too', async () => {
    const made = await world();

    const none = await migrate(made.kubeconfig, 'other');
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('There is no instance other in KRO.') });
    const back = await migrate(made.kubeconfig, 'web', '--phase', 'rollback', '--yes');
    expect(back.err).toContain('that has left KRO and is not committed');
    expect((await migrate(made.kubeconfig, '--all', '--phase', 'rollback', '--yes')).code).toBe(0);
  });
});
