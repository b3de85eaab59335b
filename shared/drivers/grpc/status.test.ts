import { describe, expect, it } from 'vitest';
import { failureOf, isServerTrouble } from './status.ts';

describe('what a server says', () => {
  it.each([
    [{ code: 5, details: 'gone' }, 'not-found'],
    [{ code: 3, details: 'bad class' }, 'invalid'],
    [{ code: 6, details: 'there' }, 'conflict'],
    [{ code: 16, details: 'no certificate' }, 'unauthorised'],
    [{ code: 8, details: 'slow down' }, 'throttled'],
    [{ code: 8, details: 'insufficient memory on node pve1' }, 'insufficient-capacity'],
    [{ code: 8, details: 'x', kind: 'quota-exceeded' }, 'quota-exceeded'],
    [{ code: 2, details: "Domain not found: no domain with matching name 'x'" }, 'not-found'],
    [{ code: 2, details: 'operation failed: No space left on device' }, 'insufficient-capacity'],
    [{ code: 2, details: 'Cannot complete login due to an incorrect user name or password.' }, 'unauthorised'],
    [{ code: 13, details: 'panic: runtime error' }, 'outcome-unknown'],
    [{ code: 4, details: 'Deadline exceeded' }, 'outcome-unknown'],
    [{ code: 14, details: 'connection reset' }, 'outcome-unknown'],
  ])('%o of a write is %s', (said, kind) => {
    expect(failureOf(said, true).kind).toBe(kind);
  });

  it('leaves no doubt about a call that changes nothing', () => {
    expect(failureOf({ code: 4, details: 'Deadline exceeded' }, false).kind).toBe('unavailable');
  });

  it('names a call that the server lacks', () => {
    expect(failureOf({ code: 12, details: 'unknown method' }, true)).toMatchObject({
      kind: 'invalid',
      code: 'NotSupported',
    });
  });

  it('is trouble of the server only if the hypervisor is not to blame', () => {
    expect(isServerTrouble({ code: 2, details: 'Domain not found' })).toBe(false);
    expect(isServerTrouble({ code: 2, details: 'something broke' })).toBe(true);
    expect(isServerTrouble({ code: 14, details: 'connection refused' })).toBe(true);
    expect(isServerTrouble({ code: 14, details: 'x', kind: 'unavailable' })).toBe(false);
    expect(isServerTrouble({ code: 5, details: 'x' })).toBe(false);
  });
});
