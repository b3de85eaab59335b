/** `poolwright clusters export --argo`: the workflow that would make such a cluster, for teams that stay on Argo Workflows. */
import { stringify } from 'yaml';
import { systemClock } from '../../../../shared/base/runtime.ts';
import { type ExportOptions, exportToArgo } from '../../../../shared/clusters/argo/export.ts';
import type { ClusterRequest } from '../../../../shared/clusters/request/request.ts';
import { type Resolved, resolve } from '../../../../shared/clusters/resolved/resolve.ts';
import { type Finding, isError } from '../../../../shared/clusters/rules/finding.ts';
import { checkRequest } from '../../../../shared/clusters/rules/validate.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { printable } from '../../../terminal/text-table.ts';
import { UserError } from '../../../terminal/user-error.ts';
import { poolTypesOf } from '../plan/pool-types.ts';
import { readRequests } from '../plan/read.ts';

export interface ExportClustersOptions {
  filename?: string[];
  namespace: string;
  poolTypes?: string;
  kubectlImage?: string;
  output: 'text' | 'yaml' | 'json';
}

export async function exportClusters(options: ExportClustersOptions, terminal: Terminal): Promise<number> {
  const types = poolTypesOf(options.poolTypes);
  const { resolved, where } =
    options.filename === undefined
      ? { resolved: resolve(usual(options.namespace), types), where: '' }
      : await fromFile(options.filename, options.namespace, types, terminal);
  const { objects, findings } = exportToArgo(resolved, { types, kubectlImage: options.kubectlImage });
  for (const finding of findings) terminal.err(line(where, finding));
  if (findings.some(isError)) return exitCodes.failed;
  const json = `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 2)}\n`;
  const yaml = () => objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
  terminal.out(options.output === 'json' ? json : yaml().join('---\n'));
  return exitCodes.done;
}

/** What a request that says nothing comes to; the location is asked for at each submission. */
const usual = (namespace: string): ClusterRequest => ({
  apiVersion: 'poolwright.dev/v1alpha1',
  kind: 'ClusterRequest',
  metadata: { name: 'cluster', namespace },
  spec: { location: '' },
});

async function fromFile(
  filename: readonly string[],
  namespace: string,
  types: ExportOptions['types'],
  terminal: Terminal,
): Promise<{ resolved: Resolved; where: string }> {
  const { requests, unreadable } = await readRequests(filename, namespace);
  const [first, second] = requests;
  const code = unreadable.length > 0 ? ('InvalidManifest' as const) : ('NoClusterRequest' as const);
  if (unreadable.length > 0 || first?.object === undefined || second !== undefined) {
    const problems = [...unreadable, ...(first?.problems ?? []).map(({ path, message }) => `${path}: ${message}`)];
    const count = `${filename.join(', ')} must have exactly one ClusterRequest, and has ${requests.length}.`;
    throw new UserError(problems.length > 0 ? problems.join('\n') : count, { code });
  }
  const { file, line: at } = first.manifest;
  const today = new Date(systemClock.now()).toISOString().slice(0, 10);
  const { resolved, findings } = checkRequest(first.object, { types, today });
  const where = `${file}:${at}: `;
  for (const finding of findings) terminal.err(line(where, finding));
  if (resolved === undefined || findings.some(isError)) {
    throw new UserError('The request is invalid, so there is nothing to export.', { code: 'ClusterRequestInvalid' });
  }
  return { resolved, where };
}

const line = (where: string, { severity, field, cause, fix, code }: Finding): string =>
  `${printable(`${severity.padEnd(7)}  ${where}${field}: ${cause}; ${fix} (${code})`)}\n`;
