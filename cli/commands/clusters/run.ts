/** `poolwright clusters`: which clusters are served, who acts on them, and what is wrong there. */
import type { RequestSummary } from '../../../shared/clusters/operations/summary.ts';
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { hanging, printable, wrapped } from '../../terminal/text-table.ts';
import { stateOf } from './get/rows.ts';

export interface ClustersOptions extends HostAddress {
  output: DocumentFormat;
}

export interface ClusterStanding {
  name: string;
  acts: boolean;
  reason?: string;
  who?: string;
  why?: string;
  settingsProblem?: string;
}

export async function clusters(options: ClustersOptions, terminal: Terminal): Promise<number> {
  const { items, requests = [] } = await withHostApi(options, (api) =>
    api.ask<{ items: ClusterStanding[]; requests?: RequestSummary[] }>('GET', '/v1/clusters'),
  );
  const text = (): string => {
    const columns = terminal.columns() ?? 120;
    return renderClusters(items, columns) + renderRequests(requests, columns);
  };
  // Programs read a list of clusters here; requests have a command of their own.
  await printDocument(items, text, options.output, terminal);
  return 0;
}

/** Clusters that are being made: nothing where there are none. */
export function renderRequests(requests: readonly RequestSummary[], columns: number): string {
  if (requests.length === 0) return '';
  const lines = requests.flatMap((one) => {
    const { namespace, name, cluster, stage, waitingFor, message } = one;
    const at = stage === undefined ? '' : ` at ${stage}`;
    const why = waitingFor === undefined ? (message ?? '') : `waits for ${waitingFor}`;
    const head = `  ${namespace}/${name}  `;
    return hanging(printable(`${head}${stateOf(one)}${at} in ${cluster}${why === '' ? '' : `: ${why}`}`), 4, columns);
  });
  return `\nBeing built (poolwright clusters get):\n${lines.join('\n')}\n`;
}

export function renderClusters(items: readonly ClusterStanding[], columns: number): string {
  const names = Math.max(...items.map(({ name }) => name.length), 0);
  const indent = ' '.repeat(names + 2);
  const width = Math.max(60, columns) - indent.length;
  const lines = items.flatMap(({ name, acts, reason, why, settingsProblem }) => {
    const text = acts ? 'this deployment acts' : `read-only (${reason}): ${why}`;
    const problem = settingsProblem === undefined ? [] : wrapped(`settings: ${printable(settingsProblem)}`, width);
    const [first = '', ...rest] = [...wrapped(printable(text), width), ...problem];
    return [`${name.padEnd(names)}  ${first}`, ...rest.map((line) => indent + line)];
  });
  return lines.length === 0 ? 'No cluster is configured.\n' : `${lines.join('\n')}\n`;
}
