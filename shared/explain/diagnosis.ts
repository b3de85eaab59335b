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
  return {
    cause:
      last === undefined
        ? 'the claim is gone, and nothing is known about it any more'
        : `the claim is gone; the last that was decided is: ${last.text}`,
    cure: 'nothing: a claim that is gone needs nothing',
    ...(last === undefined ? {} : { since: last.at }),
  };
};

const unknown: Rule = ({ claim, decisions }) => {
  if (claim) return undefined;
  const last = newest(decisions);
  return {
    code: 'ClusterUnavailable',
    cause: `the claim could not be read${last === undefined ? ', so nobody knows how it is' : `; the last that was decided is: ${last.text}`}`,
    cure: 'look at the cluster, at the network on the way, and at the credentials (--kubeconfig, --context)',
  };
};

const notOurs: Rule = ({ ours }) =>
  ours === false
    ? {
        cause:
          'no provider here serves it, by its node class (spec.nodeClassRef), labels and annotations: it is left alone',
        cure: 'add a provider for this node class to the configuration, or name another node class; if somebody else serves it, nothing',
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
      cure: 'nothing: whether the machine is gone too is found out within minutes, and the claim follows it',
    };
  if (node !== undefined && !node.ready)
    return {
      code: 'NodeNotReady',
      cause: `the claim is ready, but its node ${name} is not any more${node.why ? `: ${node.why}` : ''}`,
      cure: facts.explained('NodeNotReady')?.cure ?? 'look at its kubelet',
    };
  return { well: true, cause: `nothing is wrong: node ${name} is ready`, cure: 'nothing is to be done' };
};

const readOnly: Rule = ({ standing, explained }) => {
  if (standing === undefined || standing.acts) return undefined;
  const { reason = 'NotOwner', who, why = 'this deployment only reads the cluster' } = standing;
  const cure = explained(reason)?.cure ?? 'see why it only reads';
  return { code: reason, cause: why, cure: who === undefined ? cure : `${cure} The other one is ${who}.` };
};

const setAside: Rule = ({ workflows, explained }) => {
  const aside = workflows.find(({ status }) => status === 'set-aside');
  if (!aside) return undefined;
  const why = aside.error === undefined ? '' : `: ${aside.error}`;
  return {
    code: 'SetAside',
    cause: `${aside.workflow} was set aside, because a step of it kept killing the host${why}`,
    cure: `${explained('SetAside')?.cure ?? 'Find out why the host died.'} It is tried again by itself after a while, or now by: poolwright workflows restart ${aside.id}`,
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
    cause: `the event that announced it lies with the dead letters${others}: ${letter.reason}`,
    cure: `mend the sender, then: poolwright deadletters replay ${letter.id}; meanwhile the resync finds the claim by itself`,
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
    cause: `nothing is wrong: ${running.workflow} runs${running.waitingFor ? `, ${running.waitingFor}` : ''}`,
    cure: `nothing: it goes on by itself${until === undefined ? '' : ` at ${timeOfDay(until)}`}`,
    ...defined({ until }),
  };
};

const silent: Rule = ({ isHostKnown, decisions, claim, now }) => {
  if (!isHostKnown)
    return {
      code: 'HostUnreachable',
      cause: 'the cluster says nothing that is wrong, and the host, which knows more, was not asked',
      cure: 'start the host or name it (--data-dir, or --url with --token-file), and ask again',
    };
  const age = claim === undefined ? undefined : ageOf(claim, now);
  const seen = decisions.length > 0 ? 'nothing runs for it at the moment' : 'nobody has looked at it yet';
  return {
    cause: `${seen}${age === undefined ? '' : `, ${age} after it was made`}`,
    cure: 'nothing: the resync looks at every claim every few minutes. If it stays so, see whether events come: poolwright doctor',
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
  return { state, cause: 'nothing is known', cure: 'ask again later' };
}
