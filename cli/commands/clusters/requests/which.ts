/** Which request a name means: `web` or `team-a/web`; with -n, in that namespace alone. */
import { didYouMean } from '../../../../shared/base/nearest.ts';
import { printable } from '../../../terminal/text-table.ts';
import { UserError } from '../../../terminal/user-error.ts';
import type { RequestId, Requests, RequestsChoice } from './requests.ts';

export async function whichRequest(
  requests: Requests,
  written: string,
  { namespace: given, cluster }: Pick<RequestsChoice, 'namespace' | 'cluster'>,
): Promise<RequestId> {
  const [first = '', second] = written.split('/', 2);
  const name = second ?? first;
  const namespace = second === undefined ? given : first;
  const all = (await requests.list(namespace)).filter((one) => cluster === undefined || one.cluster === cluster);
  const found = all.filter((one) => one.name === name);
  const [only, another] = found;
  if (only === undefined) {
    const where = namespace === undefined ? '' : ` in namespace ${printable(namespace)}`;
    throw new UserError(`There is no cluster request ${JSON.stringify(name)}${where}`, {
      code: 'UnknownClusterRequest',
      hint:
        didYouMean(
          name,
          all.map((one) => one.name),
        ) || '.',
    });
  }
  if (another !== undefined) {
    const names = found.map((one) => `${one.namespace}/${one.name} in ${one.cluster}`).join(', ');
    throw new UserError(`Several requests are named ${name}: ${names}. Name the namespace with -n.`, {
      code: 'InvalidOption',
    });
  }
  const { cluster: place, namespace: team } = only;
  return { cluster: place, namespace: team, name };
}
