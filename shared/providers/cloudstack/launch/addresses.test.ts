import { expect, it } from 'vitest';
import { testContext } from '../../../../test/stand-ins/provider-context.ts';
import { ok } from '../../../base/result.ts';
import { Addresses } from './addresses.ts';

const signal = new AbortController().signal;
const ranges = ['10.0.0.20-10.0.0.22', '10.0.0.40'];

function world(used: string[] = []) {
  const { state, clock } = testContext();
  let asked = 0;
  const client = {
    list: async <T>() => {
      asked++;
      return ok([{ nic: used.map((ipaddress) => ({ networkid: 'n', ipaddress })) }] as T[]);
    },
  };
  const make = () => new Addresses({ client, scope: async () => ok({}), state, clock });
  return { make, asked: () => asked };
}

const taken = async (addresses: Addresses, token: string): Promise<string> => {
  const answer = await addresses.take('n', ranges, token, signal);
  return answer.ok ? answer.value : answer.error.kind;
};

it('gives each attempt an address of its own, and the same one again, for one look', async () => {
  const { make, asked } = world(['10.0.0.21']);
  const addresses = make();

  const given = await Promise.all(['a', 'b', 'c'].map((token) => taken(addresses, token)));

  expect(given.toSorted()).toEqual(['10.0.0.20', '10.0.0.22', '10.0.0.40']);
  expect(await taken(addresses, 'a')).toBe(given[0]);
  expect(await taken(addresses, 'd')).toBe('insufficient-capacity');
  expect(asked()).toBe(1);
});

it('is known to other processes, and skips what CloudStack has refused', async () => {
  const { make } = world();
  const [one, other] = [make(), make()];
  const first = await taken(one, 'a');

  const rest = [];
  for (const token of ['b', 'c']) rest.push(await taken(other, token));
  expect(rest).not.toContain(first);
  other.refused('n', rest[0]!);

  const last = await taken(other, 'd');
  expect([first, ...rest]).not.toContain(last);
  expect(await taken(other, 'e')).toBe('insufficient-capacity');
});
