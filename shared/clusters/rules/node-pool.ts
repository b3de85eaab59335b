/** The nodes for workloads: type, sizes, labels, taints and limits. */
import { labelKeyFault, labelValueFault } from '../../base/kubernetes/label-syntax.ts';
import { writeOr } from '../../base/nearest.ts';
import { quoteInput } from '../../base/problems.ts';
import type { PoolType, PoolTypes } from '../pool-types/pool-type.ts';
import { retirementOf } from '../pool-types/retirements.ts';
import type { NodeMaker } from '../request/choices.ts';
import type { ClusterRequest } from '../request/request.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Report } from './finding.ts';

type Given = NonNullable<ClusterRequest['spec']['nodePool']>;

const quantity = /^\d+(\.\d+)?([mkMGTPE]|[KMGTPE]i)?$/;
const durationOrNever = /^(([0-9]+(s|m|h))+|Never)$/;
const field = 'spec.nodePool';

export function checkNodePool({ spec }: ClusterRequest, resolved: Resolved, types: PoolTypes, report: Report): void {
  const given = spec.nodePool ?? {};
  const pool = resolved.nodePool;
  const type = types.get(pool.type);
  if (type === undefined) {
    const names = [...types.keys()];
    const cause = `there is no pool type ${quoteInput(pool.type)}`;
    const fix = writeOr(pool.type, names, `use one of ${names.join(', ')}`);
    report('error', 'PoolTypeUnknown', `${field}.type`, cause, fix);
  } else if (given.vmSizes !== undefined) checkSizes(given.vmSizes, type, report);
  for (const [index, size] of (given.vmSizes ?? []).entries())
    warnOfRetirement(size, `${field}.vmSizes[${index}]`, report);
  if (type !== undefined && pool.vmSizes.every((size) => type.acceptedVmSizes.includes(size)))
    checkFamily(pool.family, pool.vmSizes, report);
  checkLimits(resolved, given.limits, report);
  checkCounts(spec, resolved, report);
  for (const [key, value] of Object.entries(given.labels ?? {})) checkLabel(key, value, report);
  const seen = new Set<string>();
  for (const [index, taint] of pool.taints.entries()) {
    const at = given.taints === undefined ? `${field}.type` : `${field}.taints[${index}]`;
    const fault =
      labelKeyFault(taint.key, 'taint key') ??
      (taint.value === undefined ? undefined : labelValueFault(taint.value, 'taint value'));
    if (fault !== undefined) report('error', 'NodeTaintInvalid', at, fault, 'change the taint');
    const domain = refusedDomain(taint.key);
    if (domain !== undefined) {
      report(
        'error',
        'NodeTaintInvalid',
        at,
        `taints of ${domain} are set by AKS and Karpenter`,
        'use a key of your own domain',
      );
    }
    const identity = `${taint.key}:${taint.effect}`;
    if (seen.has(identity))
      report('error', 'NodeTaintInvalid', at, `the taint ${identity} occurs twice`, 'remove one of the two');
    seen.add(identity);
  }
  for (const name of ['expireAfter', 'consolidateAfter'] as const) {
    if (!durationOrNever.test(pool[name])) {
      const cause = `${quoteInput(pool[name])} is not a duration`;
      report(
        'error',
        'NodePoolInvalid',
        `${field}.${name}`,
        cause,
        'write it in hours, minutes and seconds, such as 2160h or 30s, or Never',
      );
    }
  }
}

function checkSizes(sizes: readonly string[], type: PoolType, report: Report): void {
  const accepted = new Map(type.acceptedVmSizes.map((size) => [size.toLowerCase(), size]));
  for (const [index, size] of sizes.entries()) {
    if (accepted.get(size.toLowerCase()) === size) continue;
    const meant = accepted.get(size.toLowerCase());
    const at = `${field}.vmSizes[${index}]`;
    if (meant !== undefined) {
      report('error', 'VmSizeNotAccepted', at, `${quoteInput(size)} is not spelled as Azure does`, `write ${meant}`);
      continue;
    }
    const cause = `the pool type ${type.name} does not accept ${quoteInput(size)}`;
    const fix = `use a size such as ${type.vmSizes.join(' or ')}, or have the platform team add a pool type`;
    report('error', 'VmSizeNotAccepted', at, cause, writeOr(size, type.acceptedVmSizes, fix));
  }
}

/** For any size that a request names, also that of its system nodes. */
export function warnOfRetirement(size: string, at: string, report: Report): void {
  const retirement = retirementOf(size);
  if (retirement === undefined) return;
  const { on, instead } = retirement;
  const cause =
    on === undefined
      ? `${size} is of an older generation, for which Azure sells no new reservations`
      : `Azure retires ${size} on ${on}, and may refuse it to new subscriptions now`;
  report('warning', 'VmSizeRetiring', at, cause, `use ${instead}`);
}

/** Exact sizes and a family are both required of a node: sizes of another family would leave nothing. */
function checkFamily(family: string, sizes: readonly string[], report: Report): void {
  const others = sizes.filter((size) => /^Standard_([A-Z]+)/.exec(size)?.[1]?.startsWith(family) === false);
  if (others.length === 0) return;
  const cause = `${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} not of the family ${family}`;
  report('error', 'NodePoolInvalid', `${field}.family`, cause, 'remove family, or use sizes of it');
}

