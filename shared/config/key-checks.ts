/** Whether the keys of clusters and callers tell them apart. */
import { asObject } from '../base/json.ts';
import { hostTokenName } from '../identity/callers.ts';
import type { CrossProblem } from './cross-checks.ts';

interface Holder {
  /** For the message. */
  who: string;
  path: string[];
  fields: Record<string, unknown>;
  lists: readonly string[];
}

/** A key that two clusters have would let each of them speak of the other; one that two callers have would hide who did something. */
export function keyProblems(clusters: Record<string, unknown>, callers: Record<string, unknown>): CrossProblem[] {
  const holders: Holder[] = [
    ...Object.entries(clusters).map(([name, cluster]) => ({
      who: `cluster "${name}"`,
      path: ['clusters', name, 'intake'],
      fields: asObject(asObject(cluster)?.intake) ?? {},
      lists: ['tokens', 'pathSecrets'],
    })),
    ...Object.entries(callers).map(([name, caller]) => ({
      who: `caller "${name}"`,
      path: ['http', 'callers', name],
      fields: asObject(caller) ?? {},
      lists: ['tokens'],
    })),
  ];
  const taken = {
    path: ['http', 'callers', hostTokenName],
    message: "is the name that the audit log gives to the holder of the host's own token; use another name",
  };
  return [...sharedKeys(holders), ...(Object.hasOwn(callers, hostTokenName) ? [taken] : [])];
}

function sharedKeys(holders: readonly Holder[]): CrossProblem[] {
  const owners = new Map<string, string>();
  const problems: CrossProblem[] = [];
  for (const { who, path, fields, lists } of holders) {
    for (const list of lists) {
      const keys = Array.isArray(fields[list]) ? (fields[list] as unknown[]) : [];
      for (const [index, key] of keys.entries()) {
        if (typeof key !== 'string') continue;
        const owner = owners.get(key) ?? who;
        owners.set(key, owner);
        if (owner === who) continue;
        const message = `is also a key of ${owner}; each cluster and each caller needs its own keys, because a key identifies its holder`;
        problems.push({ path: [...path, list, index], message });
      }
    }
  }
  return problems;
}
