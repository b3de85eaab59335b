import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseManifests, readManifests } from '../../cli/commands/plan/manifests.ts';
import { markUnavailable } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { turnsCounted } from '../../shared/nodes/pauses/turns.ts';
import type { Quota } from '../../shared/providers/contract.ts';
import { countRequests } from '../nodes/counting-api.ts';
import { type MarketWorld, marketWorld } from './market-world.ts';

let world: MarketWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const claim = (name: string, requirements: string, nodeClass = 'default'): string => `apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: ${name}
spec:
  nodeClassRef: { group: poolwright.dev, kind: SimNodeClass, name: ${nodeClass} }
  resources:
    requests: { cpu: "1" }
  requirements:
${requirements}
`;

const types = (...names: string[]): string => `    - key: node.kubernetes.io/instance-type
      operator: In
      values: [${names.join(', ')}]
    - key: topology.kubernetes.io/zone
      operator: In
      values: [zone-a]`;

const pool = (replicas: number): string => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: web
spec:
  replicas: ${replicas}
  template:
    spec:
      nodeClassRef: { group: poolwright.dev, kind: SimNodeClass, name: default }
      expireAfter: Never
      requirements:
        - { key: node.kubernetes.io/instance-type, operator: In, values: [general-medium] }
`;

const nodeClass = `apiVersion: poolwright.dev/v1alpha1
kind: SimNodeClass
metadata: { name: fresh }
spec: {}
`;

const planned = async (text: string, ...args: string[]) => {
  const file = join(world!.directory, 'file.yaml');
  writeFileSync(file, text);
  const { code, out, err } = await world!.run('plan', '-f', file, ...args);
  const bare = (said: string): string => said.replaceAll(file, 'file.yaml');
  return { code, out: bare(out), err: bare(err) };
};

const snapshot = (said: { code: number; out: string; err: string }, name: string) =>
  expect(`${said.out}--- stderr, exit code ${said.code}\n${said.err}`).toMatchFileSnapshot(
    `__snapshots__/plan/${name}.txt`,
  );

describe('a plan', () => {
  const several = [
    claim('one', types('general-small', 'general-medium')),
    pool(3),
    nodeClass,
    claim('two', types('preview-large'), 'fresh'),
  ];

  test.each(['table', 'json', 'yaml', 'markdown'])('of several objects as %s', async (format) => {
    world = await marketWorld();
    const said = await planned(several.join('---\n'), '-o', format);
    expect(said.code).toBe(0);
    await snapshot(said, `several-${format}`);
  });

  test('leaves nothing behind', async () => {
    world = await marketWorld();
    const requests = countRequests(world.clusterServices);
    await planned(several.join('---\n'));
    expect(requests.filter(({ verb }) => verb !== 'get' && verb !== 'list')).toEqual([]);
    expect(world.cloud.ledger()).toEqual([]);
    expect((await world.services.state.list('')).items).toEqual([]);
  });

  test('with details says why each other type is not taken', async () => {
    world = await marketWorld();
    const { out } = await planned(claim('one', types('general-small')), '--details');
    expect(out).toMatch(/^ {4}general-medium {3}node\.kubernetes\.io\/instance-type is general-medium, wanted/m);
    expect(out.split('\n').filter((line) => line.startsWith('    '))).toHaveLength(23);
  });

  test('of what has to wait says for what, and what then', async () => {
    world = await marketWorld();
    await pause(world.services, { kind: 'cluster', name: 'test' }, 'moving');
    await snapshot(await planned(claim('one', types('general-small'))), 'paused');
  });

  test('of what is sold out says until when, and what would help', async () => {
    world = await marketWorld();
    const offering = { instanceType: 'general-small', zone: 'zone-a', capacityType: 'on-demand' as const };
    await markUnavailable(
      world.services,
      'sim',
      offering,
      { kind: 'insufficient-capacity', message: 'none left' },
      300,
    );
    await snapshot(await planned(claim('one', types('general-small'))), 'sold-out');
  });

  test('says what is left of quota and cap', async () => {
    const quota: Quota[] = [
      { name: 'Standard vCPUs', used: 90, limit: 100, unit: 'vCPU', instanceTypes: ['general-medium'] },
      { name: 'Instances', used: 3, limit: 5, unit: 'instances' },
    ];
    world = await marketWorld({
      cluster: { maxInstances: 2 },
      decorate: (inner) => Object.assign(inner, { quota: async () => ({ ok: true, value: quota }) }),
    });
    await turnsCounted(world.services, world.clusterServices);
    await snapshot(await planned(pool(3)), 'quota-and-cap');
  });

  test('of what nothing fits is a failure', async () => {
    world = await marketWorld();
    const said = await planned(claim('one', types('general-smal')));
    expect(said.code).toBe(1);
    await snapshot(said, 'impossible');
  });

  test('of what is wrong names each line', async () => {
    world = await marketWorld();
    const wrong = `    - key: karpenter.sh/capacity-type
      operator: In
      values: [on_demand]
    - key: karpenter.sh/capacitytype
      operator: in
      values: [spot]`;
    const said = await planned(`${pool(1)}---\n${claim('one', wrong)}`);
    expect(said.code).toBe(1);
    await snapshot(said, 'invalid');
  });

  test("of somebody else's node class is a failure", async () => {
    world = await marketWorld();
    const said = await planned(
      claim('one', types('general-small')).replace(
        'poolwright.dev, kind: SimNodeClass',
        'example.com, kind: ANodeClass',
      ),
    );
    expect(said.code).toBe(1);
    expect(said.out).toContain('Not served');
  });

  test('of other objects says that they are skipped', async () => {
    world = await marketWorld();
    const other = 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\n';
    expect(await planned(other)).toEqual({
      code: 1,
      out: '',
      err: 'file.yaml:1: Secret s was skipped: plan reads only NodeClaims and NodePools.\nThere are no NodeClaims or NodePools in file.yaml.\nPass a file with one of them with -f; plan ignores other objects.\nMore: poolwright errors NothingToPlan\n',
    });
  });

  test('in a cluster that the host does not serve is refused', async () => {
    world = await marketWorld();
    const said = await planned(claim('one', types('general-small')), '--cluster', 'tset');
    expect(said).toMatchObject({ code: 2, out: '' });
    expect(said.err).toContain('did you mean "test"?');
  });

  test('without a file is not understood', async () => {
    world = await marketWorld();
    expect(await world.run('plan')).toMatchObject({ code: 2, out: '' });
    const said = await world.run('plan', '-f', join(world.directory, 'none.yaml'));
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain('none.yaml: the file cannot be read (ENOENT)');
    expect(said.err.match(/its path and its permissions/g)).toHaveLength(1);
  });
});

describe('manifests', () => {
  test('come from several files and from a pipe, also as JSON and as a list', async () => {
    const list = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ kind: 'NodeClaim' }, { kind: 'NodePool' }],
    });
    const read = await readManifests(['-'], async () => `# nothing\n---\n${list}\n---\n---\nkind: Third\n`);
    expect(read.map(({ file, object }) => `${file} ${object.kind}`)).toEqual([
      'stdin NodeClaim',
      'stdin NodePool',
      'stdin Third',
    ]);
    expect(read[2]?.line).toBe(6);
  });

  test('know the lines of their fields', () => {
    const text = `kind: List\nitems:\n  - kind: NodeClaim\n    metadata:\n      annotations:\n        "a.b/c": x\n    spec:\n      requirements:\n        - key: a\n        - key: b\n          values: [c]\n`;
    const [manifest] = parseManifests('a.yaml', text).manifests;
    const lines = [
      'kind',
      'metadata.annotations["a.b/c"]',
      'spec.requirements[1].values',
      'spec.requirements[7].key',
      '',
    ];
    expect(lines.map((path) => manifest?.lineOf(path))).toEqual([3, 6, 11, 8, 3]);
  });

  test.each([
    ['no YAML', 'a: [1\nb: 2\n---\nkind: {', /^a\.yaml:2: .*\na\.yaml:4: /],
    ['a text', 'hello', /^a\.yaml:1: this document is not a Kubernetes object$/],
    ['a list of texts', 'kind: List\nitems:\n  - a\n', /^a\.yaml:3: items\[0\] is not a Kubernetes object$/],
    [
      'an alias bomb',
      `a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [${'*a,'.repeat(20)}*a]\nc: [${'*b,'.repeat(20)}*b]\n`,
      /aliases/,
    ],
    ['an anchor around its own alias', 'kind: NodeClaim\nspec: &a { b: *a }\n', /^a\.yaml:1: .*aliases/],
    ['a key twice', 'kind: a\nkind: b\n', /^a\.yaml:2: /],
  ])('of %s are refused with their line', (_name, text, told) => {
    expect(parseManifests('a.yaml', text).problems.join('\n')).toMatch(told);
  });

  test('of nothing are none', () => {
    expect(parseManifests('a.yaml', '')).toEqual({ manifests: [], problems: [] });
    expect(parseManifests('a.yaml', '# only words\n---\n')).toEqual({ manifests: [], problems: [] });
  });
});
