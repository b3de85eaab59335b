/** From a request to its answer: who asks, what for, which fault strikes, and what comes of it. */

import type { Clock, Ids } from '../../shared/base/runtime.ts';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { AnswerFault, FaultBook, FaultDecision, FaultSubject, Operation } from '../kit/faults.ts';
import type { Reply as StandInReply } from '../kit/server.ts';
import { parseJson } from '../kit/server.ts';
import { type Account, regions } from './account.ts';
import type { Buckets } from './buckets.ts';
import type { CatalogCalls } from './catalog-calls.ts';
import type { Fleets } from './fleets.ts';
import { type Caller, type Identities, mayDo, unauthorised } from './identities.ts';
import type { InstanceCalls } from './instance-calls.ts';
import type { LaunchTemplates } from './launch-templates.ts';
import {
  describeCluster,
  type ParameterCalls,
  type ProfileCalls,
  parameterActions,
  products,
  profileActions,
} from './services.ts';
import type { AwsSettings } from './settings.ts';
import { type Answer, answerOf, type Outcome, type Problem, type Protocol, problemAnswer } from './wire/answer.ts';
import { type Form, parseForm, tagsFor, textAt, textsAt } from './wire/form.ts';
import type { AwsWorld } from './world.ts';

export interface AwsRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** What goes over the wire in the end: an answer, maybe a slow one, or a connection that stays silent or is cut. */
export type Reply = StandInReply<Answer>;

/** A fault of one action by its name, for what no rule of the simulated cloud can say. */
export interface ActionFault {
  /** Like `DescribeSubnets`. */
  action: string;
  code: string;
  message?: string;
  status?: number;
  /** How often; once when not given. */
  count?: number;
  /** `done`: it is done, and the answer is this all the same. */
  effect?: 'none' | 'done';
}

/** One call, ready to be made. */
interface Handling {
  operation: Operation;
  subject: FaultSubject;
  perform: (decision: FaultDecision) => Outcome;
}

interface ApiParts {
  account: Account;
  world: AwsWorld;
  settings: AwsSettings;
  faults: FaultBook;
  identities: Identities;
  buckets: Buckets;
  fleets: Fleets;
  templates: LaunchTemplates;
  instances: InstanceCalls;
  catalog: CatalogCalls;
  parameters: ParameterCalls;
  profiles: ProfileCalls;
  clock: Clock;
  ids: Ids;
}

const undecided: FaultDecision = { machine: [], lagSeconds: 0 };

export class AwsApi {
  /** By `service:Action`, failures included. */
  readonly calls = new Map<string, number>();
  readonly actionFaults: (ActionFault & { left: number })[] = [];
  readonly #parts: ApiParts;
  #throttled = 0;
  /** Whose request is being answered. */
  caller: Caller | undefined;

  constructor(parts: ApiParts) {
    this.#parts = parts;
  }

  /** How often somebody was turned away because a bucket was empty. */
  get throttled(): number {
    return this.#throttled;
  }

  handle(request: AwsRequest): Reply {
    const { world, identities, ids } = this.#parts;
    world.timeline.settle();
    const requestId = ids.next();
    const checked = identities.check(request.headers);
    const service = checked.scope?.service ?? 'ec2';
    const protocol = protocolOf(service);
    const { action, form, body } = this.#read(request, service);
    this.#count(service, action);
    if ('problem' in checked) return now(problemAnswer(protocol, checked.problem, requestId));
    const { caller, scope } = checked;
    const say = (outcome: Outcome): Answer => answerOf(protocol, action, outcome, requestId);
    const refused = this.#refuse(service, scope.region, action, caller);
    if (refused !== undefined) return now(say({ problem: refused }));
    this.caller = caller;
    const handling = this.#handling(service, action, form, body, caller, scope.region, request.path);
    if (handling === undefined) return now(say({ problem: unknownAction(service, action) }));
    if (textAt(form, 'DryRun') === 'true') return now(say({ problem: dryRun }));
    return this.#strike(action, handling, protocol, say, requestId);
  }

