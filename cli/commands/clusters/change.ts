/** `poolwright clusters cancel`, `retry` and `delete`. */

import { isGuarded } from '../../../shared/clusters/operations/delete.ts';
import type { GuardWord } from '../../../shared/clusters/operations/guard.ts';
import { type Consent, confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { withRequests } from './requests/open.ts';
import type { RequestId, RequestsChoice } from './requests/requests.ts';
import { whichRequest } from './requests/which.ts';

interface ChangeOptions extends RequestsChoice, Consent {
  output: DocumentFormat;
}

const shown = ({ namespace, name }: RequestId): string => printable(`${namespace}/${name}`);

export function cancelCluster(name: string, options: ChangeOptions, terminal: Terminal): Promise<number> {
  return withRequests(options, async (requests) => {
    const id = await whichRequest(requests, name, options);
    const change = `Cancel the request ${shown(id)}: nothing more is made for it, and what was made stays`;
    if (!(await confirmed(terminal, change, options))) return exitCodes.done;
    const answer = await requests.cancel(id);
    const text = `The request ${shown(id)} is cancelled${answer.changed ? '' : ' already'}. What was made stays until you delete the request.\n`;
    await printDocument({ ...id, ...answer }, () => text, options.output, terminal);
    return exitCodes.done;
  });
}

export function retryCluster(
  name: string,
  options: RequestsChoice & { output: DocumentFormat },
  terminal: Terminal,
): Promise<number> {
  return withRequests(options, async (requests) => {
    const id = await whichRequest(requests, name, options);
    const answer = await requests.retry(id);
    const text = `The host retries the request ${shown(id)} now. Watch it: poolwright clusters get ${printable(id.name)} -n ${printable(id.namespace)} -w\n`;
    await printDocument({ ...id, ...answer }, () => text, options.output, terminal);
    return exitCodes.done;
  });
}

export function deleteCluster(
  name: string,
  options: ChangeOptions & { guard?: GuardWord },
  terminal: Terminal,
): Promise<number> {
  const { guard } = options;
  return withRequests(options, async (requests) => {
    const id = await whichRequest(requests, name, options);
    const { request } = await requests.read(id);
    if (isGuarded(request) && guard === undefined) {
      const text = `The request ${shown(id)} has a delete guard. Pass --guard keep to delete the request and keep the cluster, or --guard lift to delete both`;
      throw new UserError(text, { code: 'DeleteGuarded', hint: '.' });
    }
    const what =
      guard === 'keep'
        ? 'the cluster and everything in Azure stay'
        : 'its cluster and everything in it are deleted in Azure';
    if (!(await confirmed(terminal, `Delete the request ${shown(id)}: ${what}`, options))) return exitCodes.done;
    const answer = await requests.remove(id, guard);
    await printDocument({ ...id, ...answer }, () => deletedText(id, answer), options.output, terminal);
    return exitCodes.done;
  });
}

function deletedText(id: RequestId, { gone, keepsCluster }: { gone: boolean; keepsCluster: boolean }): string {
  const kept = keepsCluster ? ' The cluster stays in Azure.' : '';
  if (gone) return `The request ${shown(id)} is gone; nothing was made for it.${kept}\n`;
  return `The host deletes the request ${shown(id)}.${kept} Watch it: poolwright clusters get ${printable(id.name)} -n ${printable(id.namespace)} -w\n`;
}
