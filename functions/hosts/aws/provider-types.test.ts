import { expect, it } from 'vitest';
import { failed, ok } from '../../../shared/base/result.ts';
import { providerTypes } from './provider-types.ts';

const configOf = (...providers: string[]): string =>
  JSON.stringify({
    clusters: { east: { server: 'https://127.0.0.1:1' } },
    providers: Object.fromEntries(providers.map((name) => [name, { type: 'ec2', region: 'eu-west-1' }])),
  });

function setUp(more: Record<string, string> = {}) {
  const world = { now: 0, text: configOf('first') as string | undefined, reads: 0 };
  const clock = { now: () => world.now, monotonic: () => world.now };
  const typeOf = providerTypes(
    { POOLWRIGHT_CONFIG_PARAMETER: 'ssm:/config', ...more },
    {
      clock,
      read: async (reference) => {
        if (reference !== 'ssm:/config') throw new Error(`${reference} was read`);
        world.reads += 1;
        return world.text === undefined ? failed('unavailable', 'not now') : ok(world.text);
      },
    },
  );
  return { world, typeOf };
}

it('knows a provider that was added while the process lives, and reads no more often than it must', async () => {
  const { world, typeOf } = setUp();
  expect(await typeOf('first')).toBe('ec2');
  await expect(typeOf('second')).rejects.toThrow('provider second is not in the configuration');
  expect(world.reads).toBe(1);
  world.text = configOf('first', 'second');
  world.now += 300_000;
  expect(await typeOf('second')).toBe('ec2');
});

it('tries again after a configuration that could not be read', async () => {
  const { world, typeOf } = setUp();
  world.text = undefined;
  await expect(typeOf('first')).rejects.toThrow('not now');
  world.text = configOf('first');
  expect(await typeOf('first')).toBe('ec2');
});

it('needs none of the secrets that variables refer to', async () => {
  const { typeOf } = setUp({
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'ssm:/token,ssm:/older',
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_PATH_SECRETS: 'secretsmanager:path#key',
  });
  expect(await typeOf('first')).toBe('ec2');
});