  #read(request: AwsRequest, service: string): { action: string; form: Form; body: unknown } {
    if (protocolOf(service) !== 'json') {
      const form = parseForm(request.body);
      return { action: textAt(form, 'Action') ?? '', form, body: undefined };
    }
    if (service === 'eks') {
      const one = request.method === 'GET' && /^\/clusters\/[^/]+$/.test(request.path);
      return { action: one ? 'DescribeCluster' : `${request.method} ${request.path}`, form: {}, body: undefined };
    }
    const target = request.headers['x-amz-target'];
    const action = (typeof target === 'string' ? target : '').split('.').at(-1) ?? '';
    return { action, form: {}, body: parseJson(request.body) };
  }

  #count(service: string, action: string): void {
    const name = `${service}:${action}`;
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
  }

  #refuse(service: string, region: string, action: string, caller: Caller): Problem | undefined {
    const { buckets, clock, account } = this.#parts;
    if (region !== account.region && !regions.some((one) => one === region)) return unknownRegion(service, region);
    if (service === 'ec2' && !buckets.take(action, clock.now())) {
      this.#throttled++;
      return throttled('ec2');
    }
    if (mayDo(caller, service, action) || action === 'GetCallerIdentity') return undefined;
    const resource = service === 'ec2' ? `arn:aws:ec2:${region}:${account.id}:*` : '*';
    return unauthorised(caller, service, action, resource);
  }

  /** Does it, or what a fault makes of it. */
  #strike(
    action: string,
    { operation, subject, perform }: Handling,
    protocol: Protocol,
    say: (outcome: Outcome) => Answer,
    requestId: string,
  ): Reply {
    const { faults, clock, world } = this.#parts;
    const named = this.actionFaults.find((one) => one.action === action && one.left > 0);
    if (named !== undefined) {
      named.left--;
      if (named.effect === 'done') perform(undecided);
      const { code, message = `Injected fault ${code}.`, status = 400 } = named;
      return now(say({ problem: { code, message, status } }));
    }
    const decision = faults.empty ? undecided : faults.decide(operation, subject, clock.now());
    const fault = decision.answer;
    const ofFleet = fault?.kind === 'sold-out' || fault?.kind === 'quota';
    if (fault === undefined || (ofFleet && action === 'CreateFleet')) return now(say(perform(decision)));
    const plain: FaultDecision = { machine: decision.machine, lagSeconds: decision.lagSeconds };
    if ('effect' in fault) {
      if (fault.effect === 'late') {
        const caller = this.caller;
        world.timeline.plan(world.now + Math.round(fault.lateSeconds * 1000), () => {
          this.caller = caller;
          perform(plain);
        });
      }
      if (fault.effect === 'done') perform(plain);
    }
    if (fault.kind === 'reset') return { do: 'reset' };
    if (fault.kind === 'timeout') return { do: 'hold', holdMs: fault.holdMs };
    if (fault.kind === 'slow') return { do: 'answer', answer: say(perform(plain)), delayMs: fault.milliseconds };
    return now(this.#faultAnswer(fault, protocol, action, requestId));
  }

  #faultAnswer(
    fault: Exclude<AnswerFault, { kind: 'reset' | 'timeout' | 'slow' }>,
    protocol: Protocol,
    action: string,
    requestId: string,
  ): Answer {
    const no = (code: string, message: string, status: number) =>
      problemAnswer(protocol, { code, message, status }, requestId);
    switch (fault.kind) {
      case 'throttle':
        return problemAnswer(protocol, throttled(protocol === 'ec2' ? 'ec2' : 'other'), requestId);
      case 'conflict':
        return no('IncorrectState', 'The resource is in an incorrect state for the request.', 400);
      case 'error': {
        const code = { 500: 'InternalError', 502: 'BadGateway', 503: 'Unavailable' } as const;
        return no(code[fault.status], 'The server could not serve the request.', fault.status);
      }
      case 'unauthorised': {
        if (fault.status === 401) {
          return no('AuthFailure', 'AWS was not able to validate the provided access credentials', 401);
        }
        const caller = this.caller ?? { arn: 'arn:aws:iam::123456789012:user/somebody', denied: [] };
        const { account } = this.#parts;
        const resource = `arn:aws:ec2:${account.region}:${account.id}:*`;
        return problemAnswer(protocol, unauthorised(caller, 'ec2', action, resource), requestId);
      }
      case 'sold-out':
      case 'quota':
        return no('InsufficientCapacity', 'There is not enough capacity.', 400);
      case 'refused':
        return no(fault.code, fault.message, fault.status);
      case 'garbled':
        return { status: 200, contentType: 'text/html', body: '<html>this page intentionally left blank</html>' };
    }
  }

  #handling(
    service: string,
    action: string,
    form: Form,
    body: unknown,
    caller: Caller,
    region: string,
    path: string,
  ): Handling | undefined {
    const { account, parameters, profiles, identities } = this.#parts;
    const here = region === account.region;
    switch (service) {
      case 'ec2':
        return this.#ec2(action, form, here);
      case 'sts': {
        if (action === 'AssumeRole') return look(() => identities.assumeRole(form, caller));
        return action === 'GetCallerIdentity' ? look(() => identities.callerIdentity(caller)) : undefined;
      }
      case 'iam':
        return profileActions.has(action) ? look(() => profiles.handle(action, form)) : undefined;
      case 'ssm':
        return parameterActions.has(action) ? look(() => parameters.handle(action, here ? body : {})) : undefined;
      case 'pricing':
        return action === 'GetProducts' ? look(() => products(account, body)) : undefined;
      case 'eks': {
        const name = decodeURIComponent(path.split('/')[2] ?? '');
        return action === 'DescribeCluster' ? look(() => describeCluster(account, here ? name : '')) : undefined;
      }
      default:
        return undefined;
    }
  }

  #ec2(action: string, form: Form, here: boolean): Handling | undefined {
    const { fleets, instances, templates, catalog, world, settings } = this.#parts;
    const ids = textsAt(form, 'InstanceId');
    const lag = (decision: FaultDecision) => Math.max(settings.listLagSeconds, decision.lagSeconds);
    // Another region has the same types, and nothing of what is here.
    const found = here ? form : { ...form, Filter: { 1: { Name: 'tag:nothing', Value: { 1: 'is here' } } } };
    switch (action) {
      case 'CreateFleet': {
        const tags = tagsFor(form, 'instance');
        const subject = { claimUid: tags[tagKeys.claimUid], claimName: tags[tagKeys.claim] };
        return { operation: 'create', subject, perform: (decision) => fleets.create(form, decision) };
      }
      case 'DescribeInstances':
      case 'DescribeInstanceStatus': {
        const describe = action === 'DescribeInstances' ? instances.describe : instances.describeStatus;
        return {
          operation: ids.length > 0 ? 'get' : 'list',
          subject: { claimUid: world.claimOf(ids) ?? claimAskedFor(form) },
          perform: (decision) => describe.call(instances, found, lag(decision)),
        };
      }
      case 'TerminateInstances':
        return {
          operation: 'delete',
          subject: { claimUid: world.claimOf(ids) },
          perform: () => instances.terminate(form),
        };
      case 'CreateTags':
        return look(() => instances.tag(form));
      case 'CreateLaunchTemplate':
        return look(() => templates.create(form));
      case 'DescribeLaunchTemplates':
        return look(() => templates.describe(found));
      case 'DescribeLaunchTemplateVersions':
        return look(() => templates.describeVersions(form));
      case 'DeleteLaunchTemplate':
        return look(() => templates.delete(form));
      case 'DescribeImages':
        return look(() => catalog.images(found));
      case 'DescribeSubnets':
        return look(() => catalog.subnets(found));
      case 'DescribeSecurityGroups':
        return look(() => catalog.securityGroups(found));
      case 'DescribeInstanceTypes':
        return look(() => catalog.instanceTypes(form));
      case 'DescribeInstanceTypeOfferings':
        return look(() => catalog.typeOfferings(form));
      case 'DescribeAvailabilityZones':
        return look(() => catalog.zones(form));
      case 'DescribeSpotPriceHistory':
        return look(() => catalog.spotPrices(form));
      case 'DescribeCapacityReservations':
        return look(() => catalog.reservations(found));
      case 'DescribePlacementGroups':
        return look(() => ({ xml: { placementGroupSet: [] } }));
      default:
        return undefined;
    }
  }
}

