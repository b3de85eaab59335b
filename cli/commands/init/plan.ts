/** What is to be written: all that a person was asked, or that flags and the surroundings said. */
import { exitCodes } from '../../terminal/exit-codes.ts';
import { UserError } from '../../terminal/user-error.ts';

export const providerTypes = ['sim', 'aks', 'arc', 'ec2'] as const;
export type ProviderType = (typeof providerTypes)[number];

export interface Plan {
  provider: ProviderType;
  deployment: string;
  /** Absent: the simulated cluster that a host starts by itself. */
  cluster?: { name: string; kubeconfig: string; context?: string };
  /** Of the provider, as the configuration names them. */
  values: Readonly<Record<string, string>>;
  nodeRole?: string;
  wish: { kind: 'claim' | 'pool'; name: string; replicas: number };
}

/** What each provider cannot do without, by its flag. */
export const neededValues: Readonly<Record<ProviderType, readonly { field: string; flag: string; what: string }[]>> = {
  sim: [],
  aks: [
    { field: 'subscription', flag: '--subscription', what: 'The subscription of the cluster' },
    { field: 'resourceGroup', flag: '--resource-group', what: 'The resource group of the cluster' },
    { field: 'clusterName', flag: '--cluster-name', what: 'What Azure calls the cluster' },
    { field: 'location', flag: '--location', what: 'The region of the cluster' },
  ],
  arc: [
    { field: 'subscription', flag: '--subscription', what: 'The subscription of the cluster' },
    { field: 'resourceGroup', flag: '--resource-group', what: 'The resource group of the cluster' },
    { field: 'clusterName', flag: '--cluster-name', what: 'What Azure calls the cluster' },
  ],
  ec2: [
    { field: 'region', flag: '--region', what: 'The region in which machines are made' },
    { field: 'clusterName', flag: '--cluster-name', what: 'What EKS calls the cluster' },
  ],
};

const configName = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
/** Claims and nodes of a pool carry its name as a label. */
const objectName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const configNameProblem = (name: string): string | undefined =>
  configName.test(name)
    ? undefined
    : 'Use 1 to 40 small letters, digits and dashes, beginning and ending with no dash.';

export const objectNameProblem = (name: string): string | undefined =>
  objectName.test(name)
    ? undefined
    : 'Use 1 to 63 small letters, digits and dashes, beginning and ending with no dash.';

/** `arn:aws:eks:eu-west-1:1:cluster/Web_1` → `web-1`. */
export function nameFrom(context: string): string {
  const last = context.split(/[/@]/).at(-1) ?? context;
  const name = (last.split('.')[0] ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'cluster' : name;
}

/** Everything that is wrong with what flags say, at once. */
export function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new UserError(problems.join('\n'), { code: 'InvalidOption', exitCode: exitCodes.misused });
}
