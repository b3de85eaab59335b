/**
 * The rules about who a cluster is, in every order of what can happen to two clusters: `a`, whose administrator may make it claim
 * to be `b`, and `b`, which may be away. Their servers have authorities of their own, or, behind one proxy, the same. Processes end, the state may be lost, and an operator confirms only what is true.
 * Garbage collection through one cluster must never be allowed to touch what belongs to the other.
 */
import { describe, expect, it } from 'vitest';
import { type Binding, hindranceOf, judgeCluster } from '../../shared/ownership/cluster-binding.ts';

type Name = 'a' | 'b';
type Rules = { judge: typeof judgeCluster; hindrance: typeof hindranceOf };

interface World {
  lies: boolean;
  bIsAway: boolean;
  /** Both servers are checked with the same authority. */
  isShared: boolean;
  bindings: Partial<Record<Name, string>>;
  disputed: string[];
  /** Who has answered and is not served, with the uid that it has in common with the one that is. */
  refused: Partial<Record<Name, { twice?: string }>>;
  /** Confirmed by an operator, by a process that died before it had removed what contradicts it. */
  confirming: Name[];
  /** What the running process believes. */
  believed: Partial<Record<Name, string>>;
}

const names = ['a', 'b'] as const;
const says = ({ lies }: World, name: Name): string => (name === 'a' && lies ? 'b' : name);
const anchors = ({ isShared }: World, name: Name): string[] => [isShared ? 'key of both' : `key ${name}`];
const bindingsOf = (world: World): Map<string, Binding> =>
  new Map(
    names.flatMap((name): [string, Binding][] => {
      const { bindings, confirming } = world;
      const uid = bindings[name];
      if (uid === undefined) return [];
      const mark = confirming.includes(name) ? { confirming: true as const } : {};
      return [[name, { uid, anchors: anchors(world, name), at: 0, ...mark }]];
    }),
  );