/** A list of one claim's instances says whose it is. */
function claimAskedFor(form: Form): string | undefined {
  const filters = form.Filter;
  if (typeof filters !== 'object') return undefined;
  for (const one of Object.values(filters)) {
    if (typeof one === 'object' && one.Name === `tag:${tagKeys.claimUid}`) return textsAt(one, 'Value')[0];
  }
  return undefined;
}

const look = (perform: () => Outcome): Handling => ({ operation: 'types', subject: {}, perform });

const now = (answer: Answer): Reply => ({ do: 'answer', answer, delayMs: 0 });

function protocolOf(service: string): Protocol {
  if (service === 'ec2') return 'ec2';
  return service === 'sts' || service === 'iam' ? 'query' : 'json';
}

const dryRun: Problem = {
  code: 'DryRunOperation',
  message: 'Request would have succeeded, but DryRun flag is set.',
  status: 412,
};

function throttled(service: 'ec2' | 'other'): Problem {
  if (service === 'ec2') return { code: 'RequestLimitExceeded', message: 'Request limit exceeded.', status: 503 };
  return { code: 'ThrottlingException', message: 'Rate exceeded', status: 400 };
}

function unknownAction(service: string, action: string): Problem {
  const json = protocolOf(service) === 'json';
  return {
    code: json ? 'UnknownOperationException' : 'InvalidAction',
    message: `The action ${action} is not valid for this web service.`,
    status: json ? 404 : 400,
  };
}

const unknownRegion = (service: string, region: string): Problem =>
  service === 'ec2'
    ? { code: 'AuthFailure', message: 'AWS was not able to validate the provided access credentials', status: 401 }
    : {
        code: 'SignatureDoesNotMatch',
        message: `Credential should be scoped to a valid region, not '${region}'.`,
        status: 403,
      };
