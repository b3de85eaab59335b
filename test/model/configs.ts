/** The configurations that are explored, and what is allowed to break in each: nothing, but for what the docs state. */
import type { Idempotency } from '../../shared/nodes/claims/attempt/attempt.ts';
import type { Property } from './properties.ts';
import type { Config } from './setup.ts';
import type { Budget } from './state.ts';

export interface Case extends Config {
  /** Exactly these break, and the docs say so. */
  exceptions: readonly Property[];
  /** Too many states for every test run; `deep.ts` explores it. */
  deep: boolean;
}

export const providers: readonly Idempotency[] = ['token', 'claim-name', 'name', 'none'];

const base: Partial<Budget> = { userDelete: 1, lost: 1, second: 1, duplicate: 1, repeat: 1 };

/** Somebody garbles the record, and a person has it written anew. */
const rebuilt: Partial<Budget> = { corrupt: 1, rebuild: 1 };

type Shape = Omit<Config, 'name' | 'idempotency' | 'looks'> & {
  looks?: boolean;
  deep?: boolean;
  /** Only for these. */
  providers?: readonly Idempotency[];
  exceptions?: Partial<Record<Idempotency, readonly Property[]>>;
};

const everywhere = (...properties: Property[]): Record<Idempotency, readonly Property[]> => ({
  token: properties,
  'claim-name': properties,
  name: properties,
  none: properties,
});

const shapes: Record<string, Shape> = {
  plain: { budget: { userDelete: 1 } },
  repeat: { budget: { userDelete: 1, repeat: 1 } },
  'two repeats': { budget: { userDelete: 1, repeat: 2, duplicate: 1 } },
  duplicate: { budget: { userDelete: 1, duplicate: 1, lost: 1 } },
  lost: { budget: { userDelete: 1, lost: 2, repeat: 1 } },
  'second launch': { budget: { userDelete: 1, second: 1 } },
  'second launch, looking': { budget: { userDelete: 1, second: 1 }, looks: true },
  'late effect': { budget: { userDelete: 1, late: 1, repeat: 1, lost: 1 }, lateness: 'bounded' },
  'late delete': { budget: { userDelete: 1, lateDelete: 1, lost: 1, repeat: 1 } },
  force: { budget: { userDelete: 1, strip: 1, recreate: 1, duplicate: 1, lost: 1 } },
  garbled: { budget: { userDelete: 1, corrupt: 1, lost: 1, repeat: 1 } },
  'garbled, rebuilt': { budget: { userDelete: 1, ...rebuilt, lost: 1, repeat: 1 } },
  'garbled, rebuilt, duplicate': { budget: { userDelete: 1, ...rebuilt, duplicate: 1, repeat: 1 } },
  'garbled, rebuilt, spot': { budget: { userDelete: 1, ...rebuilt, kill: 1, retry: 1, repeat: 1 } },
  'garbled, rebuilt, late effect': { budget: { userDelete: 1, ...rebuilt, late: 1, repeat: 1 }, lateness: 'bounded' },
  'garbled, rebuilt around a delete': {
    budget: { userDelete: 1, ...rebuilt, lateDelete: 1 },
    exceptions: everywhere('P5'),
  },
  'garbled, rebuilt, second launch': { budget: { userDelete: 1, ...rebuilt, second: 1 }, deep: true },
  'garbled, rebuilt, restored': {
    budget: { userDelete: 1, ...rebuilt, snapshot: 1, restore: 1 },
    looks: true,
    deep: true,
  },
  restarted: { budget: { userDelete: 1, restart: 1 } },
  'restarted twice': { budget: { userDelete: 1, restart: 2 }, deep: true },
  'restarted, lost and repeated': { budget: { userDelete: 1, restart: 1, lost: 1, repeat: 1 }, deep: true },
  'restarted, late delete': { budget: { userDelete: 1, restart: 1, lateDelete: 1 }, deep: true },
  'restarted, restored': { budget: { userDelete: 1, restart: 1, snapshot: 1, restore: 1 }, looks: true, deep: true },
  'spot and retry': { budget: { userDelete: 1, kill: 1, retry: 1, repeat: 1, duplicate: 1 } },
  'forgotten token': { budget: { userDelete: 1, forget: 1, lost: 1, repeat: 1, kill: 1 } },
  'young, restored to nothing': { budget: { userDelete: 1, restoreToNothing: 1, lost: 1, repeat: 1 }, restores: 'any' },
  restore: { budget: { userDelete: 1, snapshot: 1, restore: 1, lost: 1 }, looks: true },
  'restore, two launches': { budget: { snapshot: 1, restore: 1, second: 1 }, looks: true, deep: true },
  'restore, retry': { budget: { snapshot: 1, restore: 1, retry: 1 }, looks: true },
  'restore, duplicate': { budget: { snapshot: 1, restore: 1, duplicate: 1 }, looks: true },
  'restore around a delete': {
    budget: { userDelete: 1, snapshot: 1, restore: 1, lateDelete: 1 },
    looks: true,
    exceptions: everywhere('P5'),
  },
  'restore around a write': {
    budget: { userDelete: 1, snapshot: 1, restore: 1, repeat: 1 },
    restores: 'any',
    looks: true,
    exceptions: { ...everywhere('P1', 'P4'), 'claim-name': ['P4'] },
  },
  'taken over, begun': { predecessor: 'began', budget: { userDelete: 1, lost: 1 } },
  'taken over, created': {
    predecessor: 'created',
    budget: { userDelete: 1, second: 1 },
    providers: ['claim-name'],
  },
  'taken over, launched': {
    predecessor: 'launched',
    budget: { userDelete: 1, lost: 1, second: 1, duplicate: 1 },
    providers: ['claim-name'],
  },
  'taken over, Ready': {
    predecessor: 'ready',
    budget: { userDelete: 1, lost: 1, second: 1, lateDelete: 1 },
    providers: ['claim-name'],
  },
  'late beyond the bound': {
    budget: { userDelete: 1, late: 1 },
    lateness: 'unbounded',
    exceptions: { ...everywhere('P1', 'P4'), 'claim-name': ['P4'] },
  },
  base: { budget: base, deep: true },
  'base, late': { budget: { ...base, lost: 0, late: 1 }, lateness: 'bounded', deep: true },
  'base, late deletes': { budget: { ...base, lost: 0, lateDelete: 1 }, deep: true },
  'base, spot and retry': { budget: { ...base, lost: 0, kill: 1, retry: 1 }, deep: true },
  'restore, second launch': {
    budget: { userDelete: 1, snapshot: 1, restore: 1, second: 1, lost: 1 },
    looks: true,
    deep: true,
  },
  'restore, repeats': {
    budget: { userDelete: 1, snapshot: 1, restore: 1, lost: 1, repeat: 1, duplicate: 1 },
    looks: true,
    deep: true,
  },
  'three attempts': {
    budget: { userDelete: 1, lost: 2, second: 2, duplicate: 1 },
    attempts: 3,
    deep: true,
  },
};

export const cases: readonly Case[] = providers.flatMap((idempotency) =>
  Object.entries(shapes)
    .filter(([, { providers: fit }]) => fit === undefined || fit.includes(idempotency))
    .map(([name, { looks = false, deep = false, exceptions = {}, providers: _, ...shape }]) => ({
      ...shape,
      name: `${name} / ${idempotency}`,
      idempotency,
      looks,
      deep,
      exceptions: exceptions[idempotency] ?? [],
    })),
);
