/** The operations of the simulated cloud as its HTTP API offers them: from a request to an answer, faults included. */

import type { Json } from '../../shared/base/json.ts';
import type { Clock } from '../../shared/base/runtime.ts';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import {
  type AnswerFault,
  type FaultBook,
  type FaultDecision,
  type FaultSubject,
  type Operation,
  operations,
} from '../kit/faults.ts';
import type { Reply as StandInReply } from '../kit/server.ts';
import { allocatableOf, type Catalog, capacityOf, offeringsOf, region } from './catalog.ts';
import type { Cloud } from './cloud.ts';
import { type CreateInstance, type InstanceRecord, toWire } from './instance.ts';
import type { CloudStore } from './store.ts';
import { type Answer, json, problem } from './wire.ts';

/** What goes over the wire in the end: an answer, maybe a slow one, or a connection that stays silent or is cut. */
export type Reply = StandInReply<Answer>;

interface Handling {
  operation: Operation;
  subject: FaultSubject;
  /** Does it and answers when it is durable. */
  perform: (decision: FaultDecision) => Promise<Answer> | Answer;
  /** Has it done later. Reads have no such thing. */
  performLate?: (decision: FaultDecision, seconds: number) => Promise<void>;
}

const largestPage = 500;

export class CloudApi {
  readonly calls: Record<Operation, number>;
  readonly #cloud: Cloud;
  readonly #store: CloudStore;
  readonly #faults: FaultBook;
  readonly #clock: Clock;
  readonly #catalog: Catalog;

  constructor(parts: { cloud: Cloud; store: CloudStore; faults: FaultBook; clock: Clock; catalog: Catalog }) {
    this.#cloud = parts.cloud;
    this.#store = parts.store;
    this.#faults = parts.faults;
    this.#clock = parts.clock;
    this.#catalog = parts.catalog;
    this.calls = Object.fromEntries(operations.map((name) => [name, 0])) as Record<Operation, number>;
  }

  create(request: CreateInstance): Promise<Reply> {
    const { instanceType, zone, capacityType } = request;
    return this.#handle({
      operation: 'create',
      subject: { offering: { instanceType, zone, capacityType }, ...claimOf(request.tags) },
      perform: (decision) => this.#create(request, decision),
      performLate: (decision, seconds) => this.#cloud.createLater(request, decision.machine, seconds),
    });
  }

  get(id: string): Promise<Reply> {
    return this.#handle({
      operation: 'get',
      subject: this.#subjectOf(id),
      perform: () => {
        const record = this.#cloud.get(id);
        return record === undefined ? noSuchInstance(id) : json(200, this.#wire(record));
      },
    });
  }

  delete(id: string, ifTags: Record<string, string>): Promise<Reply> {
    return this.#handle({
      operation: 'delete',
      subject: this.#subjectOf(id),
      perform: () => this.#delete(id, ifTags),
      performLate: (_, seconds) => this.#cloud.deleteLater(id, ifTags, seconds),
    });
  }

  /** It is a `get` to whoever makes faults: tags are no machine. */
  tag(id: string, tags: Record<string, string>): Promise<Reply> {
    return this.#handle({ operation: 'get', subject: this.#subjectOf(id), perform: () => this.#tag(id, tags) });
  }

  list(tags: Record<string, string>, after: number, limit: number): Promise<Reply> {
    return this.#handle({
      operation: 'list',
      subject: claimOf(tags),
      perform: (decision) => {
        const lag = Math.max(decision.lagSeconds, this.#cloud.settings.listLagSeconds);
        const page = this.#cloud.list(tags, lag, after, Math.min(Math.max(1, limit), largestPage));
        const items = page.items.map((record) => this.#wire(record, page.at));
        return json(200, { items, ...(page.next === undefined ? {} : { next: String(page.next) }) });
      },
    });
  }

  types(): Promise<Reply> {
    return this.#handle({ operation: 'types', subject: {}, perform: () => json(200, { items: this.#typeList() }) });
  }

  quota(): Promise<Reply> {
    const { settings, living } = this.#cloud;
    return this.#handle({
      operation: 'types',
      subject: {},
      perform: () => json(200, { used: living, limit: settings.quota }),
    });
  }

  async #handle({ operation, subject, perform, performLate }: Handling): Promise<Reply> {
    this.calls[operation]++;
    this.#cloud.settle();
    if (this.#faults.empty) {
      return { do: 'answer', answer: await perform({ machine: [], lagSeconds: 0 }), delayMs: 0 };
    }
    const decision = this.#faults.decide(operation, subject, this.#clock.now());
    if (this.#faults.counts) await this.#store.setFact('faults', this.#faults.toStored());
    const fault = decision.answer;
    if (fault === undefined || (fault.kind === 'quota' && this.#cloud.living < fault.limit)) {
      return { do: 'answer', answer: await perform(decision), delayMs: 0 };
    }
    if ('effect' in fault) {
      if (fault.effect === 'late') await performLate?.(decision, fault.lateSeconds);
      if (fault.effect === 'done') await perform(decision);
    }
    if (fault.kind === 'reset') return { do: 'reset' };
    if (fault.kind === 'timeout') return { do: 'hold', holdMs: fault.holdMs };
    if (fault.kind === 'slow') return { do: 'answer', answer: await perform(decision), delayMs: fault.milliseconds };
    return { do: 'answer', answer: faultAnswer(fault, subject), delayMs: 0 };
  }

  async #create(request: CreateInstance, decision: FaultDecision): Promise<Answer> {
    if (!this.#cloud.sells(request)) {
      const { instanceType, zone, capacityType } = request;
      return problem(400, 'InvalidRequest', `there is no offering ${instanceType} in ${zone}, ${capacityType}`);
    }
    const outcome = this.#cloud.create(request, decision.machine);
    switch (outcome.result) {
      case 'quota':
        return problem(403, 'QuotaExceeded', `the quota of ${this.#cloud.settings.quota} instances is used up`);
      case 'token-mismatch':
        return problem(400, 'TokenMismatch', 'the token was already used with another offering');
      case 'name-in-use':
        return problem(409, 'NameInUse', `the name ${request.name} is in use`, { instance: outcome.record.id });
      case 'found':
      case 'created':
        await outcome.durable;
        return json(outcome.result === 'created' ? 201 : 200, this.#wire(outcome.record));
    }
  }

  async #delete(id: string, ifTags: Record<string, string>): Promise<Answer> {
    const outcome = this.#cloud.delete(id, ifTags);
    if (outcome.result === 'missing') return noSuchInstance(id);
    if (outcome.result === 'tag-mismatch') return problem(412, 'TagMismatch', `instance ${id} has other tags`);
    await outcome.durable;
    return json(outcome.result === 'gone' ? 200 : 202, this.#wire(outcome.record));
  }

  async #tag(id: string, tags: Record<string, string>): Promise<Answer> {
    const outcome = this.#cloud.tag(id, tags);
    if (outcome.result === 'missing') return noSuchInstance(id);
    if (outcome.result === 'tag-mismatch') return problem(412, 'TagMismatch', `instance ${id} has other tags`);
    await outcome.durable;
    return json(200, this.#wire(outcome.record));
  }

  #wire(record: InstanceRecord, at?: number): Json {
    const now = this.#clock.now();
    const type = this.#cloud.types.get(record.request.instanceType);
    // The catalog can change between two starts; an instance of a type that is no longer sold is still there.
    return toWire(record, type ?? { ...unknownType, name: record.request.instanceType }, at ?? now, now);
  }

  #subjectOf(id: string): FaultSubject {
    const request = this.#cloud.get(id)?.request;
    if (request === undefined) return {};
    const { instanceType, zone, capacityType } = request;
    return { offering: { instanceType, zone, capacityType }, ...claimOf(request.tags) };
  }

  #typeList(): Json[] {
    const now = this.#clock.now();
    return this.#catalog.map((type) => ({
      name: type.name,
      arch: type.arch,
      os: 'linux',
      region,
      capacity: capacityOf(type),
      allocatable: allocatableOf(type),
      offerings: offeringsOf(type).map(({ zone, capacityType, price }) => {
        const soldOut = this.#faults.listedSoldOut({ instanceType: type.name, zone, capacityType }, now);
        const offering = { zone, capacityType, price, available: soldOut === undefined };
        return soldOut?.until === undefined ? offering : { ...offering, availableAt: soldOut.until };
      }),
    }));
  }
}

