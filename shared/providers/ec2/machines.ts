/** Looking at machines and ending them. What many claims ask at about the same time is one call. */

import type { Filter } from '@aws-sdk/client-ec2';
import { defined } from '../../base/defined.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { Timers } from '../../base/timers.ts';
import { tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import { Merged } from '../calls/merged-asks.ts';
import type { ClaimKey, InstanceTags } from '../contract.ts';
import type { Ec2Calls } from './calls/calls.ts';
import { codeIn } from './calls/errors.ts';
import { allPages } from './calls/pages.ts';
import { livingStates, type Machine, readMachine } from './instance.ts';
import { ec2Tags, tagFilter } from './tags.ts';

export interface MachinesOptions {
  calls: Pick<Ec2Calls, 'ec2'>;
  clock: Clock;
  timers?: Timers;
  windowMs?: number;
  pageSize?: number;
}

const usualWindowMs = 100;
const mostIds = 200;
/** EC2 gives at most a thousand at once. */
const usualPageSize = 500;

export class Machines {
  readonly #calls: Pick<Ec2Calls, 'ec2'>;
  readonly #pageSize: number;
  readonly #looks: Merged<Machine | undefined>;
  readonly #ends: Merged<'ending' | 'gone'>;

  constructor({ calls, clock, timers, windowMs = usualWindowMs, pageSize = usualPageSize }: MachinesOptions) {
    this.#calls = calls;
    this.#pageSize = pageSize;
    const shared = { most: mostIds, windowMs, clock, ...defined({ timers }) };
    this.#looks = new Merged({
      ...shared,
      stoppedAs: 'unavailable',
      ask: (ids, signal) => this.#describe(ids, signal),
    });
    this.#ends = new Merged({
      ...shared,
      stoppedAs: 'outcome-unknown',
      ask: (ids, signal) => this.#terminate(ids, signal),
    });
  }

  /** By its id, which is the surest way to see it. Undefined: EC2 does not know it, or not yet. */
  get(id: string, signal: AbortSignal): Promise<Result<Machine | undefined>> {
    return this.#looks.ask(id, signal);
  }

  /** Ends it: `gone` when there was nothing to end. Whoever asks has looked at whose it is. */
  end(id: string, signal: AbortSignal): Promise<Result<'ending' | 'gone'>> {
    return this.#ends.ask(id, signal);
  }

  ofClaim({ deployment, cluster, claimUid }: Omit<ClaimKey, 'claimName'>, signal: AbortSignal) {
    return this.#all(
      [
        tagFilter(tagKeys.claimUid, claimUid),
        tagFilter(tagKeys.deployment, deployment),
        tagFilter(tagKeys.cluster, cluster),
        { Name: 'instance-state-name', Values: [...livingStates] },
      ],
      signal,
    );
  }

  /** Whoever's they are, and also what has ended: EC2 shows that for about an hour. */
  ofToken(token: string, signal: AbortSignal): Promise<Result<Machine[]>> {
    return this.#all([tagFilter(ec2Tags.token, token)], signal);
  }

  async page(
    { deployment, cluster }: Pick<InstanceTags, 'deployment' | 'cluster'>,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Machine[]; next: string | undefined }>> {
    return this.#page(
      [
        tagFilter(tagKeys.deployment, deployment),
        tagFilter(tagKeys.cluster, cluster),
        { Name: 'instance-state-name', Values: [...livingStates] },
      ],
      page,
      signal,
    );
  }

  #all(filters: Filter[], signal: AbortSignal): Promise<Result<Machine[]>> {
    return allPages((token) => this.#page(filters, token, signal));
  }

  async #page(
    Filters: Filter[],
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Machine[]; next: string | undefined }>> {
    const page = { Filters, MaxResults: this.#pageSize, ...defined({ NextToken: token }) };
    const listed = await this.#calls.ec2('DescribeInstances', page, signal);
    if (!listed.ok) return listed;
    // An empty list is there and empty; an answer without any list is none.
    if (listed.value.Reservations === undefined) return notUnderstood('the instances of these tags');
    return ok({ items: machinesIn(listed.value), next: listed.value.NextToken || undefined });
  }

  async #describe(
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Result<Machine | undefined>>> {
    let asked = [...ids];
    const answers = new Map<string, Result<Machine | undefined>>();
    while (asked.length > 0) {
      const seen = await this.#calls.ec2('DescribeInstances', { InstanceIds: asked }, signal);
      if (seen.ok) {
        const machines = new Map(machinesIn(seen.value).map((machine) => [machine.id, machine]));
        // An answer without what was asked for is none: EC2 says so when it does not know an id.
        for (const id of asked) answers.set(id, machines.has(id) ? ok(machines.get(id)) : notUnderstood(id));
        break;
      }
      const unknown = seen.error.kind === 'not-found' ? asked.filter((id) => seen.error.absent?.includes(id)) : [];
      if (unknown.length === 0) {
        // One id that EC2 can't even read spoils the call for all others.
        if (seen.error.kind === 'not-found' && asked.length > 1) return this.#oneByOne(asked, answers, signal);
        const answer = seen.error.kind === 'not-found' ? ok(undefined) : seen;
        for (const id of asked) answers.set(id, answer);
        break;
      }
      for (const id of unknown) answers.set(id, ok(undefined));
      asked = asked.filter((id) => !unknown.includes(id));
    }
    return answers;
  }

  async #oneByOne(
    ids: readonly string[],
    answers: Map<string, Result<Machine | undefined>>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Result<Machine | undefined>>> {
    for (const id of ids) {
      const one = await this.#describe([id], signal);
      answers.set(id, one.get(id) ?? notUnderstood(id));
    }
    return answers;
  }

  async #terminate(
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Result<'ending' | 'gone'>>> {
    const answers = new Map<string, Result<'ending' | 'gone'>>();
    const ended = await this.#calls.ec2('TerminateInstances', { InstanceIds: [...ids] }, signal);
    if (ended.ok) {
      const states = new Map(
        (ended.value.TerminatingInstances ?? []).map(({ InstanceId, CurrentState }) => [
          InstanceId,
          CurrentState?.Name,
        ]),
      );
      for (const id of ids) {
        const gone = states.get(id) === 'terminated';
        answers.set(id, states.has(id) ? ok(gone ? 'gone' : 'ending') : lost(id));
      }
      return answers;
    }
    if (ids.length === 1 || !isAboutOne(codeIn(ended.error))) {
      const answer = ended.error.kind === 'not-found' ? ok('gone' as const) : ended;
      for (const id of ids) answers.set(id, answer);
      return answers;
    }
    // One of them spoils it for all, and nothing was done: each for itself.
    for (const id of ids) {
      const one = await this.#terminate([id], signal);
      answers.set(id, one.get(id) ?? lost(id));
    }
    return answers;
  }
}

/** Codes that speak of one instance in the call, not of the call. */
const isAboutOne = (code: string): boolean =>
  /^(InvalidInstanceID|OperationNotPermitted|UnauthorizedOperation|IncorrectInstanceState|UnsupportedOperation|InvalidParameter)/.test(
    code,
  );

const machinesIn = (answer: {
  Reservations?: { Instances?: Parameters<typeof readMachine>[0][] | undefined }[] | undefined;
}): Machine[] =>
  (answer.Reservations ?? []).flatMap(({ Instances = [] }) => Instances.flatMap((one) => readMachine(one) ?? []));

const notUnderstood = (id: string): Result<never> =>
  failed('unavailable', `EC2 returned a response about something other than ${id}`);

const lost = (id: string): Result<never> =>
  failed('outcome-unknown', `EC2 did not report whether ${id} is being terminated`);
