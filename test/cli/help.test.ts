import { describe, expect, test } from 'vitest';
import { poolwright } from './collect.ts';

describe('help', () => {
  test('lists every command', async () => {
    const { code, out, err } = await poolwright('--help');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatchSnapshot();
  });

  test.each(['start', 'explain', 'pause', 'resume', 'clusters', 'dead-letters', 'crds', 'simulate', 'demo'])(
    'of %s has its options and an example',
    async (command) => {
      const { code, out } = await poolwright(command, '--help');

      expect(code).toBe(0);
      expect(out).toContain('Examples:');
      expect(out).toMatchSnapshot();
    },
  );
});
