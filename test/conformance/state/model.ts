/** A map with versions and ends, and random commands that must find the driver agreeing with it after every step. */

import fc from 'fast-check';
import { expect } from 'vitest';
import { defined } from '../../../shared/base/defined.ts';
import type { State } from '../../../shared/state/contract.ts';
import { byBytes, listAll, type StateHarness } from './harness.ts';

interface ModelEntry {
  value: number;
  version: string;
  expires: number | undefined;
  /** For one that was put with `soon`: what a crash may bring back. */
  before?: { entry: ModelEntry | undefined };
}

interface Model {
  now: number;
  entries: Map<string, ModelEntry>;
  versions: string[];
}

interface Real {
  harness: StateHarness;
  state: State;
}

type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, run: Command['run']): Command => ({ check: () => true, run, toString: () => name });

const isLive = (model: Model, { expires }: ModelEntry): boolean => expires === undefined || expires > model.now;

function live(model: Model, key: string): ModelEntry | undefined {
  const entry = model.entries.get(key);
  return entry && isLive(model, entry) ? entry : undefined;
}

/** Any version ever given, none, or no condition at all. */
type Condition = 'any' | 'none' | number;

function versionFor(model: Model, key: string, condition: Condition): string | null | undefined {
  if (condition === 'any') return undefined;
  if (condition === 'none') return null;
  // Half of the time the right one: a random one of all would hardly ever fit.
  if (condition % 2 === 0) return live(model, key)?.version ?? 'none';
  return model.versions[condition % Math.max(1, model.versions.length)] ?? 'none';
}

const put = (key: string, value: number, condition: Condition, life: number | undefined, soon: boolean) =>
  command(`put(${key}, ${value}, ${condition}, ${life}, ${soon})`, async (model, real) => {
    const ifVersion = versionFor(model, key, condition);
    const holds = ifVersion === undefined || (live(model, key)?.version ?? null) === ifVersion;
    const version = await real.state.put(key, value, { ...defined({ ifVersion, ttlSeconds: life }), soon });
    expect(version !== undefined).toBe(holds);
    if (version === undefined) return;
    expect(model.versions).not.toContain(version);
    model.versions.push(version);
    const before = soon && ifVersion === undefined ? { entry: model.entries.get(key) } : undefined;
    const expires = life === undefined ? undefined : model.now + life;
    model.entries.set(key, { value, version, expires, ...defined({ before }) });
  });

const remove = (key: string, condition: Condition) =>
  command(`delete(${key}, ${condition})`, async (model, real) => {
    const ifVersion = versionFor(model, key, condition) ?? undefined;
    const found = live(model, key);
    const holds = found !== undefined && (ifVersion === undefined || ifVersion === found.version);
    expect(await real.state.delete(key, ifVersion === undefined ? {} : { ifVersion })).toBe(holds);
    if (holds) model.entries.delete(key);
  });

const look = (prefix: string, limit: number) =>
  command(`look(${prefix}, ${limit})`, async (model, real) => {
    const expected = [...model.entries.keys()]
      .filter((key) => key.startsWith(prefix) && live(model, key))
      .sort(byBytes)
      .map((key) => ({ key, value: live(model, key)?.value, version: live(model, key)?.version }));
    const listed = await listAll(real.state, prefix, limit);
    expect(listed.map(({ key, value, version }) => ({ key, value, version }))).toEqual(expected);
    for (const key of model.entries.keys())
      expect((await real.state.get(key))?.version).toBe(live(model, key)?.version);
  });

const pass = (seconds: number) =>
  command(`pass(${seconds})`, async (model, real) => {
    model.now += seconds;
    await real.harness.pass(seconds);
  });

const durable = ({ before: _, ...entry }: ModelEntry): ModelEntry => entry;

const crash = command('crash', async (model, real) => {
  await real.harness.crash();
  real.state = await real.harness.open();
  for (const [key, entry] of [...model.entries]) {
    const found = await real.state.get(key);
    const read = (one: ModelEntry): string | undefined => (isLive(model, one) ? one.version : undefined);
    let survivor: ModelEntry | undefined = entry;
    while (survivor?.before && read(survivor) !== found?.version) survivor = survivor.before.entry;
    if (survivor) model.entries.set(key, durable(survivor));
    else model.entries.delete(key);
  }
});

export async function stateModel(make: () => Promise<StateHarness>, runs: number): Promise<void> {
  const key = fc.constantFrom('a', 'a/', 'a/%', 'a/_', 'a/é', 'a/\u{1f600}', 'a/\ue000', 'b');
  const condition = fc.oneof(fc.constantFrom<Condition>('any', 'none'), fc.nat(30));
  const life = fc.constantFrom(undefined, 1, 5);
  const commands = fc.commands(
    [
      fc.tuple(key, fc.nat(9), condition, life, fc.boolean()).map((all) => put(...all)),
      fc.tuple(key, condition).map((all) => remove(...all)),
      fc.tuple(fc.constantFrom('', 'a', 'a/', 'a/%', 'c'), fc.integer({ min: 1, max: 4 })).map((all) => look(...all)),
      fc.constantFrom(1, 2, 5).map(pass),
      fc.constant(crash),
    ],
    { maxCommands: 40, size: '+1' },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const harness = await make();
      try {
        const model: Model = { now: 0, entries: new Map(), versions: [] };
        const real: Real = { harness, state: await harness.open() };
        await fc.asyncModelRun(() => ({ model, real }), [...list, look('', 2)]);
      } finally {
        await harness.close();
      }
    }),
    { numRuns: runs },
  );
}
