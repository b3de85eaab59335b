/** `poolwright clusters`: which clusters are served, who acts on them, and what is wrong there. */
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable, wrapped } from '../../terminal/text-table.ts';

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
  const { items } = await withHostApi(options, (api) => api.ask<{ items: ClusterStanding[] }>('GET', '/v1/clusters'));
  await printDocument(items, () => renderClusters(items, terminal.columns() ?? 120), options.output, terminal);
  return 0;
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
