/**
 * Receives from a queue that others fill, and only that: for messages of which SQS is not our own queue but a cloud's way to
 * tell us something. Ten at a time, handled together and settled together, because each request to SQS costs as much as what
 * is done about a message.
 *
 * One receiver waits at the queue for as long as SQS allows. When something comes, one more looks, or all of them if there is
 * much, and goes again when it finds nothing: so an idle queue costs three requests a minute, and a flood is taken by all.
 * Whatever fails, the message comes again after its timeout. A queue that can't be received from is said once, and tried again.
 */

import type { Message } from '@aws-sdk/client-sqs';
import { doubled } from '../../base/backoff.ts';
import { pause, systemTimers, type Timers } from '../../base/timers.ts';
import type { AwsConnection } from '../../platforms/aws/client-options.ts';
import type { Handled } from '../contract.ts';
import { explanationOf, isQueueUrl, once, openSqs, queueNameOf } from './client.ts';

export interface SqsReceiverOptions {
  connection: AwsConnection;
  /** Its name or URL. */
  queue: string;
  /** What is `dead` is dropped like what is done: the sender keeps no dead letters for us. It may be called for several at once. */
  handle(message: { body: string; receiveCount: number }, signal: AbortSignal): Promise<Handled>;
  /** When it can't be received from, and why; undefined: it can again. Not repeated while it stays the same. */
  onState?(problem: string | undefined): void;
  /** Most receivers at once (default 8). */
  receivers?: number;
  /** A message that was not settled comes again after so long (default 30); handlers have a little less. */
  visibilitySeconds?: number;
  /** How long one waits at an empty queue (default 20, which is the most). */
  waitSeconds?: number;
  timers?: Timers;
}

export interface SqsReceiver {
  /** Why nothing can be received, if so. */
  readonly problem: string | undefined;
  /** Receives nothing more, and resolves when what was received is settled. */
  stop(): Promise<void>;
}

const batch = 10;
const firstRetrySeconds = 1;
const maxRetrySeconds = 60;
const retrySeconds = (failures: number): number => doubled(failures, firstRetrySeconds, maxRetrySeconds);

export function receiveFromSqs(options: SqsReceiverOptions): SqsReceiver {
  const { connection, queue, handle, onState, timers = systemTimers } = options;
  const { receivers = 8, visibilitySeconds = 30, waitSeconds = 20 } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let problem: string | undefined;

  const open = once(async () => {
    const sqs = await openSqs(connection);
    if (isQueueUrl(queue)) return { ...sqs, QueueUrl: queue };
    const { QueueUrl } = await sqs.client.send(new sqs.commands.GetQueueUrlCommand({ QueueName: queueNameOf(queue) }), {
      abortSignal: stopping.signal,
    });
    if (QueueUrl === undefined) throw new Error('SQS returned no URL for it');
    return { ...sqs, QueueUrl };
  });

  function say(found: string | undefined): void {
    if (found === problem) return;
    problem = found;
    onState?.(found);
  }

  async function receive(wait: number): Promise<Message[]> {
    const { client, commands, QueueUrl } = await open();
    const received = await client.send(
      new commands.ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: batch,
        WaitTimeSeconds: wait,
        VisibilityTimeout: visibilitySeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
      { abortSignal: stopping.signal },
    );
    return received.Messages ?? [];
  }

  /** The first one stays for ever; a helper goes when there is nothing left to help with. */
  async function run(isFirst: boolean): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const messages = await receive(isFirst ? waitSeconds : 0);
        failures = 0;
        say(undefined);
        if (messages.length === 0 && !isFirst) return;
        // A full delivery means that more lies there: all may come and look.
        const helpers = messages.length === batch ? receivers : Math.min(1, messages.length);
        for (let helper = 0; helper < helpers; helper++) begin(false);
        await settle(messages, await decideAll(messages));
      } catch (error) {
        if (stopping.signal.aborted) return;
        say(explanationOf(error, queue, connection.region));
        if (!isFirst) return;
        failures++;
        await pause(retrySeconds(failures) * 1000, stopping.signal, timers);
      }
    }
  }

  function begin(isFirst: boolean): void {
    if (running.size >= receivers || stopping.signal.aborted) return;
    const work = run(isFirst).finally(() => running.delete(work));
    running.add(work);
  }

  /** They came together, so their time is over together. */
  async function decideAll(messages: readonly Message[]): Promise<(number | undefined)[]> {
    const limit = new AbortController();
    const cancel = timers.after(visibilitySeconds * 900, () => limit.abort(new Error('it takes too long')));
    try {
      return await Promise.all(messages.map((message) => decide(message, limit.signal)));
    } finally {
      cancel();
    }
  }

  /** Seconds until the message may come again; undefined: it is done with. */
  async function decide({ Body = '', Attributes = {} }: Message, limit: AbortSignal): Promise<number | undefined> {
    const receiveCount = Number(Attributes.ApproximateReceiveCount ?? 1) || 1;
    try {
      const outcome = await Promise.race([handle({ body: Body, receiveCount }, limit), timeOf(limit)]);
      return outcome === 'done' || 'dead' in outcome ? undefined : outcome.retryAfterSeconds;
    } catch {
      return retrySeconds(receiveCount);
    }
  }

  async function settle(messages: readonly Message[], pauses: readonly (number | undefined)[]): Promise<void> {
    const { client, commands, QueueUrl } = await open();
    const entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const done = entries.filter((_, index) => pauses[index] === undefined);
    const later = entries.flatMap((entry, index) => {
      const seconds = pauses[index];
      return seconds === undefined ? [] : [{ ...entry, VisibilityTimeout: Math.ceil(seconds) }];
    });
    await Promise.all([
      done.length > 0 && client.send(new commands.DeleteMessageBatchCommand({ QueueUrl, Entries: done })),
      later.length > 0 && client.send(new commands.ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: later })),
    ]);
  }

  begin(true);
  return {
    get problem() {
      return problem;
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
      await open().then(
        ({ client }) => client.destroy(),
        () => {},
      );
    },
  };
}

/** A handler that takes no notice of its signal must not hold up the others. */
const timeOf = (limit: AbortSignal): Promise<never> =>
  new Promise((_, reject) => limit.addEventListener('abort', () => reject(limit.reason)));