function checkLimits({ nodes }: Resolved, limits: Readonly<Record<string, unknown>> | undefined, report: Report): void {
  for (const [name, value] of Object.entries(limits ?? {})) {
    const at = `${field}.limits.${name}`;
    if (!['cpu', 'memory', 'nodes'].includes(name)) {
      report('error', 'NodePoolInvalid', at, `there is no limit ${quoteInput(name)}`, 'use cpu, memory or nodes');
    } else if (!quantity.test(String(value))) {
      report(
        'error',
        'NodePoolInvalid',
        at,
        `${quoteInput(value)} is not a quantity`,
        'write a number such as 1000 or 2000Gi',
      );
    } else if (nodes === 'poolwright' && name !== 'nodes') {
      const cause = 'a static pool has a fixed number of nodes, and only the limit nodes';
      report('error', 'NodePoolInvalid', at, cause, 'remove the limit, or set replicas to what you need');
    }
  }
}

/** A number that another maker of nodes would need, and this one would ignore. */
function checkCounts(spec: ClusterRequest['spec'], { nodes, nodePool: pool }: Resolved, report: Report): void {
  const given = spec.nodePool ?? {};
  const only = (name: keyof typeof given, ...makers: readonly NodeMaker[]): void => {
    if (given[name] === undefined || makers.includes(nodes)) return;
    const cause = `it has no meaning with nodes: ${nodes}`;
    report('error', 'NodePoolInvalid', `${field}.${name}`, cause, `remove it, or set nodes: ${makers[0]}`);
  };
  only('replicas', 'poolwright');
  only('minCount', 'agentPools');
  only('maxCount', 'agentPools');
  for (const name of ['expireAfter', 'consolidationPolicy', 'consolidateAfter'] as const)
    only(name, 'nap', 'poolwright');
  if (nodes === 'agentPools') checkAgentPool(given, report);
  if (nodes === 'agentPools' && pool.minCount > pool.maxCount) {
    const cause = `minCount ${pool.minCount} is more than maxCount ${pool.maxCount}`;
    report('error', 'NodePoolInvalid', `${field}.minCount`, cause, 'lower it, or raise maxCount');
  }
}

/** An agent pool has one size, and its autoscaler counts nodes only. */
function checkAgentPool({ limits, vmSizes, imageFamily }: Given, report: Report): void {
  if (limits !== undefined) {
    const cause = 'the autoscaler of agent pools has no such limits';
    report('warning', 'NodePoolInvalid', `${field}.limits`, cause, 'set maxCount, which is the limit there');
  }
  if ((vmSizes?.length ?? 0) > 1) {
    const cause = `an agent pool has one size, so only ${vmSizes?.[0]} is used`;
    report('warning', 'NodePoolInvalid', `${field}.vmSizes`, cause, 'list one size only');
  }
  if (imageFamily === 'Ubuntu2404') {
    const cause = 'agent pools of this API version cannot ask for Ubuntu2404';
    report('error', 'NodePoolInvalid', `${field}.imageFamily`, cause, 'use Ubuntu, or set nodes: nap');
  }
}

const azureDomains = ['karpenter.sh', 'karpenter.azure.com', 'kubernetes.azure.com'];
const nodeDomains = ['kubernetes.io', 'k8s.io'];
/** Of the domain of Kubernetes, kubelets may set these themselves. */
const openNodeDomains = ['node.kubernetes.io', 'kubelet.kubernetes.io'];
const refusedKeys = ['agentpool', 'storageprofile', 'storagetier', 'accelerator'];
/** Names of nodes that every node has already. */
const ownLabels = ['node-pool-type', 'cluster-name'];

/** Definitions look at the end of the part before the slash, or of the whole key. */
function refusedDomain(key: string): string | undefined {
  const start = key.split('/')[0] ?? '';
  return azureDomains.find((domain) => start.endsWith(domain));
}

function checkLabel(key: string, value: string, report: Report): void {
  const at = `${field}.labels["${key}"]`;
  const fault = labelKeyFault(key) ?? labelValueFault(value);
  if (fault !== undefined) {
    report('error', 'NodeLabelRefused', at, fault, 'change the label');
    return;
  }
  const start = key.split('/')[0] ?? '';
  const kubernetes = key.includes('/') && nodeDomains.some((one) => start === one || start.endsWith(`.${one}`));
  const open = openNodeDomains.some((one) => start === one || start.endsWith(`.${one}`));
  const domain = refusedDomain(key) ?? (kubernetes && !open ? start : undefined);
  if (domain !== undefined) {
    report(
      'error',
      'NodeLabelRefused',
      at,
      `labels of ${domain} are set by AKS and Karpenter`,
      'use a key of your own domain',
    );
  } else if (refusedKeys.includes(key)) {
    report('error', 'NodeLabelRefused', at, `AKS keeps the label ${key} for itself`, 'use another key');
  } else if (ownLabels.includes(key)) {
    report('error', 'NodeLabelRefused', at, `the label ${key} is set for every request`, 'use another key');
  }
}
