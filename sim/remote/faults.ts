/** Faults of the served mock: what strikes a call, and what the server then answers. */
import { isObject } from '../../shared/base/json.ts';
import { failed, type Result } from '../../shared/base/result.ts';
import type { CallName } from '../../shared/drivers/protocol/service.ts';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { AnswerFault, FaultBook, FaultSubject } from '../kit/faults.ts';

const operations = { Create: 'create', Delete: 'delete', Describe: 'get', ListVMs: 'list' } as const;

/** `done`: the call is made all the same. Without an answer nothing is ever said. */
export interface Strike {
  done: boolean;
  answer: Result<never> | undefined;
}

export function strikeOn(faults: FaultBook, call: CallName, request: object, now: number): Strike | undefined {
  if (!(call in operations)) return undefined;
  const operation = operations[call as keyof typeof operations];
  const { answer } = faults.decide(operation, subjectOf(request), now);
  return answer === undefined ? undefined : strike(answer);
}

function strike(fault: AnswerFault): Strike {
  const says = (...told: Parameters<typeof failed>): Strike => ({ done: false, answer: failed(...told) });
  const isDone = 'effect' in fault && fault.effect === 'done';
  switch (fault.kind) {
    case 'sold-out':
      return says('insufficient-capacity', 'insufficient resources for a machine of this size');
    case 'quota':
      return says('quota-exceeded', 'the quota of machines is used up');
    case 'throttle':
      return says('throttled', 'more calls per second than the provider takes', {
        ...(fault.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: fault.retryAfterSeconds }),
      });
    case 'conflict':
      return says('conflict', 'another task is already in progress');
    case 'unauthorised':
      return says('unauthorised', 'the credentials of the hypervisor are not valid');
    case 'timeout':
      return { done: isDone, answer: undefined };
    default:
      return { done: isDone, answer: failed('outcome-unknown', 'the connection to the hypervisor was lost') };
  }
}

/** Who a create is for, as its tags say. */
function subjectOf(request: object): FaultSubject {
  const tags = 'tags' in request && Array.isArray(request.tags) ? (request.tags as string[]) : [];
  const said = new Map(tags.map((tag) => tag.split(/=(.*)/s) as [string, string]));
  const made: unknown = JSON.parse(said.get('poolwright.dev/made-as') ?? 'null');
  const offering = isObject(made) ? (made as unknown as NonNullable<FaultSubject['offering']>) : undefined;
  return { offering, claimUid: said.get(tagKeys.claimUid), claimName: said.get(tagKeys.claim) };
}
