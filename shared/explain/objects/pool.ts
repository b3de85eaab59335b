/** What is the matter with a pool, and what would help: the first rule that applies speaks, and the last one always does. */
import { defined } from '../../base/defined.ts';
import { annotations } from '../../nodes/claims/spec/well-known.ts';
import type { Diagnosis } from '../diagnosis-facts.ts';
import { duration, timeOfDay } from '../diagnosis-words.ts';
import { unmetText } from '../first-unmet.ts';
import { cureOf, type PoolFacts, readOnlyBecause } from './facts.ts';
import { poolUnmet } from './unmet.ts';

type Rule = (facts: PoolFacts) => Omit<Diagnosis, 'state'> | undefined;

const deleting: Rule = ({ pool, claims }) =>
  pool.metadata.deletionTimestamp === undefined
    ? undefined
    : {
        well: true,
        cause: `nothing is wrong: it is being deleted, and ${claims.length} of its claims still exist`,
        cure: 'none needed: Kubernetes removes it when its claims are gone',
      };

const notOurs: Rule = ({ host }) =>
  host?.ours === false
    ? {
        cause:
          'no configured provider serves its node class (spec.template.spec.nodeClassRef), so the host ignores the pool',
        cure: 'add a provider for this node class to the configuration, or use another node class; none needed if another provisioner serves it',
      }
    : undefined;

const readOnly: Rule = ({ host }) => host && readOnlyBecause(host);

/** Its own spec, or its node class. */
const notUsable: Rule = ({ pool }) => {
  const unmet = poolUnmet(pool);
  if (unmet?.type !== 'ValidationSucceeded' && unmet?.type !== 'NodeClassReady') return undefined;
  const { kind, name } = pool.spec.template.spec.nodeClassRef;
  const advice = cureOf(unmet.reason) ?? 'read the message; the host retries automatically.';
  const more = unmet.reason === 'NodeClassNotReady' ? ` See: poolwright explain nodeclass/${kind}/${name}` : '';
  return { code: unmet.reason, cause: unmet.message, cure: `${advice}${more}`, ...since(unmet.since) };
};

const paused: Rule = ({ pool, host, claims }) => {
  if (pool.metadata.annotations?.[annotations.paused] === 'true') {
    const cure = `to resume: kubectl annotate nodepool ${pool.metadata.name} ${annotations.paused}-`;
    return { code: 'Paused', cause: `it has the annotation ${annotations.paused}`, cure };
  }
  const pause = host?.pauses.find(({ kind }) => kind === 'cluster') ?? host?.pauses[0];
  if (!pause || claims.length >= (pool.spec.replicas ?? 0)) return undefined;
  const { kind, name, setBy, why } = pause;
  return {
    code: 'Paused',
    cause: `${kind} ${name} is paused${setBy === 'configuration' ? ' in the configuration' : ''}${why ? `: ${why}` : ''}; no new claims are created`,
    cure:
      setBy === 'configuration'
        ? `remove the pause of ${kind} ${name} from the configuration, and restart the host`
        : `to resume: poolwright resume ${kind} ${name}`,
  };
};

/** The claims were deleted, and the pool has to speak for them. */
const failing: Rule = ({ pool, host }) => {
  const unmet = poolUnmet(pool);
  if (unmet?.type !== 'NodeRegistrationHealthy') return undefined;
  const { failure, nextTryAt } = host ?? {};
  const again = nextTryAt === undefined ? '' : ` The next attempt is at ${timeOfDay(nextTryAt)}.`;
  const see = failure === undefined ? '' : ` See: poolwright explain claim/${failure.claim}`;
  return {
    code: unmet.reason,
    cause: unmet.message,
    cure: `${cureOf(unmet.reason) ?? 'read the message; the pool retries automatically.'}${again}${see}`,
    ...since(unmet.since),
    ...defined({ until: nextTryAt }),
  };
};

/** Events that say why not more is done, as long as they are news. */
const holds: ReadonlySet<string> = new Set(['NodeLimitReached', 'ClaimNotMade', 'DisruptionBlocked']);
const newsMs = 90 * 60_000;

const held: Rule = ({ now, events }) => {
  const event = events.findLast(({ reason, at }) => holds.has(reason) && now - at <= newsMs);
  return (
    event && {
      code: event.reason,
      cause: event.message,
      cure: cureOf(event.reason) ?? 'read the message',
      since: event.at,
    }
  );
};

const dynamic: Rule = ({ pool }) =>
  pool.spec.replicas === undefined
    ? {
        well: true,
        cause: 'it has no spec.replicas: Poolwright keeps its conditions and creates no nodes for it',
        cure: 'set spec.replicas for a fixed number of nodes; none needed if another provisioner creates the nodes',
      }
    : undefined;

const underWay: Rule = ({ pool, claims, host }) => {
  const unmet = poolUnmet(pool);
  const open = claims.find(({ ready }) => !ready);
  if (unmet === undefined && open === undefined) return undefined;
  const why = open?.why === undefined ? '' : `; claim ${open.name}: ${unmetText(open.why)}`;
  const ready = claims.filter((claim) => claim.ready).length;
  const cause = `${ready} of ${pool.spec.replicas} claims are ready${why}`;
  if (open) return { cause, cure: `see: poolwright explain claim/${open.name}` };
  const unknown = host === undefined ? ' The host, which knows more, was not queried.' : '';
  return {
    cause: `${unmet === undefined ? cause : unmetText(unmet)}.${unknown}`,
    cure: 'none needed: the host continues automatically',
  };
};

const well: Rule = ({ pool }) => ({
  well: true,
  cause: `nothing is wrong: ${pool.status?.nodes ?? 0} of ${pool.spec.replicas} nodes have joined`,
  cure: 'none needed',
});

const rules: readonly Rule[] = [deleting, notOurs, readOnly, notUsable, paused, failing, held, dynamic, underWay, well];

export function diagnosePool(facts: PoolFacts): Diagnosis {
  const found = rules.map((rule) => rule(facts)).find((one) => one !== undefined);
  const { pool, now } = facts;
  const { replicas } = pool.spec;
  const nodes = pool.status?.nodes ?? 0;
  const count = replicas === undefined ? `${nodes} nodes` : `${nodes} of ${replicas} nodes`;
  const state = `${count}, ${duration(now - Date.parse(pool.metadata.creationTimestamp))} old`;
  return { state, cause: 'nothing is known about the pool', cure: 'run the command again later', ...found };
}

function since(time: string | undefined): { since?: number } {
  const at = Date.parse(time ?? '');
  return Number.isFinite(at) ? { since: at } : {};
}
