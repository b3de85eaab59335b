import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Asker } from '../../cli/commands/init/asker.ts';
import { byNames, byNode, credentialsFor } from '../../cli/commands/init/detect.ts';
import { init } from '../../cli/commands/init/init.ts';
import { nameFrom } from '../../cli/commands/init/plan.ts';
import { writeFiles } from '../../cli/commands/init/write-files.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { UserError } from '../../cli/terminal/user-error.ts';
import { manifestOf } from '../../shared/providers/manifests.ts';
import { poolwright } from './collect.ts';

let folder = '';
let file = '';
let manifest = '';
let where: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-init-'));
  file = join(folder, 'poolwright.yaml');
  manifest = join(folder, 'first.yaml');
  where = ['--file', file, '--manifest', manifest];
  vi.stubEnv('KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('HOME', folder);
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID']) vi.stubEnv(name, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const inFolder = (text: string): string => text.replaceAll(folder, '<folder>');
const nothingWritten = (): void => expect(readdirSync(folder).filter((name) => name !== 'kubeconfig')).toEqual([]);

/** Nobody answers there, but their names tell what they are. */
function writeKubeconfig(): void {
  const config = {
    'current-context': 'arn:aws:eks:eu-west-1:123456789012:cluster/Web_1',
    contexts: [
      { name: 'arn:aws:eks:eu-west-1:123456789012:cluster/Web_1', context: { cluster: 'e', user: 'u' } },
      { name: 'gpu', context: { cluster: 'a', user: 'u' } },
      { name: 'plain', context: { cluster: 'p', user: 'u' } },
    ],
    clusters: [
      { name: 'e', cluster: { server: 'https://ABC.gr7.eu-west-1.eks.amazonaws.com.invalid' } },
      { name: 'a', cluster: { server: 'https://gpu-dns-1.hcp.eastus.azmk8s.io.invalid' } },
      { name: 'p', cluster: { server: 'http://127.0.0.1:1' } },
    ],
    users: [{ name: 'u', user: { token: 'hunter2' } }],
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
}

const azure = ['--subscription', '00000000-0000-0000-0000-000000000000', '--resource-group', 'group'];

describe('with flags', () => {
  test.each<[string, string[]]>([
    ['sim-claim', ['--provider', 'sim']],
    ['sim-pool', ['--provider', 'sim', '--pool', 'workers', '--replicas', '3']],
    ['ec2-claim', ['--deployment', 'office']],
    ['ec2-pool', ['--pool', 'workers', '--cluster', 'east', '--node-role', 'nodes']],
    ['aks-claim', ['--context', 'gpu', ...azure]],
    ['aks-pool', ['--context', 'gpu', '--pool', 'workers', ...azure]],
    ['arc-claim', ['--context', 'plain', '--provider', 'arc', '--cluster-name', 'plant', ...azure]],
    ['arc-pool', ['--context', 'plain', '--provider', 'arc', '--cluster-name', 'plant', '--pool', 'w', ...azure]],
  ])('%s is written, commented, and passes its own check', async (name, flags) => {
    writeKubeconfig();

    const { code, out, err } = await poolwright('init', '--yes', ...where, ...flags);

    expect({ code, out: inFolder(out) }).toEqual({ code: 0, out: '<folder>/poolwright.yaml\n<folder>/first.yaml\n' });
    const written = `${readFileSync(file, 'utf8')}\n${readFileSync(manifest, 'utf8')}`;
    expect(written).not.toContain('hunter2');
    const next = err.slice(err.indexOf('Next:'));
    await expect(inFolder(`${written}\n${next}`)).toMatchFileSnapshot(`__snapshots__/init/${name}.txt`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await poolwright('config', 'check', file, '-f', manifest)).toMatchObject({ code: 0, out: '' });
  });

  test('what is missing is told at once, by the flags that say it', async () => {
    writeKubeconfig();

    const { code, err } = await poolwright('init', '--yes', ...where, '--context', 'gpu');

    expect(code).toBe(2);
    expect(err).toContain('--subscription is required for aks');
    expect(err).toContain('--resource-group is required for aks');
    nothingWritten();
  });

  test('a folder that is not there is named, and no fault of the program', async () => {
    const elsewhere = join(folder, 'none', 'poolwright.yaml');

    const { code, out, err } = await poolwright(
      ...['init', '--yes', '--provider', 'sim', '--file', elsewhere, '--manifest', manifest],
    );

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${elsewhere} cannot be written (ENOENT).\n`);
    expect(err).toContain('More: poolwright errors FileUnwritable');
    nothingWritten();
  });

  test('what no host could use is not written', async () => {
    writeKubeconfig();

    const { code, err } = await poolwright(
      ...['init', '--yes', ...where, '--context', 'gpu', '--subscription', 'x', '--resource-group', 'g'],
    );

    expect(code).toBe(1);
    expect(err).toContain('providers.aks.subscription: must be the id of a subscription');
    nothingWritten();
  });

  test.each([
    [['--claim', 'A_b'], '--claim "A_b"'],
    [['--claim', 'a', '--pool', 'b'], 'cannot be combined: pass only one of them'],
    [['--replicas', '2'], '--replicas needs --pool'],
    [['--pool', 'a', '--replicas', '-1'], '--replicas must be'],
    [['--cluster', 'Ä'], '--cluster "Ä"'],
    [['--kubeconfig', '/not/there'], '--kubeconfig: file /not/there does not exist'],
    [['--file', './a.yaml', '--manifest', 'a.yaml'], 'must be different files'],
    [['--provider', 'sim', '--context', 'x'], 'has its own simulated cluster'],
  ])('%j is refused', async (flags, expected) => {
    const { code, err } = await poolwright('init', '--yes', ...where, ...flags);

    expect(code).toBe(2);
    expect(err).toContain(expected);
    nothingWritten();
  });

  test('a dry run shows the files and writes none', async () => {
    const { code, out } = await poolwright('init', '--dry-run', '--provider', 'sim', ...where);

    expect(code).toBe(0);
    expect(out).toContain('kind: NodeClaim');
    nothingWritten();
  });

  test('a file that is there stays, unless somebody forces it', async () => {
    writeFileSync(file, 'mine');

    const refused = await poolwright('init', '--yes', '--provider', 'sim', ...where);
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('already exists; nothing was written');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(existsSync(manifest)).toBe(false);

    expect((await poolwright('init', '--yes', '--provider', 'sim', '--force', ...where)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('deployment: local');
  });

  test('where nobody can be asked it says which flags', async () => {
    const { code, err } = await poolwright('init', ...where);

    expect(code).toBe(3);
    expect(err).toContain('Pass --yes and --provider');
    nothingWritten();
  });
});

describe('the wizard', () => {
  /** Answers in order; `undefined` takes what is filled in. */
  function scripted(...answers: (string | boolean | undefined)[]): Asker & { asked: string[] } {
    const asked: string[] = [];
    const next = (question: string): string | boolean | undefined => {
      asked.push(question);
      if (answers.length === 0) throw new UserError('Nothing was written.', { exitCode: 130 });
      return answers.shift();
    };
    return {
      asked,
      choose: async (question, options, usual) => {
        const answer = next(question);
        return options.find(({ value }) => value === answer)?.value ?? usual;
      },
      text: async (question, usual, problem) => {
        const answer = String(next(question) ?? usual ?? '');
        expect(problem(answer)).toBeUndefined();
        return answer;
      },
      confirm: async (question) => next(question) === true,
      note: () => undefined,
    };
  }
  const quiet = plainTerminal({ out: () => undefined, err: () => undefined }, { canAsk: true });

  test('asks for what nobody has said, with the best guess filled in', async () => {
    writeKubeconfig();
    const asker = scripted(undefined, undefined, undefined, undefined, 'pool', 'team-a');

    expect(await init({ file, manifest }, quiet, asker)).toBe(0);

    expect(asker.asked).toEqual([
      'Which cluster should get nodes?',
      'Which provider creates the nodes?',
      'Region to create instances in',
      'Name of the cluster in EKS',
      'What should be created in addition to the configuration?',
      'Its name',
    ]);
    expect(readFileSync(file, 'utf8')).toContain('clusterName: Web_1');
    expect(readFileSync(manifest, 'utf8')).toContain('name: team-a');
  });

  test('without a kubeconfig there is only the simulated cloud', async () => {
    const asker = scripted(undefined, undefined);

    expect(await init({ file, manifest }, quiet, asker)).toBe(0);

    expect(asker.asked).toEqual(['What should be created in addition to the configuration?', 'Its name']);
  });

  test.each([0, 1, 3, 5])('whoever leaves after %d answers finds nothing written', async (count) => {
    writeKubeconfig();

    await expect(init({ file, manifest }, quiet, scripted(...Array(count).fill(undefined)))).rejects.toMatchObject({
      exitCode: 130,
    });

    nothingWritten();
  });

  test('asks before it replaces', async () => {
    writeFileSync(file, 'mine');

    await expect(init({ file, manifest }, quiet, scripted(undefined, undefined, false))).rejects.toThrow(
      'nothing was written',
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');

    expect(await init({ file, manifest }, quiet, scripted(undefined, undefined, true))).toBe(0);
  });
});

test('files are written all or none', async () => {
  writeFileSync(file, 'before');

  await expect(
    writeFiles(
      [
        { name: file, text: 'a' },
        { name: join(folder, 'no/such/folder'), text: 'b' },
      ],
      async () => undefined,
    ),
  ).rejects.toThrow('ENOENT');

  expect(readdirSync(folder)).toEqual(['poolwright.yaml']);
  expect(readFileSync(file, 'utf8')).toBe('before');
});

test.each([
  ['arn:aws:eks:eu-west-1:1:cluster/Web_1', 'web-1'],
  ['me@prod.eu-west-1.eksctl.io', 'prod'],
  ['kind-kind', 'kind-kind'],
  ['ÄÖ', 'cluster'],
  [`${'a'.repeat(39)}-b`, 'a'.repeat(39)],
])('a context %s makes the name %s', (context, name) => {
  expect(nameFrom(context)).toBe(name);
});

test('the cloud is known by the address of the server and by the nodes', async () => {
  expect(
    await byNames({ name: 'me@prod.eu-west-1.eksctl.io', server: 'https://A.yl4.eu-west-1.eks.amazonaws.com' }),
  ).toMatchObject({
    provider: 'ec2',
    values: { region: 'eu-west-1', clusterName: 'prod' },
  });
  expect(await byNames({ name: 'x', server: 'https://10.0.0.1:6443' })).toMatchObject({ values: {} });
  const node = (providerID: string, labels: Record<string, string> = {}) =>
    byNode({
      metadata: { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels },
      spec: { providerID },
    });
  expect(
    await node('azure:///subscriptions/s-1/resourceGroups/mc_g_c_eastus/providers/x', {
      'kubernetes.azure.com/cluster': 'MC_g_c_eastus',
      'topology.kubernetes.io/region': 'eastus',
    }),
  ).toEqual({
    provider: 'aks',
    values: { subscription: 's-1', resourceGroup: 'g', clusterName: 'c', location: 'eastus' },
  });
  expect(
    (await node('azure:///subscriptions/s-1/x', { 'kubernetes.azure.com/cluster': 'MC_my_group_c_eastus' })).values,
  ).toEqual({
    subscription: 's-1',
  });
  expect(await node('aws:///eu-west-1a/i-1', { 'topology.kubernetes.io/region': 'eu-west-1' })).toEqual({
    provider: 'ec2',
    values: { region: 'eu-west-1' },
  });
});

test('credentials are found by where they are', async () => {
  const { wizard: ec2 } = await manifestOf('ec2')!.wizard();
  const { wizard: aks } = await manifestOf('aks')!.wizard();
  expect(credentialsFor(ec2, { AWS_ACCESS_KEY_ID: 'hunter2' }, folder)).toBe('AWS_ACCESS_KEY_ID');
  expect(credentialsFor(ec2, { AWS_PROFILE: 'work' }, folder)).toBe('profile work');
  expect(credentialsFor(aks, { AZURE_CLIENT_ID: 'a', AZURE_CLIENT_SECRET: 'hunter2' }, folder)).toBe('AZURE_CLIENT_ID');
  expect(credentialsFor(aks, {}, folder)).toBeUndefined();
});
