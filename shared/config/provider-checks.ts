/** Whether a provider has the fields of its type, and no others. */
import type { CrossProblem } from './cross-checks.ts';

const simOnly = ['url', 'idempotency'];
const azureOnly = [
  'subscription',
  'resourceGroup',
  'location',
  'customLocation',
  'tenant',
  'credential',
  'cloud',
  'certificateAuthority',
  'operationsAtOnce',
  'unlabelledAksNodeClasses',
];

/** `clusterName` and `prices` are for Azure and AWS alike. */
const shared = ['clusterName', 'prices'];
const awsOnly = [
  'region',
  'clusterEndpoint',
  'clusterCA',
  'kubernetesVersion',
  'serviceCidr',
  'interruptionQueue',
  'endpoint',
  'roleArn',
  'externalId',
  'serveEc2NodeClasses',
  'vmMemoryOverheadPercent',
  'reservedENIs',
  'requestRates',
];

/** Fields by the types that have them, for those that not every type has. */
const owners: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['sim'], simOnly],
  [['aks', 'arc'], azureOnly],
  [['ec2'], awsOnly],
  [['aks', 'arc', 'ec2'], shared],
];

export function providerProblems(at: string[], provider: Record<string, unknown>): CrossProblem[] {
  const { type } = provider;
  const given = (field: string): boolean => provider[field] !== undefined;
  if (type === 'sim' && !given('url')) {
    return [{ path: [...at, 'url'], message: 'must be the http:// or https:// URL of the simulated cloud' }];
  }
  if (!owners.some(([types]) => types.includes(String(type)))) return [];
  const problems = owners
    .filter(([types]) => !types.includes(String(type)))
    .flatMap(([types, fields]) =>
      fields.filter(given).map((field) => ({
        path: [...at, field],
        message: `belongs to providers of type ${types.join(' and ')}, and this one is of type ${String(type)}: leave it out`,
      })),
    );
  if (type === 'aks' && given('customLocation')) {
    problems.push({
      path: [...at, 'customLocation'],
      message: 'belongs to providers of type arc, and this one is of type aks: leave it out',
    });
  }
  return problems;
}
