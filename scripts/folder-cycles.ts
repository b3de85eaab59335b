/**
 * Sibling folders that load each other. No two modules need to be in a cycle for that: it is enough that each folder has one
 * module above and one below the other, and then neither can be read, moved or tested without the other.
 */

export interface ImportingModule {
  source: string;
  dependencies: readonly { resolved: string; dependencyTypes: readonly string[] }[];
}

interface Edge {
  from: string;
  to: string;
  /** One import of the kind, to look at. */
  example: { from: string; to: string };
}

/** Tests may look behind every door; what they import puts nothing in a cycle. */
const isTest = (file: string): boolean => /\.test\.ts$|^(test|bench)\//.test(file);

/** The rooms of shared/ have an order of their own, which is stricter: rooms-point-down. */
const ordered = 'shared';

/** Every import that is part of a cycle between siblings. Types are not loaded, so they make no cycle. */
export function folderCycles(modules: readonly ImportingModule[]): { from: string; to: string }[] {
  const edges = new Map<string, Edge>();
  for (const { source, dependencies } of modules) {
    if (isTest(source)) continue;
    for (const { resolved, dependencyTypes } of dependencies) {
      const edge = dependencyTypes.includes('type-only') ? undefined : siblingEdge(source, resolved);
      if (edge) edges.set(`${edge.from} ${edge.to}`, edge);
    }
  }
  const next = new Map<string, string[]>();
  for (const { from, to } of edges.values()) next.set(from, [...(next.get(from) ?? []), to]);
  return [...edges.values()].filter(({ from, to }) => reaches(next, to, from)).map(({ example }) => example);
}

/** The two folders in which the paths part. Undefined where one of them is no folder, but a module beside it. */
function siblingEdge(source: string, target: string): Edge | undefined {
  const [one, other] = [source.split('/'), target.split('/')];
  const at = one.findIndex((part, index) => part !== other[index]);
  const isBetweenFolders = at < one.length - 1 && at < other.length - 1;
  if (at === -1 || !isBetweenFolders || one.slice(0, at).join('/') === ordered) return undefined;
  const folder = (parts: readonly string[]): string => parts.slice(0, at + 1).join('/');
  return { from: folder(one), to: folder(other), example: { from: source, to: target } };
}

function reaches(next: ReadonlyMap<string, readonly string[]>, start: string, goal: string): boolean {
  const seen = new Set([start]);
  for (const folder of seen) for (const to of next.get(folder) ?? []) seen.add(to);
  return seen.has(goal);
}
