/**
 * The cap on instances per cluster. A claim takes a turn before it may buy and gives it back when nothing of it is left.
 *
 * Counting instances and then creating one more does not hold: a thousand claims would all count first. So the turns are
 * documents, each with room for a few claims, changed only by compare-and-set: together they have exactly as many places
 * as the cap. A claim starts at the document that its uid points to and goes round; a place is held by uid, so taking a
 * turn twice takes one. Two places for one uid (possible after a race) waste a place, never exceed the cap.
 */
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';

const placesPerDocument = 50;

/** How often one document is tried again when others change it at the same time. */
const maxRaces = 200;

type Document = { holders: string[] };

export async function takeTurn(services: LifecycleServices, cluster: ClusterServices, uid: string): Promise<boolean> {
  const cap = cluster.maxInstances;
  if (cap === undefined) return true;
  const count = Math.ceil(cap / placesPerDocument);
  for (const index of round(uid, count)) {
    const places = Math.min(placesPerDocument, cap - index * placesPerDocument);
    if (await takePlace(services, key(cluster.name, index), places, uid)) return true;
  }
  return false;
}

async function takePlace(services: LifecycleServices, document: string, places: number, uid: string): Promise<boolean> {
  for (let race = 0; race < maxRaces; race++) {
    const entry = await services.state.get<Document>(document);
    const holders = entry?.value.holders ?? [];
    if (holders.includes(uid)) return true;
    if (holders.length >= places) return false;
    const written = await services.state.put(
      document,
      { holders: [...holders, uid] },
      { ifVersion: entry?.version ?? null },
    );
    if (written !== undefined) return true;
  }
  return false;
}

/**
 * A turn for a claim that has bought already, beyond the cap if need be: it was bought before there was a cap, or the
 * state that held its turn is lost. Whoever comes after it finds that much less room.
 */
export async function keepTurn(services: LifecycleServices, cluster: ClusterServices, uid: string): Promise<void> {
  const cap = cluster.maxInstances;
  if (cap === undefined || (await takeTurn(services, cluster, uid))) return;
  const [index = 0] = round(uid, Math.ceil(cap / placesPerDocument));
  await takePlace(services, key(cluster.name, index), Number.POSITIVE_INFINITY, uid);
}

/** Whether every claim that has bought holds its turn. Before that, nobody knows how much room there is. */
export async function areTurnsCounted({ state }: LifecycleServices, cluster: ClusterServices): Promise<boolean> {
  return cluster.maxInstances === undefined || (await state.get(countedKey(cluster.name))) !== undefined;
}

/** After each claim was looked at. Without a cap turns are not kept: when there is one again, they are counted anew. */
export async function turnsCounted({ state }: LifecycleServices, cluster: ClusterServices): Promise<void> {
  const known = (await state.get(countedKey(cluster.name))) !== undefined;
  if (cluster.maxInstances === undefined && known) await state.delete(countedKey(cluster.name));
  if (cluster.maxInstances !== undefined && !known) await state.put(countedKey(cluster.name), true);
}

/** Idempotent; also finds places taken under a larger cap of an earlier configuration. */
export async function giveBackTurn(services: LifecycleServices, cluster: ClusterServices, uid: string): Promise<void> {
  if (cluster.maxInstances === undefined) return;
  for await (const { document, holders } of documents(services, cluster.name)) {
    if (holders.includes(uid)) await dropFrom(services, document, new Set([uid]));
  }
}

/** Every uid that holds a turn; the resync compares them to the claims and instances that exist. */
export async function turnHolders(services: LifecycleServices, cluster: ClusterServices): Promise<Set<string>> {
  const all = new Set<string>();
  for await (const { holders } of documents(services, cluster.name)) for (const uid of holders) all.add(uid);
  return all;
}

async function dropFrom(services: LifecycleServices, document: string, uids: ReadonlySet<string>): Promise<void> {
  for (let race = 0; race < maxRaces; race++) {
    const entry = await services.state.get<Document>(document);
    const holders = entry?.value.holders ?? [];
    const rest = holders.filter((uid) => !uids.has(uid));
    if (!entry || rest.length === holders.length) return;
    if (await services.state.put(document, { holders: rest }, { ifVersion: entry.version })) return;
  }
}

const countedKey = (cluster: string): string => `turns-counted/${cluster}`;
const prefix = (cluster: string): string => `turns/${cluster}/`;
const key = (cluster: string, index: number): string => prefix(cluster) + String(index).padStart(6, '0');

async function* documents(
  services: LifecycleServices,
  cluster: string,
): AsyncGenerator<{ document: string; holders: string[] }> {
  let after: string | undefined;
  do {
    const page = await services.state.list<Document>(prefix(cluster), { limit: 100, ...(after ? { after } : {}) });
    for (const entry of page.items) yield { document: entry.key, holders: entry.value.holders };
    after = page.next;
  } while (after !== undefined);
}

/** Document indexes in the order in which this uid tries them. */
function* round(uid: string, count: number): Generator<number> {
  let hash = 0;
  for (const letter of uid) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  for (let step = 0; step < count; step++) yield (hash + step) % count;
}
