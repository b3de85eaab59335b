/** The clouds, as the host reaches them: credentials, rights, quota, and machines that nobody claims. */

import type { Check } from '../../../shared/base/checks.ts';
import { errorText } from '../../../shared/base/error-text.ts';
import { pagesOf } from '../../reach/host-api.ts';
import { notChecked } from './looks.ts';
import type { Patient } from './patient.ts';

export async function providerChecks({ host, providers }: Patient): Promise<Check[]> {
  if ('problem' in host) return [notChecked('providers', host.problem.message)];
  const { api } = host;
  const all = await providers();
  if (all.length === 0) return [notChecked('providers', 'the host has none')];
  const found = await Promise.all(
    all.map(async ({ name, unavailableOfferings }): Promise<Check[]> => {
      const label = `provider ${name}`;
      const path = `/v1/providers/${encodeURIComponent(name)}/check`;
      const checks = await api
        .ask<{ checks: Check[] }>('POST', path, { body: {} })
        .then((answer) => answer.checks)
        .catch((error: unknown) => [notChecked(label, errorText(error))]);
      const sold: Check[] =
        unavailableOfferings === 0
          ? []
          : [
              {
                name: `${label}: offerings`,
                state: 'warn',
                message: `${unavailableOfferings} were recently unavailable and are skipped for a while`,
                code: 'InsufficientCapacity',
                repair: `poolwright offerings unavailable list --provider ${name}`,
              },
            ];
      return [...checks, ...sold];
    }),
  );
  return found.flat();
}

interface Instance {
  cluster: string;
  provider: string;
  name: string;
  claimName: string;
  claim: 'present' | 'gone' | 'another' | 'moved-on' | 'unknown';
}

const mostPages = 100;
const namesShown = 5;

export async function instanceChecks({ host }: Patient): Promise<Check[]> {
  const label = 'instances';
  if ('problem' in host) return [notChecked(label, host.problem.message)];
  const orphans: Instance[] = [];
  let count = 0;
  let pages = 0;
  for await (const { items } of pagesOf<Instance>(host.api, '/v1/instances', {})) {
    count += items.length;
    orphans.push(...items.filter(({ claim }) => claim !== 'present' && claim !== 'unknown'));
    pages += 1;
    if (pages >= mostPages) break;
  }
  const [first] = orphans;
  if (first === undefined) return [{ name: label, state: 'pass', message: `${count} found, each with its claim` }];
  const names = orphans.slice(0, namesShown).map(({ provider, name, cluster }) => `${provider}/${name} in ${cluster}`);
  const more = orphans.length > namesShown ? ` and ${orphans.length - namesShown} more` : '';
  return [
    {
      name: label,
      state: 'warn',
      message: `${orphans.length} of ${count} have no claim: ${names.join(', ')}${more}`,
      code: 'OrphanInstances',
      repair: 'wait for garbage collection, which checks twice before it deletes; if they stay, see poolwright logs',
    },
  ];
}
