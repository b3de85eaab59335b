/**
 * Whether a team may have what it asks for. The same answer at admission, over HTTP and in the workflow, so a policy also holds where the
 * webhook is not installed.
 *
 * @example
 * checkPolicy(policy, resolved, { others: ['team-a/old'] });
 */
import { formatSeconds, parseDuration } from '../../base/durations.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { normalLocation } from '../resolved/resolve.ts';
import type { Finding } from '../rules/finding.ts';
import { type Policy, policyFor, type TeamPolicy } from './policy.ts';

export interface PolicyFacts {
  /**
   * Names of the other requests of the team that came before this one; undefined where they are not known, as at admission without an
   * answer in time. Then the number is left to the workflow.
   */
  others?: readonly string[] | undefined;
}

export function checkPolicy(policy: Policy, resolved: Resolved, { others }: PolicyFacts): Finding[] {
  const team = resolved.namespace;
  const allowed = policyFor(policy, team);
  if (allowed === undefined) {
    return [
      error(
        'TeamNotAllowed',
        'metadata.namespace',
        `the team ${team} may not request clusters here`,
        'ask the platform team to add the team to clusterRequests.policy.teams',
      ),
    ];
  }
  return [
    ...checkCount(team, allowed, others),
    ...checkChoice(
      'LocationNotAllowed',
      'spec.location',
      'location',
      resolved.location,
      allowed.locations?.map(normalLocation),
      team,
    ),
    ...checkChoice(
      'PoolTypeNotAllowed',
      'spec.nodePool.type',
      'pool type',
      resolved.nodePool.type,
      allowed.poolTypes,
      team,
    ),
    ...checkNodes(resolved, allowed),
    ...checkLifetime(resolved, allowed),
  ];
}

const error = (code: Finding['code'], field: string, cause: string, fix: string): Finding => ({
  severity: 'error',
  code,
  field,
  cause,
  fix,
});

function checkCount(team: string, { clusters }: TeamPolicy, others: readonly string[] | undefined): Finding[] {
  if (clusters === undefined || others === undefined || others.length < clusters) return [];
  const list = others.slice(0, 5).join(', ');
  const cause = `the team ${team} may have ${clusters} ${clusters === 1 ? 'cluster' : 'clusters'}, and has ${others.length}${list === '' ? '' : `: ${list}`}`;
  return [
    error(
      'TeamQuotaReached',
      'metadata.namespace',
      cause,
      'delete one that is no longer needed, or ask the platform team for more',
    ),
  ];
}

function checkChoice(
  code: 'LocationNotAllowed' | 'PoolTypeNotAllowed',
  field: string,
  what: string,
  chosen: string,
  allowed: readonly string[] | undefined,
  team: string,
): Finding[] {
  if (allowed === undefined || allowed.includes(chosen)) return [];
  const cause = `the ${what} ${chosen} is not allowed for the team ${team}`;
  return [
    error(
      code,
      field,
      cause,
      allowed.length === 0 ? `no ${what} is allowed: ask the platform team` : `use one of ${allowed.join(', ')}`,
    ),
  ];
}

/** Pods decide how many nodes node auto-provisioning makes; the limits of its pool bound that. */
function checkNodes({ systemPool, nodePool, nodes }: Resolved, { nodes: most }: TeamPolicy): Finding[] {
  if (most === undefined) return [];
  const limit = nodePool.limits.nodes;
  const fix = `lower it to ${most} nodes in all, of which ${systemPool.count} are system nodes`;
  if (nodes === 'nap' && limit === undefined) {
    const cause = `clusters of the team may have ${most} nodes, and with node auto-provisioning nothing limits their number`;
    return [
      error(
        'TeamQuotaReached',
        'spec.nodePool.limits',
        cause,
        `set limits.nodes to ${Math.max(0, most - systemPool.count)} or less`,
      ),
    ];
  }
  const workers = nodes === 'nap' ? Number(limit) : nodes === 'agentPools' ? nodePool.maxCount : nodePool.replicas;
  const total = systemPool.count + workers;
  if (total <= most) return [];
  const field = nodes === 'nap' ? 'limits.nodes' : nodes === 'agentPools' ? 'maxCount' : 'replicas';
  const cause = `the cluster may get ${total} nodes, and clusters of the team may have ${most}`;
  return [error('TeamQuotaReached', `spec.nodePool.${field}`, cause, fix)];
}

function checkLifetime({ lifetime }: Resolved, { longestLifetime }: TeamPolicy): Finding[] {
  if (longestLifetime === undefined) return [];
  const longest = formatSeconds(longestLifetime);
  if (lifetime === undefined) {
    const cause = 'clusters of this team have to end by themselves';
    return [error('LifetimeRequired', 'spec.lifetime', cause, `set lifetime to ${longest} or less`)];
  }
  const parsed = parseDuration(lifetime);
  if (!parsed.ok || parsed.milliseconds <= longestLifetime * 1000) return [];
  return [
    error(
      'LifetimeRequired',
      'spec.lifetime',
      `a lifetime of ${lifetime} is longer than ${longest}`,
      `set lifetime to ${longest} or less`,
    ),
  ];
}
