import { describe, expect, test } from 'vitest';
import { defined } from '../../base/defined.ts';
import { type ErrorKind, errorKinds } from '../../base/result.ts';
import { type Action, decide, decisions, type ProviderPhase, pauseAfter, unavailableSeconds } from './decisions.ts';

const phases: ProviderPhase[] = ['create', 'poll', 'delete'];

describe('the table', () => {
  test.each<[ErrorKind, Action, Action, Action]>([
    ['not-found', 'fail', 'next-offering', 'done'],
    ['insufficient-capacity', 'next-offering', 'next-offering', 'retry'],
    ['quota-exceeded', 'next-offering', 'next-offering', 'retry'],
    ['throttled', 'wait', 'wait', 'wait'],
    ['conflict', 'wait', 'wait', 'wait'],
    ['outcome-unknown', 'resolve', 'resolve', 'retry'],
    ['not-ready', 'wait', 'wait', 'wait'],
    ['unauthorised', 'fail', 'retry', 'retry'],
    ['invalid', 'fail', 'fail', 'retry'],
    ['unavailable', 'retry', 'retry', 'retry'],
  ])('%s: create %s, poll %s, delete %s', (kind, create, poll, remove) => {
    expect(phases.map((phase) => decide(phase, { kind }).action)).toEqual([create, poll, remove]);
  });

  test('covers every kind in every phase', () => {
    for (const phase of phases) expect(Object.keys(decisions[phase]).sort()).toEqual([...errorKinds].sort());
  });

  test('says on the claim what it waits for, unless it is done', () => {
    for (const phase of phases) {
      for (const kind of errorKinds) {
        const { action, condition } = decide(phase, { kind });
        expect(condition === undefined, `${phase} ${kind}`).toBe(action === 'done');
        if (condition !== undefined) expect(condition.reason).toMatch(/^[A-Z][A-Za-z]+$/);
        expect(condition?.status).not.toBe('True');
      }
    }
  });

  test('a delete never gives up', () => {
    for (const kind of errorKinds) expect(['retry', 'wait', 'done']).toContain(decide('delete', { kind }).action);
  });

  test('only waiting for a turn stops the clock of a deadline', () => {
    const free = errorKinds.filter((kind) => !decide('create', { kind }).countsAgainstDeadline);
    expect(free).toEqual(['throttled', 'conflict']);
  });

  test('only sold out and quota mark an offering', () => {
    const marking = errorKinds.filter((kind) => decide('create', { kind }).marksUnavailableSeconds !== undefined);
    expect(marking).toEqual(['insufficient-capacity', 'quota-exceeded']);
  });
});

describe('pauses', () => {
  const pause = (kind: ErrorKind, failures: number, retryAfterSeconds?: number): number => {
    const failure = { kind, message: '', ...defined({ retryAfterSeconds }) };
    return pauseAfter(decide('create', failure), failure, failures, () => 1);
  };

  test('grow, and honor what the provider asks for', () => {
    expect(pause('throttled', 1)).toBe(1);
    expect(pause('throttled', 4)).toBe(8);
    expect(pause('throttled', 1, 20)).toBe(20);
    expect(pause('unauthorised', 1)).toBe(30);
    expect(pause('insufficient-capacity', 3)).toBe(0);
  });

  test('a mark lasts as the table says, or longer if the provider says so', () => {
    const sold = { kind: 'insufficient-capacity', message: '' } as const;
    expect(unavailableSeconds(decide('create', sold), sold)).toBe(180);
    expect(unavailableSeconds(decide('create', sold), { ...sold, retryAfterSeconds: 900 })).toBe(900);
    expect(unavailableSeconds(decide('create', sold), { ...sold, retryAfterSeconds: 1 })).toBe(180);
    expect(unavailableSeconds(decide('create', sold), { ...sold, retryAfterSeconds: 1e9 })).toBe(86_400);
    const quota = { kind: 'quota-exceeded', message: '' } as const;
    expect(unavailableSeconds(decide('poll', quota), quota)).toBe(600);
    const other = { kind: 'throttled', message: '' } as const;
    expect(unavailableSeconds(decide('create', other), other)).toBeUndefined();
  });
});