function contact(world: World, name: Name, { judge, hindrance }: Rules): World {
  if (name === 'b' && world.bIsAway) return world;
  // Within one process what was believed once is not asked again.
  if (world.believed[name] !== undefined) return world;
  const uid = says(world, name);
  const verdict = judge(name, { uid, anchors: anchors(world, name) }, bindingsOf(world), names);
  const isDisputed = 'disputedWith' in verdict && verdict.disputedWith !== undefined;
  const disputed = isDisputed ? [...new Set([...world.disputed, uid])].sort() : world.disputed;
  if (verdict.is !== 'known') {
    const isUnbound = verdict.is === 'claims-other' || verdict.is === 'twice';
    const next = {
      ...world,
      disputed,
      refused: { ...world.refused, [name]: verdict.is === 'twice' ? { twice: uid } : {} },
    };
    return isUnbound ? unbind(next, name) : next;
  }
  if (world.confirming.includes(name)) return contact(confirm(world, name, 'completes'), name, { judge, hindrance });
  return {
    ...world,
    disputed,
    refused: without(world.refused, name),
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

const without = <T>(entries: Partial<Record<Name, T>>, name: Name): Partial<Record<Name, T>> =>
  Object.fromEntries(Object.entries(entries).filter(([other]) => other !== name));

const unbind = (world: World, name: Name): World => ({
  ...world,
  bindings: without(world.bindings, name),
  confirming: world.confirming.filter((other) => other !== name),
});

type End =
  | 'completes'
  | 'dies after the binding'
  | 'dies before the dispute is removed'
  | 'dies before the mark is removed';

/** In the order of its writes: the binding with its mark, the bindings of others, the dispute, the mark. */
function confirm(world: World, name: Name, end: End): World {
  if (says(world, name) !== name || (name === 'b' && world.bIsAway)) return world;
  const confirming = [...new Set([...world.confirming, name])].sort();
  let next: World = { ...world, bindings: { ...world.bindings, [name]: name }, confirming };
  const dead = (): World => ({ ...next, believed: {} });
  if (end === 'dies after the binding') return dead();
  for (const other of names) if (other !== name && next.bindings[other] === name) next = unbind(next, other);
  if (end === 'dies before the dispute is removed') return dead();
  next = { ...next, disputed: next.disputed.filter((uid) => uid !== name) };
  if (end === 'dies before the mark is removed') return dead();
  return { ...next, confirming: next.confirming.filter((other) => other !== name) };
}

const ends: End[] = [
  'completes',
  'dies after the binding',
  'dies before the dispute is removed',
  'dies before the mark is removed',
];

const steps = (rules: Rules): Record<string, (world: World) => World> => ({
  'a is asked': (world) => contact(world, 'a', rules),
  'b is asked': (world) => contact(world, 'b', rules),
  'both are asked at once': (world) => contactBoth(world, rules),
  'a begins or ceases to lie': (world) => ({ ...world, lies: !world.lies }),
  'b goes away or comes back': (world) => ({ ...world, bIsAway: !world.bIsAway }),
  'the process ends': (world) => ({ ...world, believed: {} }),
  'the state is lost, and the process with it': (world) => ({
    ...world,
    bindings: {},
    disputed: [],
    refused: {},
    confirming: [],
    believed: {},
  }),
  ...Object.fromEntries(
    names.flatMap((name) =>
      ends.map((end) => [`an operator confirms ${name}; this ${end}`, (world: World) => confirm(world, name, end)]),
    ),
  ),
});

/** The name through which instances of the other one would be collected, if there is one. */
function thief(world: World, { hindrance }: Rules): Name | undefined {
  return names.find((name) => {
    const uid = world.believed[name];
    if (uid === undefined || uid === name) return false;
    const refused = new Map(
      Object.entries(world.refused)
        .filter(([other]) => world.bindings[other as Name] === undefined)
        .map(([other, { twice }]) => [other, twice]),
    );
    return hindrance(name, uid, bindingsOf(world), names, refused, world.disputed.includes(uid)) === undefined;
  });
}

function explore(rules: Rules): { states: number; theft?: string[]; unfinished?: string[] } {
  const begin = { lies: false, bIsAway: false, bindings: {}, disputed: [], refused: {}, confirming: [], believed: {} };
  const open: World[] = [false, true].map((isShared) => ({ ...begin, isShared }));
  const seen = new Map<string, string[]>(open.map((start) => [JSON.stringify(start), []]));
  for (let world = open.shift(); world; world = open.shift()) {
    const path = seen.get(JSON.stringify(world)) ?? [];
    if (thief(world, rules)) return { states: seen.size, theft: path };
    if (unfinished(world, rules)) return { states: seen.size, unfinished: path };
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

/** A state in which a confirmation is left unfinished although the cluster that it is about was asked since. */
function unfinished(world: World, rules: Rules): Name | undefined {
  return world.confirming.find((name) => {
    if (says(world, name) !== name || (name === 'b' && world.bIsAway)) return false;
    const asked = contact({ ...world, believed: {} }, name, rules);
    return asked.confirming.includes(name) || asked.bindings[name] !== name;
  });
}

const rules: Rules = { judge: judgeCluster, hindrance: hindranceOf };

describe('a cluster that claims to be another one', () => {
  it('never lets garbage collection reach the instances of the other, in any order', () => {
    const { states, theft, unfinished } = explore(rules);
    expect(theft).toBeUndefined();
    expect(unfinished).toBeUndefined();
    expect(states).toBeGreaterThan(50);
  });

  it('would leave a confirmation unfinished, if what an operator has confirmed did not come first', () => {
    const unmarked = (bindings: ReadonlyMap<string, Binding>) =>
      new Map([...bindings].map(([name, { confirming, ...bound }]) => [name, bound]));
    const judge: Rules['judge'] = (name, reported, bindings, all) =>
      judgeCluster(name, reported, unmarked(bindings), all);
    expect(explore({ ...rules, judge }).unfinished).toBeDefined();
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
      'two names behind one authority were always one cluster',
      {
        hindrance: (name, uid, bindings, all, refused, isDisputed) =>
          hindranceOf(name, uid, bindings, all, new Map([...refused].map(([one]) => [one, undefined])), isDisputed),
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
