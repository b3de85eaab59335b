/** The queues of this deployment: the sources send events to one, and the triggers of the watchers read both. */

import { maxEventBytes } from '../../../events/envelope.ts';
import type { Environment } from '../../../shared/base/environment.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { Queue } from '../../../shared/queue/contract.ts';
import { openSqsQueue } from '../../../shared/queue/sqs/queue.ts';
import { cached } from '../common/cached.ts';
import { type ResourceName, resourcesFrom } from './function-resources.ts';

export type QueueName = 'events' | 'interruptions';

export interface Queues {
  /** A function has only the queues that it needs; its variables name them. */
  of(name: QueueName): Result<Queue>;
}

type QueueConfig = Pick<Config['queue'], 'visibilitySeconds' | 'maxReceives'>;

/** While there is no usable configuration. */
const defaults: QueueConfig = { visibilitySeconds: 60, maxReceives: 10 };
/**
 * A machine has two minutes from its notice on. With the pauses of `longestPauseSeconds` this many tries outlast them, and the last comes
 * before the queue drops the notice. The queue's own redrive policy must allow more: what SQS moves by itself has no reason.
 */
export const noticeReceives = 12;

/** Between two tries of a message. */
export const longestPauseSeconds: Readonly<Record<QueueName, number>> = { events: 300, interruptions: 20 };
/** The intake asks before every event that it takes, and SQS's own numbers are older than this. */
const statsMs = 5000;

const variables: Readonly<Record<QueueName, readonly [queue: ResourceName, dead: ResourceName]>> = {
  events: ['eventsQueue', 'eventsDeadLetters'],
  interruptions: ['interruptionsQueue', 'interruptionsDeadLetters'],
};

export function openQueues(env: Environment, config: QueueConfig = defaults): Queues {
  const opened = new Map<QueueName, Queue>();
  return {
    of: (name) => {
      const known = opened.get(name);
      if (known) return ok(known);
      const made = open(env, name, config);
      if (made.ok) opened.set(name, made.value);
      return made;
    },
  };
}

function open(env: Environment, name: QueueName, { visibilitySeconds, maxReceives }: QueueConfig): Result<Queue> {
  const resources = resourcesFrom(env);
  if (!resources.ok) return resources;
  const [queue, dead] = variables[name];
  const url = resources.value.of(queue);
  if (!url.ok) return url;
  const deadUrl = resources.value.of(dead);
  const made = openSqsQueue({
    connection: { region: resources.value.region },
    queue: url.value,
    // Who only sends need not know where the dead letters are.
    ...(deadUrl.ok ? { deadLetterQueue: deadUrl.value } : {}),
    clock: systemClock,
    options: {
      visibilitySeconds,
      maxReceives: name === 'interruptions' ? noticeReceives : maxReceives,
      maxBodyBytes: maxEventBytes,
    },
  });
  return ok({ ...made, stats: cached(() => made.stats(), systemClock, statsMs) });
}
