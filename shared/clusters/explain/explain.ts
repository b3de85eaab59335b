/**
 * What is the matter with a request for a cluster, and what would help: one cause, one fix. Rules in the order of what binds most; the
 * first that applies speaks, and the last always does. Pure: whoever has the object has the answer.
 *
 * @example
 * explain(request, { now: clock.now(), findings: checkRequest(request, surroundings).findings });
 */
import { defined } from '../../base/defined.ts';
import { formatSeconds } from '../../base/durations.ts';
import { findError } from '../../observe/errors/catalog.ts';
import { clusterRequestKind } from '../request/kind.ts';
import { removing } from '../request/marks.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { type Aside, asideOf } from './aside.ts';
import { judgeAzure } from './azure-codes.ts';
import type { SeenCondition, SeenRequest, SeenStage } from './seen-request.ts';

export interface ClusterDiagnosis {
  /** In the catalog of errors; absent where nothing is wrong. */
  code?: string;
  /** Nothing is wrong, or nothing that anyone has to do. */
  well?: true;
  /** Why nothing happens, where a user wants it so. */
  aside?: Aside;
  cause: string;
  fix: string;
  /** Of the request, if that is where it is wrong. */
  field?: string;
  /** The stage that it is about. */
  stage?: string;
  since?: string;
}

export interface ExplainFacts {
  /** Milliseconds since the epoch. */
  now: number;
  /** What the rules say of the spec; so a cause has its field and its own fix. */
  findings?: readonly Finding[];
  /** Why no host carries requests out here; absent: one does. */
  notServed?: string;
}

type Rule = (request: SeenRequest, facts: ExplainFacts) => ClusterDiagnosis | undefined;

const none = 'none needed';
/** As the catalog marks errors of requests. */
const aboutRequests = clusterRequestKind.kind;

const findCondition = ({ status }: SeenRequest, type: string): SeenCondition | undefined =>
  status?.conditions?.find((one) => one.type === type);

const failing = (request: SeenRequest, type: string): SeenCondition | undefined => {
  const condition = findCondition(request, type);
  return condition?.status === 'False' ? condition : undefined;
};

const fixFor = (code: string | undefined, otherwise: string): string =>
  (code === undefined ? undefined : findError(code)?.cure) ?? otherwise;

const ofCondition = (
  { reason, message, lastTransitionTime: since }: SeenCondition,
  otherwise: string,
): ClusterDiagnosis => ({
  cause: message || reason || 'no reason is known',
  fix: fixFor(reason, otherwise),
  ...defined({ code: reason, since: typeof since === 'string' ? since : undefined }),
});

/** A stage has a code of ours, or one of Azure with Azure's own words. */
function verdictOf(request: SeenRequest, { name, code, message, waitingFor }: SeenStage): StageVerdict {
  if (code === undefined) return { cause: message ?? waitingFor ?? 'no reason is known' };
  const own = findError(code);
  // Azure has words that mean something else for a claim, such as QuotaExceeded.
  if (own?.about === aboutRequests) return { code, cause: message ?? own.cause, fix: own.cure };
  const { location } = (request.spec ?? {}) as { location?: unknown };
  return judgeAzure(
    { reason: code, message: message ?? '' },
    {
      what: `${name} of ${request.metadata.name}`,
      location: typeof location === 'string' ? location : 'its location',
      namespace: request.metadata.namespace,
    },
  );
}

interface StageVerdict {
  code?: string;
  cause: string;
  fix?: string;
}

const ofStage = (stage: SeenStage, { code }: StageVerdict, cause: string, fix: string): ClusterDiagnosis => ({
  cause,
  fix,
  stage: stage.name,
  ...defined({ code, since: stage.startedAt }),
});

const stagesIn = (request: SeenRequest, ...states: readonly string[]): SeenStage[] =>
  (request.status?.stages ?? []).filter(({ state }) => states.includes(state));

const longFor = (since: string | undefined, now: number): string => {
  const milliseconds = now - Date.parse(since ?? '');
  return Number.isNaN(milliseconds) || milliseconds < 0 ? '' : ` for ${formatSeconds(Math.round(milliseconds / 1000))}`;
};

/** A guard is not an error, but it is what someone who deletes wants to know. */
const guarded: Rule = (request) => {
  const spec = request.spec as { deleteGuard?: unknown } | undefined;
  if (request.metadata.deletionTimestamp === undefined || spec?.deleteGuard !== true) return undefined;
  return {
    code: 'DeleteGuarded',
    cause:
      'the request is being deleted and has a delete guard, so the cluster and everything in Azure stay as they are',
    fix: `to delete them too: kubectl patch clusterrequest ${request.metadata.name} -n ${request.metadata.namespace} --type merge -p '{"spec":{"deleteGuard":false}}'`,
    field: 'spec.deleteGuard',
  };
};

/** Stages tell of what was made; what the removal waits for is in its own condition. */
const deleting: Rule = (request, { now }) => {
  const { deletionTimestamp } = request.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const { reason = removing, message = '' } = findCondition(request, 'Deleting') ?? {};
  const text = message.replace(/^It w/, 'it w').replace(/\.$/, '');
  const cause = `the cluster is being deleted${longFor(deletionTimestamp, now)}${text === '' ? '' : `: ${text}`}`;
  if (reason === removing) return { well: true, cause, fix: `${none}: AKS takes 5 to 15 minutes to delete a cluster` };
  const verdict = verdictOf(request, { name: 'The deletion', state: 'Waiting', code: reason, message });
  const fix = verdict.fix ?? 'read what Azure says, and remove the cause there';
  return {
    cause: `the deletion is held up: ${text}`,
    fix,
    since: deletionTimestamp,
    ...defined({ code: verdict.code }),
  };
};

