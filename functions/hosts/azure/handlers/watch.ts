/** One message of the queue of events. */

import type { InvocationContext } from '@azure/functions';
import { errorText } from '../../../../shared/base/error-text.ts';
import type { Handled, Message } from '../../../../shared/queue/contract.ts';
import { fromTrigger } from '../../../../shared/queue/service-bus/message.ts';
import { eventWatcher } from '../../../watchers/event-watcher.ts';
import { laterOn } from '../../common/later.ts';
import { serve } from '../serve.ts';
import { settle } from '../settle.ts';
import { type AzureWorker, MisconfiguredError } from '../worker.ts';

/** Well below the time for which the host keeps the lock. */
export const handlerMs = 240_000;
const firstPauseSeconds = 1;
/** A configuration is not mended within a second; until it is, an event waits. */
const misconfiguredPauseSeconds = 30;
const later = laterOn(300);

export const handleEvent = (body: unknown, context: InvocationContext, durableClient: unknown): Promise<void> =>
  serve(context, durableClient, async (opened) => {
    const message = fromTrigger(body, context.triggerMetadata ?? {});
    if (!opened.ok) {
      if (!opened.events) throw new MisconfiguredError(opened.text);
      await settle(opened.events, message, later(message, misconfiguredPauseSeconds, opened.text));
      return;
    }
    const { functions, events } = opened.worker;
    const handled = await handle(opened.worker, message);
    const settled = await settle(events, message, handled);
    if (typeof settled === 'object')
      functions.log.write('event.dead-lettered', { id: message.id, reason: settled.dead });
  });

/** What throws is tried again later, and not at once and in a circle, as the host would. */
async function handle({ functions }: AzureWorker, message: Message): Promise<Handled> {
  try {
    return await eventWatcher.handle(functions, message, AbortSignal.timeout(handlerMs));
  } catch (error) {
    functions.log.write('queue.failed', { id: message.id, receiveCount: message.receiveCount, error });
    return later(message, firstPauseSeconds, errorText(error));
  }
}
