/** host.json: every value has its reason, and the limits stand in the order in which they must be hit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handlerMs } from '../../../functions/hosts/azure/handlers/watch.ts';
import { longestRoundSeconds } from '../../../functions/hosts/common/timer-rounds.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');
const host = JSON.parse(read('host.json'));
const page = read('docs/hosts/azure-host-json.md');

/** Names of values, and of groups that are explained as a whole. */
function names(value: unknown, path: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [path.at(-1) ?? ''];
  const last = path.at(-1) ?? '';
  const whole = ['extensionBundle', 'clientRetryOptions', 'logLevel', 'samplingSettings'].includes(last);
  return whole ? [last] : Object.entries(value).flatMap(([key, inner]) => names(inner, [...path, key]));
}

const seconds = (text: string): number => {
  const [hours = 0, minutes = 0, rest = 0] = text.split(':').map(Number);
  return hours * 3600 + minutes * 60 + rest;
};

describe('host.json', () => {
  const unexplained = ['version', 'type', 'traceReplayEvents'];

  it.each(names(host).filter((name) => !unexplained.includes(name)))('%s is explained', (name) => {
    expect(page).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('keeps the limits of the platform behind our own', () => {
    const { serviceBus, durableTask } = host.extensions;
    const watcherSeconds = handlerMs / 1000;
    // As `runActivity` has it.
    const activitySeconds = 120;
    expect(seconds(serviceBus.maxAutoLockRenewalDuration)).toBeGreaterThan(watcherSeconds);
    expect(seconds(durableTask.storageProvider.workItemQueueVisibilityTimeout)).toBeGreaterThan(activitySeconds);
    for (const ours of [watcherSeconds, activitySeconds, longestRoundSeconds]) {
      expect(seconds(host.functionTimeout)).toBeGreaterThan(ours);
    }
  });
});
