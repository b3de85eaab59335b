import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const { logging } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../host.json'), 'utf8')) as {
  logging: { logLevel: Record<string, string> };
};

/** As the Functions host does it: the longest prefix of the category decides. */
function levelOf(category: string): string | undefined {
  const [longest = 'default'] = Object.keys(logging.logLevel)
    .filter((prefix) => category === prefix || category.startsWith(`${prefix}.`))
    .sort((a, b) => b.length - a.length);
  return logging.logLevel[longest];
}

describe('host.json', () => {
  // Standard output of the worker, where the log goes outside of an invocation, has the second category.
  test.each(['Function.steps.User', 'Host.Function.Console'])('lets every line of our log pass: %s', (category) => {
    expect(levelOf(category)).toBe('Information');
  });
  test('keeps the chatter of the host out', () => {
    expect(levelOf('Host.Triggers.DurableTask')).toBe('Warning');
    expect(levelOf('Microsoft.Azure.WebJobs.Script')).toBe('Warning');
  });
});
