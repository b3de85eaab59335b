/** `poolwright clusters plan -f FILE`: what would become of requests for clusters. A host adds what it knows, where one is reachable; nothing is created. */
import { systemClock } from '../../../../shared/base/runtime.ts';
import type { HostPlan } from '../../../../shared/clusters/operations/plan.ts';
import { type ClusterPlan, planRequest } from '../../../../shared/clusters/plan/plan.ts';
import type { PoolTypes } from '../../../../shared/clusters/pool-types/pool-type.ts';
import { type Finding, isError } from '../../../../shared/clusters/rules/finding.ts';
import { findingsAmong } from '../../../../shared/clusters/rules/together.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../../terminal/output/document.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { printable } from '../../../terminal/text-table.ts';
import { UserError } from '../../../terminal/user-error.ts';
import { type HostPlanning, type PlanningHost, planningHost } from './at-host.ts';
import { poolTypesOf } from './pool-types.ts';
import { type ReadRequest, readRequests } from './read.ts';
import { type PlannedCluster, plansText, summary } from './text.ts';

export interface PlanClustersOptions extends HostPlanning {
  filename?: string[];
  namespace: string;
  output: DocumentFormat;
}

/** The name of the deployment stands in labels and tags; which one it will be is not known here. */
const deployment = 'poolwright';

export async function planClusters(options: PlanClustersOptions, terminal: Terminal): Promise<number> {
  const { filename } = options;
  if (filename === undefined) {
    throw new UserError('plan needs a file: poolwright clusters plan -f FILE', {
      code: 'InvalidCommand',
      exitCode: exitCodes.misused,
    });
  }
  const { requests, unreadable, others } = await readRequests(filename, options.namespace);
  const types = poolTypesOf(options.poolTypes);
  for (const problem of unreadable) terminal.err(`${printable(problem)}\n`);
  for (const { file, line, object } of others) {
    const what = typeof object.kind === 'string' ? object.kind : 'this document';
    terminal.err(`${printable(`${file}:${line}: ${what}`)} was skipped: it is not a ClusterRequest.\n`);
  }
  if (requests.length === 0) {
    const message = `There is no ClusterRequest that can be read in ${filename.join(', ')}.`;
    throw new UserError(message, { code: unreadable.length > 0 ? 'InvalidManifest' : 'NoClusterRequest' });
  }
  const today = new Date(systemClock.now()).toISOString().slice(0, 10);
  const host = planningHost(options);
  const plans = together(await withHost(host, requests, (one) => planned(one, { types, today })));
  const document = {
    items: plans.map(({ plan, file, line, host: at }) => ({ file, line, ...documentOf(plan), ...at })),
  };
  await printDocument(document, () => plansText(plans), options.output, terminal);
  if (options.output !== 'text') for (const line of summary(plans).lines) terminal.err(`${line}\n`);
  terminal.err(`${summary(plans).last}\n`);
  return unreadable.length > 0 || plans.some(({ plan }) => !plan.valid) ? exitCodes.failed : exitCodes.done;
}

function planned(read: ReadRequest, { types, today }: { types: PoolTypes; today: string }): PlannedCluster {
  const { manifest, object, problems, fromParameters } = read;
  const { file, line } = manifest;
  const at = (field: string): number => (fromParameters ? line : manifest.lineOf(field));
  if (object === undefined) {
    const findings = problems.map(
      ({ path, message }): Finding => ({
        severity: 'error',
        field: path,
        code: 'ClusterRequestInvalid',
        cause: message,
        fix: 'correct the parameter',
      }),
    );
    const plan = { name: '', namespace: '', valid: false, findings, stages: [], monthlyPrice: null };
    return { plan, file, line, lineOf: (field) => manifest.lineOf(`["${field}"]`) };
  }
  return { plan: planRequest(object, { types, today, deployment }), file, line, lineOf: at };
}

/** One after the other: a check at Azure asks a lot. */
async function withHost(
  host: PlanningHost,
  requests: readonly ReadRequest[],
  plannedHere: (one: ReadRequest) => PlannedCluster,
): Promise<PlannedCluster[]> {
  const plans: PlannedCluster[] = [];
  try {
    for (const one of requests) {
      const here = plannedHere(one);
      const there = one.object === undefined ? undefined : await host.plan(one.object);
      plans.push(there === undefined ? here : atHost(here, there));
    }
  } finally {
    host.close();
  }
  return plans;
}

/** What the host says of it counts: it has the pool types, the policy and the price list. */
function atHost(here: PlannedCluster, there: HostPlan): PlannedCluster {
  const { findings, stages, valid, monthlyPrice, checked, unanswered } = there;
  const { resolved, ...rest } = here.plan;
  const plan = { ...rest, findings, stages, valid, ...(valid && resolved !== undefined ? { resolved } : {}) };
  return { ...here, plan, host: { monthlyPrice, checked, unanswered } };
}

/** What only shows when all requests of the files are seen together. */
function together(plans: readonly PlannedCluster[]): PlannedCluster[] {
  const placed = plans.flatMap(({ plan, file, line }) =>
    plan.resolved === undefined ? [] : [{ resolved: plan.resolved, where: `${file}:${line}` }],
  );
  const findings = new Map(findingsAmong(placed).map((list, index) => [placed[index]!.resolved, list]));
  return plans.map((one) => {
    const more = one.plan.resolved === undefined ? [] : (findings.get(one.plan.resolved) ?? []);
    if (more.length === 0) return one;
    const plan = { ...one.plan, findings: [...one.plan.findings, ...more] };
    if (!more.some(isError)) return { ...one, plan };
    const { resolved: _, ...rest } = plan;
    return { ...one, plan: { ...rest, valid: false, stages: [] } };
  });
}

const documentOf = ({ resolved: _, ...plan }: ClusterPlan): Omit<ClusterPlan, 'resolved'> => plan;