const unknownType = { arch: 'amd64', cpu: 0, memoryGi: 0, gpus: 0, price: null, spot: false, zones: [] } as const;

const noSuchInstance = (id: string): Answer => problem(404, 'InstanceNotFound', `there is no instance ${id}`);

const claimOf = (tags: Record<string, string>): FaultSubject => ({
  claimUid: tags[tagKeys.claimUid],
  claimName: tags[tagKeys.claim],
});

function faultAnswer(
  fault: Exclude<AnswerFault, { kind: 'reset' | 'timeout' | 'slow' }>,
  { offering }: FaultSubject,
): Answer {
  switch (fault.kind) {
    case 'throttle':
      return problem(429, 'Throttled', 'too many requests', {}, fault.retryAfterSeconds);
    case 'conflict':
      return problem(409, 'OperationInProgress', 'another operation is in progress', {}, fault.retryAfterSeconds);
    case 'error': {
      const code = { 500: 'InternalError', 502: 'BadGateway', 503: 'ServiceUnavailable' } as const;
      const nothingDone = fault.saysNothingDone && fault.effect === 'none';
      return problem(fault.status, code[fault.status], 'something broke', nothingDone ? { nothingDone } : {});
    }
    case 'sold-out':
      return problem(
        422,
        'InsufficientCapacity',
        `out of capacity for ${offering?.instanceType ?? 'this instance type'} in ${offering?.zone ?? 'this zone'}, ${offering?.capacityType ?? 'any capacity type'}`,
      );
    case 'quota':
      return problem(403, 'QuotaExceeded', `the quota of ${fault.limit} instances is used up`);
    case 'unauthorised':
      return fault.status === 401
        ? problem(401, 'Unauthenticated', 'the request is not authenticated')
        : problem(403, 'Forbidden', 'the request is not authorized');
    case 'refused':
      return {
        status: fault.status,
        body: JSON.stringify({ error: { code: fault.code, message: fault.message } }),
      };
    case 'garbled':
      return { status: 200, body: '<html>this page intentionally left blank</html>' };
  }
}
