/**
 * The rules about who a cluster is, in every order of what can happen to two clusters: `a`, whose administrator may make it claim
 * to be `b`, and `b`, which may be away. Processes end, the state may be lost, and an operator confirms only what is true.
 * Garbage collection through one cluster must never be allowed to touch what belongs to the other.
 */
import { describe, expect, it } from 'vitest';
import { type Binding, hindranceOf, judgeCluster } from '../../shared/ownership/cluster-binding.ts';

type Name = 'a' | 'b';
type Rules = { judge: typeof judgeCluster; hindrance: typeof hindranceOf };

interface World {
  lies: boolean;
  bIsAway: boolean;
  bindings: Partial<Record<Name, string>>;
  disputed: string[];
  /** What the running process believes. */
  believed: Partial<Record<Name, string>>;
}

const names = ['a', 'b'] as const;
const says = ({ lies }: World, name: Name): string => (name === 'a' && lies ? 'b' : name);
const anchors = (name: Name): string[] => [`key ${name}`];
const bindingsOf = ({ bindings }: World): Map<string, Binding> =>
  new Map(
    names.flatMap((name) => (bindings[name] ? [[name, { uid: bindings[name], anchors: anchors(name), at: 0 }]] : [])),
  );

function contact(world: World, name: Name, { judge }: Rules): World {
  if (name === 'b' && world.bIsAway) return world;
  // Within one process what was believed once is not asked again.
  if (world.believed[name] !== undefined) return world;
  const uid = says(world, name);
  const verdict = judge(name, { uid, anchors: anchors(name) }, bindingsOf(world), names);
  const isDisputed = 'disputedWith' in verdict && verdict.disputedWith !== undefined;
  const disputed = isDisputed ? [...new Set([...world.disputed, uid])].sort() : world.disputed;
  if (verdict.is !== 'known') return { ...world, disputed };
  return {
    ...world,
    disputed,
    bindings: verdict.keep ? { ...world.bindings, [name]: uid } : world.bindings,
    believed: { ...world.believed, [name]: uid },
  };
}

/** Neither sees what the other binds; each is judged once more when it has bound something, as the code does. */
function contactBoth(world: World, rules: Rules): World {
  const [a, b] = names.map((name) => contact(world, name, rules));
  const bound: World = { ...world, bindings: { ...world.bindings, ...a?.bindings, ...b?.bindings } };
  return contact(contact(bound, 'a', rules), 'b', rules);
}

function confirm(world: World, name: Name): World {
  if (says(world, name) !== name || (name === 'b' && world.bIsAway)) return world;
  const others = Object.entries(world.bindings).filter(([other, uid]) => other !== name && uid !== name);
  const disputed = world.disputed.filter((uid) => uid !== name);
  return { ...world, bindings: { ...Object.fromEntries(others), [name]: name }, disputed };
}

const steps = (rules: Rules): Record<string, (world: World) => World> => ({
  'a is asked': (world) => contact(world, 'a', rules),
  'b is asked': (world) => contact(world, 'b', rules),
  'both are asked at once': (world) => contactBoth(world, rules),
  'a begins or ceases to lie': (world) => ({ ...world, lies: !world.lies }),
  'b goes away or comes back': (world) => ({ ...world, bIsAway: !world.bIsAway }),
  'the process ends': (world) => ({ ...world, believed: {} }),
  'the state is lost, and the process with it': (world) => ({ ...world, bindings: {}, disputed: [], believed: {} }),
  'an operator confirms a': (world) => confirm(world, 'a'),
  'an operator confirms b': (world) => confirm(world, 'b'),
});

/** The name through which instances of the other one would be collected, if there is one. */
function thief(world: World, { hindrance }: Rules): Name | undefined {
  return names.find((name) => {
    const uid = world.believed[name];
    if (uid === undefined || uid === name) return false;
    return hindrance(name, uid, bindingsOf(world), names, new Set(), world.disputed.includes(uid)) === undefined;
  });
}

function explore(rules: Rules): { states: number; theft?: string[] } {
  const start: World = { lies: false, bIsAway: false, bindings: {}, disputed: [], believed: {} };
  const seen = new Map<string, string[]>([[JSON.stringify(start), []]]);
  const open = [start];
  for (let world = open.shift(); world; world = open.shift()) {
    const path = seen.get(JSON.stringify(world)) ?? [];
    if (thief(world, rules)) return { states: seen.size, theft: path };
    for (const [name, step] of Object.entries(steps(rules))) {
      const next = step(world);
      const key = JSON.stringify(next);
      if (seen.has(key)) continue;
      seen.set(key, [...path, name]);
      open.push(next);
    }
  }
  return { states: seen.size };
}

const rules: Rules = { judge: judgeCluster, hindrance: hindranceOf };

describe('a cluster that claims to be another one', () => {
  it('never lets garbage collection reach the instances of the other, in any order', () => {
    const { states, theft } = explore(rules);
    expect(theft).toBeUndefined();
    expect(states).toBeGreaterThan(50);
  });

  it.each<[string, Partial<Rules>]>([
    [
      'every report is believed, and nobody asks who else has the uid',
      {
        judge: (_name, reported) => ({ is: 'known', keep: reported }),
        hindrance: (name, uid, bindings, _names, refused) =>
          hindranceOf(name, uid, new Map([...bindings].filter(([one]) => one === name)), [name], refused, false),
      },
    ],
    [
      'clusters that were never reached are forgotten',
      {
        hindrance: (name, uid, bindings, _names, refused, isDisputed) =>
          hindranceOf(name, uid, bindings, [], refused, isDisputed),
      },
    ],
    [
      'a process goes on with what it believed',
      {
        hindrance: (name, uid, bindings, all, refused, isDisputed) =>
          hindranceOf(name, bindings.get(name)?.uid ?? uid, bindings, all, refused, isDisputed),
      },
    ],
  ])('would, if %s', (_rule, broken) => {
    expect(explore({ ...rules, ...broken }).theft).toBeDefined();
  });
});
