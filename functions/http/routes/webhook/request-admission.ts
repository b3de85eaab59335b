/** What the webhook says about a request for a cluster: the rules, the policy and the neighbours, in the time that an API server waits. */
import { defined } from '../../../../shared/base/defined.ts';
import { asObject, type Json } from '../../../../shared/base/json.ts';
import { type Timers, within } from '../../../../shared/base/timers.ts';
import { admitRequest } from '../../../../shared/clusters/operations/admit.ts';
import { type Finding, isError } from '../../../../shared/clusters/rules/finding.ts';
import type { RequestPlace } from '../../../../shared/clusters/services.ts';
import type { FunctionServices } from '../../../declaration.ts';
import type { News } from '../../../sources/change-events.ts';
import type { AdmissionRequest, Verdict } from './admission.ts';

/** An API server waits for five seconds as we configure it; what is not known by then the workflow finds. */
const judgeWithinMs = 2500;
const shownProblems = 5;
const shownWarnings = 5;
const longestWarning = 240;

export async function judgeRequest(
  { requests }: Pick<FunctionServices, 'requests'>,
  cluster: string,
  request: AdmissionRequest,
  { signal, timers }: { signal: AbortSignal; timers: Timers },
): Promise<Verdict> {
  const { operation, object, oldObject, subResource = '' } = request;
  if (subResource !== '' || !isJudged(operation)) return { allowed: true, warnings: [] };
  const place = requests?.place(cluster);
  if (requests === undefined || place === undefined) {
    const why = 'this deployment carries out no cluster requests in this cluster: set clusterRequests for it';
    return { allowed: true, warnings: operation === 'CREATE' ? [why] : [] };
  }
  const review = { operation, object, oldObject };
  const judging = admitRequest(place, review, requests.clock.now(), signal);
  const inTime = await within(judging, judgeWithinMs, timers);
  // The rules alone need nobody's answer.
  const { allowed, findings } = inTime ?? (await admitRequest(alone(place), review, requests.clock.now()));
  const warnings = findings.filter((one) => allowed || !isError(one)).map(lineOf);
  const bounded = warnings.slice(0, shownWarnings).map((text) => text.slice(0, longestWarning));
  if (!allowed) return { allowed, message: refusal(findings.filter(isError)), warnings: bounded };
  return { allowed, warnings: bounded, ...newsOf(cluster, request) };
}

const isJudged = (operation: string): operation is 'CREATE' | 'UPDATE' | 'DELETE' =>
  operation === 'CREATE' || operation === 'UPDATE' || operation === 'DELETE';

/** Without what has to be asked for. */
const alone = ({ poolTypes }: RequestPlace) => ({
  poolTypes,
  store: { list: async () => ({ ok: true as const, value: { items: [] } }) } as unknown as RequestPlace['store'],
});

const lineOf = ({ field, cause, fix, code }: Finding): string => `${field}: ${cause}; ${fix} (${code})`;

function refusal(errors: readonly Finding[]): string {
  const more = errors.length - shownProblems;
  const text = errors.slice(0, shownProblems).map(lineOf).join('; ');
  return `${text}${more > 0 ? `; and ${more} more` : ''}`;
}

/** The same event as the bridge's. */
function newsOf(cluster: string, { operation, object, oldObject }: AdmissionRequest): { news?: News } {
  const { metadata } = asObject((operation === 'DELETE' ? oldObject : object) as Json) ?? {};
  const { name, namespace, uid, generation, deletionTimestamp } = asObject(metadata) ?? {};
  if (typeof name !== 'string' || typeof namespace !== 'string' || typeof uid !== 'string' || uid === '') return {};
  const deleting = operation === 'DELETE' || deletionTimestamp !== undefined;
  const data = { cluster, namespace, name, uid, deleting, observedBy: 'webhook' as const };
  const seen = { ...data, ...defined({ generation: typeof generation === 'number' ? generation : undefined }) };
  return { news: { type: 'dev.poolwright.cluster-request.changed.v1', data: seen } };
}
