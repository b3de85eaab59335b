import { expect, onTestFinished, test } from 'vitest';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import type { Message } from '../../../shared/queue/contract.ts';
import { openSqliteQueue } from '../../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../../shared/queue/sqlite/schema.ts';
import type { FunctionServices, QueueFunction } from '../../declaration.ts';
import { consumeEvents } from './event-consumer.ts';

test('a cluster has handlers of its own, however many others flood the queue and never answer', async () => {
  const names = ['quick', ...Array.from({ length: 8 }, (_, index) => `slow-${index}`)];
  const opened = openQueueDatabase({ file: ':memory:' });
  onTestFinished(() => opened.database.close());
  const options = { visibilitySeconds: 60, maxReceives: 10, maxBodyBytes: 1000 };
  const events = openSqliteQueue({ ...opened, name: 'events', clock: systemClock, ids: systemIds, options });
  const config = { queue: options, clusters: {} } as unknown as Config;
  const services = { events, log: silentLog, clusters: names.map((name) => ({ name })) } as unknown as FunctionServices;
  const running = new Map<string, number>();
  const ends: (() => void)[] = [];
  const quick = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  const watcher = {
    handle: async (_, delivery) => {
      const { group = '' } = delivery as Message;
      if (group === 'quick') quick.resolve();
      else {
        running.set(group, (running.get(group) ?? 0) + 1);
        if ([...running.values()].reduce((sum, count) => sum + count, 0) === 8 * 16) full.resolve();
        await new Promise<void>((resolve) => ends.push(resolve));
      }
      return 'done';
    },
  } as Partial<QueueFunction> as QueueFunction;
  for (const group of names.slice(1)) await events.send(Array(100).fill('x'), { group });

  const consumer = consumeEvents(config, services, watcher);
  await full.promise;
  await events.send(['x'], { group: 'quick' });
  await quick.promise;
  expect([...running.values()]).toEqual(Array(8).fill(16));
  const stopping = consumer.stop();
  for (const end of ends) end();
  await stopping;
});
