/** What is the matter with a node class, and what would help. */
import type { Diagnosis } from '../diagnosis-facts.ts';
import { duration } from '../diagnosis-words.ts';
import { cureOf, type NodeClassFacts, readOnlyBecause } from './facts.ts';
import { nodeClassUnmet } from './unmet.ts';

type Rule = (facts: NodeClassFacts) => Omit<Diagnosis, 'state'> | undefined;

const deleting: Rule = ({ nodeClass, pools }) =>
  nodeClass.metadata.deletionTimestamp === undefined
    ? undefined
    : {
        code: 'Deleting',
        cause: `it is being deleted: existing nodes stay, and new claims need another node class${usedBy(pools)}`,
        cure: 'none needed if you deleted it; otherwise create it again when it is gone',
      };

const notOurs: Rule = ({ host, kind }) =>
  host?.ours === false
    ? {
        cause: `no configured provider serves ${kind}, so the host ignores it`,
        cure: 'add a provider for this kind to the configuration; none needed if another provisioner serves it',
      }
    : undefined;

const notReady: Rule = ({ nodeClass, optional, pools }) => {
  const unmet = nodeClassUnmet(nodeClass, { optional });
  if (unmet === undefined || unmet.reason === 'NotSeenYet') return undefined;
  const at = Date.parse(unmet.since ?? '');
  return {
    code: unmet.reason,
    cause: `${unmet.message}${usedBy(pools)}`,
    cure: cureOf(unmet.reason) ?? 'change what the message names; the host checks the node class again automatically',
    ...(Number.isFinite(at) ? { since: at } : {}),
  };
};

const readOnly: Rule = ({ host }) => host && readOnlyBecause(host);

const unseen: Rule = ({ nodeClass, optional, host }) =>
  nodeClassUnmet(nodeClass, { optional }) === undefined
    ? undefined
    : {
        cause: `no host has checked it yet${host === undefined ? ', and no host was queried' : ''}`,
        cure: 'none needed: the host checks every node class within minutes. If this persists: poolwright doctor',
      };

const well: Rule = ({ optional, pools }) => ({
  well: true,
  cause: optional
    ? `nothing is wrong: Poolwright reads its spec, and another provisioner owns its status${usedBy(pools)}`
    : `nothing is wrong: it is ready for new claims${usedBy(pools)}`,
  cure: 'none needed',
});

const rules: readonly Rule[] = [deleting, notOurs, notReady, readOnly, unseen, well];

const most = 5;

function usedBy(pools: readonly string[]): string {
  if (pools.length === 0) return '';
  const more = pools.length > most ? ` and ${pools.length - most} more` : '';
  return `; used by ${pools.length === 1 ? 'pool' : 'pools'} ${pools.slice(0, most).join(', ')}${more}`;
}

export function diagnoseNodeClass(facts: NodeClassFacts): Diagnosis {
  const found = rules.map((rule) => rule(facts)).find((one) => one !== undefined);
  const { nodeClass, optional, now } = facts;
  const { reason } = nodeClassUnmet(nodeClass, { optional }) ?? { reason: undefined };
  const created = Date.parse(nodeClass.metadata.creationTimestamp ?? '');
  const age = Number.isFinite(created) ? `, ${duration(now - created)} old` : '';
  const state = reason === undefined ? 'ready' : reason === 'Deleting' ? 'being deleted' : 'not ready';
  return { state: `${state}${age}`, cause: 'nothing is known about it', cure: 'run the command again later', ...found };
}
