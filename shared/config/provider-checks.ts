/** Whether a provider has the fields of its type, and no others. */
import type { CrossProblem } from './cross-checks.ts';

const simOnly = ['url', 'idempotency'];
const azureOnly = [
  'subscription',
  'resourceGroup',
  'clusterName',
  'location',
  'customLocation',
  'tenant',
  'credential',
  'cloud',
  'certificateAuthority',
  'operationsAtOnce',
  'unlabelledAksNodeClasses',
  'prices',
];

export function providerProblems(at: string[], provider: Record<string, unknown>): CrossProblem[] {
  const { type } = provider;
  const given = (field: string): boolean => provider[field] !== undefined;
  if (type === 'sim' && !given('url')) {
    return [{ path: [...at, 'url'], message: 'must be the http:// or https:// URL of the simulated cloud' }];
  }
  const wrong = type === 'sim' ? azureOnly : type === 'aks' || type === 'arc' ? simOnly : [];
  const owners = type === 'sim' ? 'aks and arc' : 'sim';
  const problems = wrong.filter(given).map((field) => ({
    path: [...at, field],
    message: `belongs to providers of type ${owners}, and this one is of type ${String(type)}: leave it out`,
  }));
  if (type === 'aks' && given('customLocation')) {
    problems.push({
      path: [...at, 'customLocation'],
      message: 'belongs to providers of type arc, and this one is of type aks: leave it out',
    });
  }
  return problems;
}
