import { expect, it } from 'vitest';
import { type Failure, ok } from '../../../base/result.ts';
import { manualClock } from '../../../base/runtime.ts';
import type { JobState } from '../../../platforms/cloudstack/jobs.ts';
import { EarlyLook } from './early-look.ts';

const signal = new AbortController().signal;
const noRoom: Failure = { kind: 'insufficient-capacity', message: 'no room' };
const failedBy = (failure: Failure): JobState => ({ state: 'failed', failure });

/** @param states What each job is in; one that is not named is pending. */
function looking(states: Record<string, JobState> = {}) {
  const clock = manualClock(0);
  const asked: string[] = [];
  const job = async (id: string) => {
    asked.push(id);
    return ok(states[id] ?? ({ state: 'pending' } as const));
  };
  return { clock, asked, early: new EarlyLook({ client: { job }, clock, afterMs: 0 }) };
}

const deploy = (instanceType = 'large', { capacityType = 'on-demand', attempt = 1 } = {}) => ({
  offering: { instanceType, zone: 'zone-01', capacityType: capacityType as 'on-demand' | 'spot' },
  owner: { deployment: 'main', cluster: 'c', claimUid: 'u', attempt },
});

it('costs nothing where no lack is likely', async () => {
  const { asked, early } = looking({ a: failedBy(noRoom) });
  expect(await early.at(deploy(), 'a', signal)).toBeUndefined();
  expect(await early.at(deploy('large', { attempt: 2 }), undefined, signal)).toBeUndefined();
  expect(asked).toEqual([]);
});

it('is taken at every deploy for a while after a lack, whichever offering it was of', async () => {
  const { clock, asked, early } = looking({ b: failedBy(noRoom) });
  early.lacked(noRoom);
  expect(await early.at(deploy('small'), 'a', signal)).toBeUndefined();
  expect(await early.at(deploy('large'), 'b', signal)).toEqual(noRoom);
  clock.advance(600_000);
  await early.at(deploy('small'), 'c', signal);
  expect(asked).toEqual(['a', 'b']);
});

it.each([
  ['of preemptible capacity', { capacityType: 'spot' }],
  ['after a refusal', { attempt: 2 }],
])('is taken at every deploy %s', async (_, more) => {
  const { asked, early } = looking();
  await early.at(deploy('large', more), 'a', signal);
  await early.at(deploy('large', more), 'b', signal);
  expect(asked).toEqual(['a', 'b']);
});

it('takes a fixed address that is in use for no lack, and tells it', async () => {
  const inUse: Failure = {
    kind: 'insufficient-capacity',
    message: 'CloudStack says: Unable to acquire the requested Guest IP address 10.10.0.20 in network 204',
  };
  const { asked, early } = looking({ a: failedBy(inUse) });
  expect(await early.at(deploy('large', { attempt: 2 }), 'a', signal)).toEqual(inUse);
  await early.at(deploy('small'), 'b', signal);
  expect(asked).toEqual(['a']);
});

it('leaves what says nothing about room or limits to the poll', async () => {
  const { early } = looking({ a: failedBy({ kind: 'outcome-unknown', message: 'internal error' }) });
  expect(await early.at(deploy('large', { attempt: 2 }), 'a', signal)).toBeUndefined();
});