const setAside: Rule = (request) => {
  const found = asideOf(request);
  return found && { well: true, ...found };
};

const invalid: Rule = (request, { findings = [] }) => {
  const condition = failing(request, 'Validated');
  const [finding] = findings.filter(isError);
  if (finding !== undefined && (condition !== undefined || request.status?.conditions === undefined)) {
    const { code, field, cause, fix } = finding;
    return { code, field, cause: `${field}: ${cause}`, fix };
  }
  return condition && ofCondition(condition, 'change the request as the message says');
};

/** Who may request it, and whose the names are, is decided before anything is made. */
const refused: Rule = (request) => {
  for (const type of ['Allowed', 'Owned', 'Preflighted']) {
    const condition = failing(request, type);
    if (condition !== undefined) return ofCondition(condition, 'change the request as the message says');
  }
  return undefined;
};

const failedStage: Rule = (request) => {
  const [failed] = stagesIn(request, 'Failed');
  if (failed === undefined) return undefined;
  const verdict = verdictOf(request, failed);
  const fix = verdict.fix ?? 'read the message, and change the request';
  return ofStage(failed, verdict, `${failed.name} failed: ${verdict.cause}`, fix);
};

const notServed: Rule = (request, { notServed: why }) =>
  why === undefined || findCondition(request, 'Ready')?.status === 'True'
    ? undefined
    : {
        code: 'NoManagementCluster',
        cause: `nobody carries the request out: ${why}`,
        fix: fixFor('NoManagementCluster', ''),
      };

/** It waits for something that has a code: quota, rights, an owner. Azure may say so for hours without calling it an error. */
const heldUp: Rule = (request, { now }) => {
  const stage = stagesIn(request, 'Waiting', 'Running').find(({ code }) => code !== undefined);
  if (stage === undefined) return undefined;
  const verdict = verdictOf(request, stage);
  const cause = `${stage.name} has been waiting${longFor(stage.startedAt, now)}: ${verdict.cause}`;
  return ofStage(stage, verdict, cause, verdict.fix ?? `${none}: it is retried until its deadline`);
};

const ready: Rule = (request) => {
  if (findCondition(request, 'Ready')?.status !== 'True') return undefined;
  const drifted = findCondition(request, 'Drifted');
  if (drifted?.status === 'True') {
    const { message, lastTransitionTime: since } = drifted;
    return {
      cause: `the cluster is ready, but differs from the request: ${message}`,
      fix: `undo the change in Azure, or put it into the request; poolwright clusters diff ${request.metadata.name} shows each field`,
      ...defined({ since: typeof since === 'string' ? since : undefined }),
    };
  }
  const { generation } = request.metadata;
  const observed = request.status?.observedGeneration;
  if (generation !== undefined && observed !== undefined && observed < generation) {
    return { well: true, cause: 'the cluster is ready, and a change of the request is about to be applied', fix: none };
  }
  return {
    well: true,
    cause: `nothing is wrong: the cluster is ready${request.status?.cluster?.fqdn ? ` at ${request.status.cluster.fqdn}` : ''}`,
    fix: none,
  };
};

const underWay: Rule = (request, { now }) => {
  const [stage] = stagesIn(request, 'Running', 'Waiting');
  if (stage === undefined) return undefined;
  const what = stage.waitingFor ? `, waiting for ${stage.waitingFor}` : '';
  return {
    well: true,
    cause: `nothing is wrong: ${stage.name} is under way${longFor(stage.startedAt, now)}${what}`,
    fix: stage.name === 'ManagedCluster' ? `${none}: AKS takes 4 to 10 minutes to create a cluster` : none,
    stage: stage.name,
  };
};

const notBegun: Rule = ({ metadata }, { now }) => {
  const age = now - Date.parse(metadata.creationTimestamp ?? '');
  const long = age > 120_000;
  const cause = `the request has not been begun${longFor(metadata.creationTimestamp, now)}`;
  return long
    ? {
        cause,
        fix: 'check that a host runs (poolwright doctor) and that its configuration has clusterRequests for this cluster',
      }
    : { well: true, cause, fix: `${none}: a host begins it within a minute` };
};

const rules: readonly Rule[] = [
  guarded,
  deleting,
  setAside,
  invalid,
  refused,
  failedStage,
  notServed,
  heldUp,
  ready,
  underWay,
];

export function explain(request: SeenRequest, facts: ExplainFacts): ClusterDiagnosis {
  for (const rule of rules) {
    const found = rule(request, facts);
    if (found !== undefined) return found;
  }
  return notBegun(request, facts) as ClusterDiagnosis;
}

/** The first three lines of what people read. */
export function diagnosisLines(request: SeenRequest, diagnosis: ClusterDiagnosis): [string, string, string] {
  const { namespace, name } = request.metadata;
  const { aside, code, stage, well, cause, fix } = diagnosis;
  const state = aside ?? code ?? (well ? 'ok' : 'attention');
  const at = stage === undefined ? '' : ` at ${stage}`;
  return [`${namespace}/${name}  ${state}${at}`, `cause  ${cause}`, `fix    ${fix}`];
}
