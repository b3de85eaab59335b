/**
 * Every parser of what others write, with about a megabyte of the worst that they could write. While it works nobody else is served, so
 * it may take 50 milliseconds of processor time, whatever else the machine does.
 */
import { expect, it } from 'vitest';
import { parseDuration } from '../../shared/base/durations.ts';
import { readKubeconfigText } from '../../shared/kube/access/kubeconfig.ts';
import { parseQuantity } from '../../shared/nodes/claims/spec/quantities.ts';
import { validateClaim } from '../../shared/nodes/claims/spec/validate-claim.ts';
import { isActive } from '../../shared/nodes/disruption/schedule.ts';
import { poolProblems } from '../../shared/nodes/pools/validate.ts';
import { userDataFor } from '../../shared/providers/ec2/node-class/user-data/user-data.ts';

const mostMs = 50;
const megabyte = 1_000_000;

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const values = (count: number, prefix: string): string[] => many(count, (index) => `${prefix}-${index}`);
const record = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(many(count, (index) => [`example.com/key-${index}`, value]));

const claim = (spec: object, metadata: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'hostile', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '1' } },
    ...spec,
  },
});
const nodeClasses = [{ group: 'poolwright.dev', version: 'v1alpha1', kind: 'SimNodeClass', plural: 'simnodeclasses' }];
const ofClaim = (spec: object, metadata?: object) => (): unknown =>
  validateClaim(claim(spec, metadata), { nodeClasses });
const requirements = (count: number, each: number, operator: string, key: (index: number) => string) =>
  ofClaim({
    requirements: many(count, (index) => ({ key: key(index), operator, values: values(each, `v${index}`) })),
  });

const userData = (family: 'AL2023' | 'Bottlerocket', text: string) => (): unknown =>
  userDataFor(family, {
    cluster: { name: 'a', endpoint: 'https://a', certificateAuthority: 'YQ==', serviceCidr: '10.0.0.0/16' },
    userData: text,
    labels: {},
    taints: [],
    kubelet: {},
  } as never);

const cases: [string, () => unknown][] = [
  ['requirements: a hundred thousand values', requirements(100, 1000, 'In', (index) => `example.com/k${index}`)],
  ['requirements: as many as are allowed, one label', requirements(100, 50, 'NotIn', () => 'example.com/k')],
  ['requirements: as many as are allowed, and a contradiction', requirements(100, 50, 'In', () => 'example.com/k')],
  ['requirements: ten thousand entries', requirements(10_000, 1, 'In', (index) => `example.com/k${index}`)],
  [
    'requirements: one value of a megabyte',
    ofClaim({ requirements: [{ key: 'k', operator: 'In', values: ['a-'.repeat(megabyte / 2)] }] }),
  ],
  [
    'requirements: one key of a megabyte',
    ofClaim({ requirements: [{ key: 'a.'.repeat(megabyte / 2), operator: 'Exists' }] }),
  ],
  ['quantities: a megabyte of digits', () => parseQuantity('9'.repeat(megabyte))],
  ['quantities: twenty thousand of them', ofClaim({ resources: { requests: record(20_000, '1') } })],
  ['labels: twenty thousand', ofClaim({}, { labels: record(20_000, 'x') })],
  ['labels: one of a megabyte', ofClaim({}, { labels: { a: '-a'.repeat(megabyte / 2) } })],
  [
    'taints: twenty thousand',
    ofClaim({ taints: many(20_000, (index) => ({ key: `k${index}`, effect: 'NoSchedule' })) }),
  ],
  ['taints: a key of a megabyte', ofClaim({ taints: [{ key: '-a'.repeat(megabyte / 2), effect: 'NoSchedule' }] })],
  ['durations: a megabyte', () => parseDuration('1h'.repeat(megabyte / 2))],
  ['durations: a megabyte of digits', () => parseDuration(`${'1'.repeat(megabyte)}x`)],
  ['cron: a megabyte', () => isActive(`${'0,'.repeat(megabyte / 2)}0 9 * * *`, 3_600_000, 0)],
  ['cron: a megabyte of spaces', () => isActive(`0${' '.repeat(megabyte)}9 * *`, 3_600_000, 0)],
  ['cron: a time that never comes', () => isActive('0 0 31 2 *', 3_600_000, 0)],
  [
    'budgets: fifty schedules',
    () =>
      poolProblems({
        metadata: { name: 'pool', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: {
          template: claim({}),
          disruption: { budgets: many(50, () => ({ nodes: '1', schedule: '0 0 31 2 *', duration: '1h' })) },
        },
      } as never),
  ],
  ['TOML: a megabyte of tables', userData('Bottlerocket', many(60_000, (index) => `[a.b.c${index}]\n`).join(''))],
  ['TOML: as many tables as fit', userData('Bottlerocket', many(1200, (index) => `[a.b.c${index}]\n`).join(''))],
  ['TOML: deep', userData('Bottlerocket', `a = ${'['.repeat(16_000)}`)],
  ['TOML: a long key', userData('Bottlerocket', `${'a.'.repeat(8000)}a = 1`)],
  ['TOML: an open string', userData('Bottlerocket', `a = "${'\\"'.repeat(8000)}`)],
  ['user data: a megabyte of parts', userData('AL2023', 'MIME-Version: 1.0\n--b\n'.repeat(megabyte / 22))],
  ['user data: YAML that grows', userData('AL2023', yamlBomb())],
  ['user data: a megabyte of YAML', userData('AL2023', `spec:\n${'  a: {b: [c]}\n'.repeat(megabyte / 14)}`)],
  ['user data: as much YAML as fits', userData('AL2023', `spec:\n${'  a: {b: [c]}\n'.repeat(1150)}`)],
  ['user data: as many parts as fit', userData('AL2023', 'MIME-Version: 1.0\n--b\n'.repeat(740))],
  ['kubeconfig: YAML that grows', () => readKubeconfigText(yamlBomb())],
  [
    'kubeconfig: a megabyte',
    () => readKubeconfigText(`contexts:\n${'- {name: a, context: {}}\n'.repeat(megabyte / 24)}`),
  ],
];

function yamlBomb(): string {
  const lines = many(
    20,
    (level) => `a${level}: &a${level} [${many(9, () => (level === 0 ? 'x' : `*a${level - 1}`)).join()}]`,
  );
  return lines.join('\n');
}

const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage();
  try {
    work();
  } catch {
    // What it says is tested elsewhere; here it only has to be quick.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

it.each(cases)('%s', (_name, work) => {
  // Other threads of this process take part in what is measured, such as those that collect garbage: the best of five is the work itself.
  const best = Math.min(...many(5, () => cpuMs(work)));
  expect(best).toBeLessThan(mostMs);
});
