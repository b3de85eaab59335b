import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { openDataDirectory } from './data-directory.ts';
import { openWork } from './stores.ts';

function open(queue: object) {
  const path = mkdtempSync(join(tmpdir(), 'poolwright-'));
  const loaded = loadConfig(undefined, {}, { queue });
  if (!loaded.ok) throw new Error(loaded.text);
  const directory = openDataDirectory(path);
  const log = collectingLog();
  const metrics = createMetrics();
  const onFatal = (error: Error): never => {
    throw error;
  };
  const work = openWork({ directory, queue: loaded.config.queue, log, metrics, onFatal });
  onTestFinished(() => {
    work.close();
    directory.release();
    rmSync(path, { recursive: true });
  });
  return { ...work, log, metrics };
}

test('the configuration bounds what one cluster may have waiting', async () => {
  const { events } = open({ maxWaitingPerCluster: 1 });
  await events.send(['x'], { group: 'a' });
  await expect(events.send(['x'], { group: 'a' })).rejects.toThrow(/at most 1 messages or 33554432 bytes/);
  await events.send(['x'], { group: 'b' });
});

test('dead letters that are too many go with a line in the log and a count in the metrics', async () => {
  const { events, log, metrics } = open({ deadLetters: { max: 2 } });
  await events.send(['1', '2', '3', '4']);
  for (const message of await events.receive(4)) await events.deadLetter(message, 'bad');
  expect((await events.deadLetters()).items.map(({ body }) => body)).toEqual(['3', '4']);
  expect(log.lines.map(({ event, fields }) => ({ event, fields }))).toEqual(
    Array(2).fill({ event: 'event.dead-letters.bounded', fields: { letters: 1, bound: 'number' } }),
  );
  const { text } = await metrics.expose();
  expect(text).toContain('poolwright_dead_letters_dropped_total{queue="events",bound="number"} 2');
});
