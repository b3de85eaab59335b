/** What is to be written: all that a person was asked, or that flags and the surroundings said. */
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface Plan {
  provider: string;
  deployment: string;
  /** Absent: the simulated cluster that a host starts by itself. */
  cluster?: { name: string; kubeconfig: string; context?: string };
  /** By the fields of the provider's flags; those that are needed go into the configuration. */
  values: Readonly<Record<string, string>>;
  wish: { kind: 'claim' | 'pool'; name: string; replicas: number };
}

/** What a provider cannot do without, with the flag and the question for each. */
export const neededValues = (provider: string): { field: string; flag: string; ask: string }[] =>
  Object.entries(manifestNamed(provider).flags).flatMap(([field, { flag, ask }]) =>
    ask === undefined ? [] : [{ field, flag: flag.split(' ')[0] ?? flag, ask }],
  );

export function manifestNamed(provider: string): ProviderManifest {
  const manifest = manifestOf(provider);
  if (manifest === undefined) throw new Error(`there is no provider ${provider}`);
  return manifest;
}

const configName = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
/** Claims and nodes of a pool carry its name as a label. */
const objectName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const configNameProblem = (name: string): string | undefined =>
  configName.test(name)
    ? undefined
    : 'Use 1 to 40 lowercase letters, digits and dashes; start and end with a letter or digit.';

export const objectNameProblem = (name: string): string | undefined =>
  objectName.test(name)
    ? undefined
    : 'Use 1 to 63 lowercase letters, digits and dashes; start and end with a letter or digit.';

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
