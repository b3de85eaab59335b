/** From a request to ARM to its answer: who asks, what for, which fault strikes, and what comes of it. */

import type { Clock } from '../../shared/base/runtime.ts';
import type {
  AnswerFault,
  FaultBook,
  FaultDecision,
  Operation as FaultOperation,
  FaultSubject,
  MachineFault,
} from '../kit/faults.ts';
import type { Reply as StandInReply } from '../kit/server.ts';
import { type Answer, bare, type Problem, retryAfter, wrapped } from './answer.ts';
import type { AzureCluster } from './clusters.ts';
import { actionOf, forbidden, mayDo, unauthenticated } from './identity/permissions.ts';
import type { Tokens } from './identity/tokens.ts';
import { outOfQuota, soldOut } from './refusals.ts';
import type { CallKind, Route, Verb } from './routes.ts';
import { routeOf } from './routes.ts';
import type { AzureSettings } from './settings.ts';
import type { AzureWorld } from './world.ts';

export interface ArmRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when there was none or it was no JSON. */
  body: unknown;
}

/** What goes over the wire in the end: an answer, maybe a slow one, or a connection that stays silent or is cut. */
export type Reply = StandInReply<Answer>;

/** One call, ready to be made. */
export interface Handling {
  kind: CallKind;
  operation: FaultOperation;
  subject: FaultSubject;
  perform: (decision: FaultDecision) => Answer;
  /** Has it done later. Reads have no such thing. */
  performLate?: (faults: readonly MachineFault[], seconds: number) => void;
  cluster?: AzureCluster | undefined;
}

export interface Handlers {
  /** Undefined when the path takes no such verb. */
  handle(route: Route, verb: Verb, request: ArmRequest): Handling | undefined;
}

interface ApiParts {
  world: AzureWorld;
  handlers: Handlers;
  faults: FaultBook;
  tokens: Tokens;
  clock: Clock;
  settings: AzureSettings;
  authority: () => string;
  /** Whose tokens are good for ARM. */
  audiences: () => readonly string[];
}

const undecided: FaultDecision = { machine: [], lagSeconds: 0 };

export class ArmApi {
  readonly calls = new Map<CallKind, number>();
  readonly #parts: ApiParts;

  constructor(parts: ApiParts) {
    this.#parts = parts;
  }

  handle(request: ArmRequest): Reply {
    this.#parts.world.settle();
    const route = routeOf(request.path);
    const verb = request.method as Verb;
    const handling = route === undefined ? undefined : this.#parts.handlers.handle(route, verb, request);
    if (handling !== undefined) this.count(handling.kind);
    const refused = this.#refuse(request, route, verb, handling);
    if (refused !== undefined) return now(refused);
    return this.strike(handling as Handling);
  }

  count(kind: CallKind): void {
    this.calls.set(kind, (this.calls.get(kind) ?? 0) + 1);
  }

  /** Does it, or what a fault makes of it. */
  strike(handling: Handling): Reply {
    const { faults, clock, world, settings } = this.#parts;
    const { operation, subject, perform, performLate } = handling;
    const decision = faults.empty ? undecided : faults.decide(operation, subject, clock.now());
    const fault = decision.answer;
    if (fault === undefined || (fault.kind === 'quota' && world.living < fault.limit)) return now(perform(decision));
    if ('effect' in fault) {
      if (fault.effect === 'late') performLate?.(decision.machine, fault.lateSeconds);
      if (fault.effect === 'done') perform(decision);
    }
    if (fault.kind === 'reset') return { do: 'reset' };
    if (fault.kind === 'timeout') return { do: 'hold', holdMs: fault.holdMs };
    if (fault.kind === 'slow') return { do: 'answer', answer: perform(decision), delayMs: fault.milliseconds };
    const later =
      (fault.kind === 'sold-out' && settings.soldOutAt === 'operation') ||
      (fault.kind === 'quota' && settings.quotaAt === 'operation');
    if (later && operation === 'create') {
      const { code, message } = this.#scarcity(fault.kind, handling);
      return now(perform({ ...decision, machine: [...decision.machine, { kind: 'operation-fails', code, message }] }));
    }
    return now(this.#faultAnswer(fault, handling));
  }

  #refuse(
    request: ArmRequest,
    route: Route | undefined,
    verb: Verb,
    handling: Handling | undefined,
  ): Answer | undefined {
    const { tokens, authority, audiences } = this.#parts;
    const authorization = request.headers.authorization;
    const checked = tokens.check(typeof authorization === 'string' ? authorization : undefined);
    if (!checked.ok) return unauthenticated(checked.why, authority());
    if (!audiences().includes(checked.facts.audience)) {
      return unauthenticated('audience', authority(), checked.facts.audience);
    }
    if (route === undefined || handling === undefined) return this.#noSuchPath(request);
    const version = request.query.get('api-version') ?? '';
    if (version === '') {
      return wrapped(400, {
        code: 'MissingApiVersionParameter',
        message: 'The api-version query parameter (?api-version=) is required for all requests.',
      });
    }
    if (!/^20\d\d-\d\d-\d\d(-preview)?$/.test(version)) {
      return wrapped(400, {
        code: 'InvalidApiVersionParameter',
        message: `The api-version '${version}' is invalid.`,
      });
    }
    const action = actionOf(route, verb);
    if (action === undefined || mayDo(checked.facts.principal, action)) return undefined;
    return forbidden(checked.facts.principal, action, request.path);
  }

  #noSuchPath({ method, path }: ArmRequest): Answer {
    const message = `No HTTP resource was found that matches the request ${method} '${path}'.`;
    return wrapped(404, { code: 'InvalidResourceType', message });
  }

  /** What a fault that says so makes the cloud run out of. */
  #scarcity(kind: 'sold-out' | 'quota', { subject }: Handling): Problem {
    const { offering } = subject;
    return kind === 'quota' ? outOfQuota(offering?.capacityType === 'spot') : soldOut(offering?.zone ?? '');
  }

  #faultAnswer(fault: Exclude<AnswerFault, { kind: 'reset' | 'timeout' | 'slow' }>, handling: Handling): Answer {
    const { settings, authority } = this.#parts;
    const own = handling.cluster?.kind === 'aks' && settings.aksErrors === 'bare' ? bare : wrapped;
    switch (fault.kind) {
      case 'throttle':
        return wrapped(
          429,
          { code: 'TooManyRequests', message: 'The request is being throttled.' },
          retryAfter(fault.retryAfterSeconds),
        );
      case 'conflict':
        return own(
          409,
          {
            code: 'OperationNotAllowed',
            message: "Operation is not allowed because there's an in progress create node pool operation.",
          },
          retryAfter(fault.retryAfterSeconds),
        );
      case 'error': {
        const code = { 500: 'InternalServerError', 502: 'BadGateway', 503: 'ServiceUnavailable' } as const;
        return wrapped(fault.status, { code: code[fault.status], message: 'The server could not serve the request.' });
      }
      case 'sold-out':
      case 'quota':
        return own(409, this.#scarcity(fault.kind, handling));
      case 'unauthorised':
        if (fault.status === 401) return unauthenticated('invalid', authority());
        return wrapped(403, {
          code: 'AuthorizationFailed',
          message: 'The client does not have authorization to perform this action.',
        });
      case 'refused':
        return own(fault.status, { code: fault.code, message: fault.message });
      case 'garbled':
        return {
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: '<html>this page intentionally left blank</html>',
        };
    }
  }
}

export const now = (answer: Answer): Reply => ({ do: 'answer', answer, delayMs: 0 });
