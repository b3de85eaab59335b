import { describe, expect, test } from 'vitest';
import { idFor, keyFor, readId } from './keys.ts';

describe('the id of a workflow', () => {
  test('is read back as it was made, whatever its subject', () => {
    const subject = { cluster: 'east', uid: 'u-1' };
    for (const workflow of ['launch', 'terminate', 'reserve']) {
      const key = keyFor(subject, workflow);
      expect(readId(idFor(key, 7))).toEqual({ key, epoch: 7, subject, workflow });
    }
  });

  test('of another shape gives what it has, and what is none gives nothing', () => {
    expect(readId('one/3')).toMatchObject({ key: 'one', epoch: 3, subject: { cluster: 'one', uid: '' }, workflow: '' });
    for (const text of ['', 'one', 'one/two', '/3x', '3']) expect(readId(text)).toBeUndefined();
  });
});
