/**
 * What is the matter with a claim, and what would help: from everything that is known about it to one cause and one cure. A list of
 * rules in the order of what binds most; the first that applies speaks. Total: the last one always does.
 */
import { defined } from '../base/defined.ts';
import { deletingRules } from './diagnosis-deleting.ts';
import type { Diagnosis, DiagnosisFacts, Rule } from './diagnosis-facts.ts';
import { launchingRules } from './diagnosis-launching.ts';
import { ageOf, stateOf } from './diagnosis-state.ts';
import { isDeleting, isReadyClaim, newest, timeOfDay, workflowOf } from './diagnosis-words.ts';

export type { Diagnosis, DiagnosisFacts } from './diagnosis-facts.ts';

const gone: Rule = ({ claim, isGone, decisions }) => {
  if (claim || !isGone) return undefined;
  const last = newest(decisions);
  if (last === undefined)
    return { cause: 'the claim is gone, and no record of it is left', cure: 'none needed: the claim is gone' };
  // A launch that failed is why it is gone; that it was released says nothing.
  const failed = decisions.findLast(({ code }) => code === 'given-back');
  if (failed) {
    const { reason } = failed.fields ?? {};
    return {
      ...(typeof reason === 'string' ? { code: reason } : {}),
      cause: `the claim is gone; it was ${failed.text}`,
      cure: "fix the cause in its NodePool or node class; 'poolwright get pools' shows how the pool is now",
      since: failed.at,
    };
  }
  return {
    cause: `the claim is gone; the last decision was: ${last.text}`,
    cure: 'none needed: the claim is gone',
    since: last.at,
  };
};

const unknown: Rule = ({ claim, decisions }) => {
  if (claim) return undefined;
  const last = newest(decisions);
  return {
    code: 'ClusterUnavailable',
    cause: `the claim could not be read${last === undefined ? ', so its state is unknown' : `; the last decision was: ${last.text}`}`,
    cure: 'check the cluster, the network and the credentials (--kubeconfig, --context)',
  };
};

const notOurs: Rule = ({ ours }) =>
  ours === false
    ? {
        cause:
          'no configured provider serves the claim, given its node class (spec.nodeClassRef), labels and annotations, so the host ignores it',
        cure: 'add a provider for this node class to the configuration, or use another node class; none needed if another provisioner serves it',
      }
    : undefined;

const ready: Rule = (facts) => {
  const { claim, node } = facts;
  if (!claim || !isReadyClaim(claim) || isDeleting(claim)) return undefined;
  const name = claim.status?.nodeName ?? 'its node';
  if (node === 'missing')
    return {
      code: 'NodeNotFound',
      cause: `the claim is ready, but its node ${name} is not in the cluster`,
      cure: 'none needed: within minutes the host checks whether the instance is gone too, and then deletes the claim',
    };
  if (node !== undefined && !node.ready)
    return {
      code: 'NodeNotReady',
      cause: `the claim is ready, but its node ${name} is no longer ready${node.why ? `: ${node.why}` : ''}`,
      cure: facts.explained('NodeNotReady')?.cure ?? 'check its kubelet',
    };
  return { well: true, cause: `nothing is wrong: node ${name} is ready`, cure: 'none needed' };
};

const readOnly: Rule = ({ standing, explained }) => {
  if (standing === undefined || standing.acts) return undefined;
  const { reason = 'NotOwner', who, why = 'this deployment is read-only for the cluster' } = standing;
  const cure = explained(reason)?.cure ?? 'find out why this deployment is read-only';
  return { code: reason, cause: why, cure: who === undefined ? cure : `${cure} The other one is ${who}.` };
};

const setAside: Rule = ({ workflows, explained }) => {
  const aside = workflows.find(({ status }) => status === 'set-aside');
  if (!aside) return undefined;
  const why = aside.error === undefined ? '' : `: ${aside.error}`;
  return {
    code: 'SetAside',
    cause: `${aside.workflow} was set aside, because one of its steps repeatedly crashed the host${why}`,
    cure: `${explained('SetAside')?.cure ?? 'Find out why the host crashed.'} The host retries it automatically later. To retry now: poolwright workflows restart ${aside.id}`,
    ...defined({ since: aside.startedAt }),
  };
};

/** Nothing runs and nothing was decided: what should have begun it lies where nobody reads. */
const deadLettered: Rule = ({ deadLetters, workflows, claim }) => {
  const [letter] = deadLetters;
  const isServed = workflows.some(({ status }) => status === 'running');
  if (!letter || isServed || (claim && isReadyClaim(claim) && !isDeleting(claim))) return undefined;
  const others = deadLetters.length === 1 ? '' : ` (and ${deadLetters.length - 1} more)`;
  return {
    code: 'DeadLettered',
    cause: `the event that announced it is in the dead letters${others}: ${letter.reason}`,
    cure: `fix the sender, then run: poolwright deadletters replay ${letter.id}; the resync also finds the claim automatically`,
    ...defined({ since: letter.at }),
  };
};

/** It is on its way, and nothing is said to be wrong. */
const underWay: Rule = (facts) => {
  const running = workflowOf(facts, 'running');
  if (!running) return undefined;
  const until = running.until;
  return {
    well: true,
    cause: `nothing is wrong: ${running.workflow} is running${running.waitingFor ? `, ${running.waitingFor}` : ''}`,
    cure: `none needed: the host continues automatically${until === undefined ? '' : ` at ${timeOfDay(until)}`}`,
    ...defined({ until }),
  };
};

const silent: Rule = ({ isHostKnown, decisions, claim, now }) => {
  if (!isHostKnown)
    return {
      code: 'HostUnreachable',
      cause: 'the cluster shows no problem, and the host, which knows more, was not queried',
      cure: 'start the host, or pass --data-dir, or --url with --token-file, and run the command again',
    };
  const age = claim === undefined ? undefined : ageOf(claim, now);
  const seen = decisions.length > 0 ? 'no workflow is running for it' : 'no host has processed it yet';
  return {
    cause: `${seen}${age === undefined ? '' : `, ${age} after it was created`}`,
    cure: 'none needed: the resync checks every claim every few minutes. If this persists, check that events arrive: poolwright doctor',
  };
};

const rules: readonly Rule[] = [
  gone,
  unknown,
  ready,
  notOurs,
  readOnly,
  setAside,
  ...deletingRules,
  ...launchingRules,
  deadLettered,
  underWay,
  silent,
];

export function diagnose(facts: DiagnosisFacts): Diagnosis {
  const state = stateOf(facts);
  for (const rule of rules) {
    const found = rule(facts);
    if (found) return { ...found, state };
  }
  return { state, cause: 'nothing is known about the claim', cure: 'run the command again later' };
}
