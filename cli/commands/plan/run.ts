/** `poolwright plan -f file.yaml`: what would become of claims and pools if they were applied now. Nothing is created. */
import type { Json } from '../../../shared/base/json.ts';
import type { ClusterChoice } from '../../reach/cluster-access.ts';
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { clusterFor } from '../../reach/which-cluster.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import type { PlanFormat } from './formats.ts';
import { type Manifest, readManifests } from './manifests.ts';
import { type HostPlan, isHopeless, type Planned, plannedOf, titleOf } from './planned.ts';
import { totalOf, totalText } from './total.ts';

export interface PlanOptions extends HostAddress, ClusterChoice {
  dataDir: string;
  filename: string[];
  output: PlanFormat;
  details?: boolean;
  /** By the name that the host knows it by. */
  cluster?: string;
}

export async function plan(options: PlanOptions, terminal: Terminal): Promise<number> {
  const manifests = await readManifests(options.filename);
  const { wanted, nodeClasses, others } = sorted(manifests);
  for (const { file, line, object } of others) {
    terminal.err(
      `${printable(`${file}:${line}: ${titleOf(object)}`)} was skipped: plan reads only NodeClaims and NodePools.\n`,
    );
  }
  if (wanted.length === 0) {
    throw new UserError(`There are no NodeClaims or NodePools in ${options.filename.join(', ')}.`, {
      code: 'NothingToPlan',
    });
  }
  const plans = await withHostApi(options, async (api) => {
    const cluster = await clusterFor(api, options);
    const made: Planned[] = [];
    for (const manifest of wanted) {
      const body = { cluster, object: manifest.object, ...(nodeClasses.length === 0 ? {} : { nodeClasses }) } as Json;
      made.push(plannedOf(manifest, await api.ask<HostPlan>('POST', '/v1/plan', { body })));
    }
    return made;
  });
  await print(plans, options, terminal);
  return plans.some(isHopeless) ? exitCodes.failed : exitCodes.done;
}

/** What is of Karpenter's is planned, also where its kind is misspelled: the host says what was meant. */
function sorted(manifests: readonly Manifest[]) {
  const isOfKarpenter = ({ object: { apiVersion, kind } }: Manifest): boolean =>
    (typeof apiVersion === 'string' && apiVersion.startsWith('karpenter.sh/')) ||
    kind === 'NodeClaim' ||
    kind === 'NodePool';
  const isNodeClass = ({ object: { kind } }: Manifest): boolean =>
    typeof kind === 'string' && kind.endsWith('NodeClass');
  const wanted = manifests.filter(isOfKarpenter);
  const classes = manifests.filter((one) => !isOfKarpenter(one) && isNodeClass(one));
  return {
    wanted,
    nodeClasses: classes.map(({ object }) => object),
    others: manifests.filter((one) => !wanted.includes(one) && !classes.includes(one)),
  };
}

async function print(plans: readonly Planned[], options: PlanOptions, terminal: Terminal): Promise<void> {
  const { output, details = false } = options;
  const total = totalOf(plans);
  if (output === 'json' || output === 'yaml') {
    const { beyondCap: _, beyondQuota: __, ...numbers } = total;
    const document = { items: plans.map(({ title: _title, ...rest }) => rest), total: numbers };
    if (output === 'json') return terminal.out(`${JSON.stringify(document, null, 2)}\n`);
    const { stringify } = await import('yaml');
    return terminal.out(stringify(document));
  }
  if (output === 'markdown') return terminal.out((await import('./markdown.ts')).planMarkdown(plans, total));
  const { planText } = await import('./text.ts');
  terminal.out(plans.map((one) => planText(one, { columns: terminal.columns(), details })).join('\n'));
  if (plans.length > 1) terminal.out(`\nTotal: ${totalText(total)}.\n`);
  const codes = [...new Set(plans.flatMap(({ outcome, code }) => (outcome === 'launch' || !code ? [] : [code])))];
  terminal.err(`Nothing was created.${codes.map((code) => ` More: poolwright errors ${code}.`).join('')}\n`);
}
