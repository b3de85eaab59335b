/**
 * The simulated cloud and cluster in a process of their own. It also looks on for the bench: inside the process a look at a
 * change costs next to nothing, while one more watch over HTTP would take time from what is measured.
 */
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import { startWorld } from '../../sim/scenes/sim.ts';
import { CallCounter, type Calls } from './calls.ts';

export interface Counted {
  /** Objects that are there now. */
  claims: number;
  launched: number;
  ready: number;
  nodes: number;
  readyNodes: number;
  instances: number;
}

export type Question =
  | { ask: 'count' }
  | { ask: 'until'; what: keyof Counted; is: number }
  | { ask: 'calls'; agent: string }
  | { ask: 'reset-calls' }
  | { ask: 'create-latencies' };

export interface Answers {
  count: Counted;
  /** The time (of the wall clock) when it came true. */
  until: number;
  calls: Calls;
  'reset-calls': null;
  /** Milliseconds from a claim's commit to the cloud's create call for it, one for each claim, in the order of the calls. */
  'create-latencies': number[];
}

interface Settings {
  directory: string;
  cloud: object;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
const calls = new CallCounter();
const world = await startWorld({ directory: settings.directory, cloud: settings.cloud });
const { objects } = world.cluster.store;

const ids = { launched: new Set<string>(), ready: new Set<string>(), readyNodes: new Set<string>() };
const storedAt = new Map<string, number>();
let waits: { what: keyof Counted; is: number; done: (at: number) => void }[] = [];

const count = (): Counted => ({
  claims: objects.count('nodeclaims.karpenter.sh'),
  launched: ids.launched.size,
  ready: ids.ready.size,
  nodes: objects.count('nodes'),
  readyNodes: ids.readyNodes.size,
  instances: world.cloud.living,
});

function tellWaiting(): void {
  if (waits.length === 0) return;
  const counted = count();
  const done = waits.filter(({ what, is }) => counted[what] === is);
  if (done.length === 0) return;
  waits = waits.filter((wait) => !done.includes(wait));
  for (const wait of done) wait.done(Date.now());
}

/** Looks at the conditions of every changed object of a kind. */
function follow(storage: string, sets: Record<string, Set<string>>, onAdded: (name: string) => void): void {
  const { hub } = objects;
  hub.add({
    storage,
    tell: ({ type, object }) => {
      const { name, uid } = object.metadata;
      if (type === 'ADDED') onAdded(name);
      const { status } = object as { status?: { conditions?: { type: string; status: string }[] } };
      for (const [condition, set] of Object.entries(sets)) {
        const isTrue = status?.conditions?.some((one) => one.type === condition && one.status === 'True') ?? false;
        if (isTrue && type !== 'DELETED') set.add(uid);
        else set.delete(uid);
      }
    },
    flush: tellWaiting,
    bookmark: () => {},
    end: () => {},
  });
  for (const { object } of objects.list(storage)) {
    const { status } = object as { status?: { conditions?: { type: string; status: string }[] } };
    for (const [condition, set] of Object.entries(sets)) {
      if (status?.conditions?.some((one) => one.type === condition && one.status === 'True')) {
        set.add(object.metadata.uid);
      }
    }
  }
}

follow('nodeclaims.karpenter.sh', { Launched: ids.launched, Ready: ids.ready }, (name) =>
  storedAt.set(name, Date.now()),
);
follow('nodes', { Ready: ids.readyNodes }, () => {});

async function answer(question: Question): Promise<Answers[keyof Answers]> {
  switch (question.ask) {
    case 'count':
      return count();
    case 'until':
      return new Promise((done) => {
        waits.push({ ...question, done });
        tellWaiting();
      });
    case 'calls':
      return calls.of(question.agent);
    case 'reset-calls':
      calls.reset();
      storedAt.clear();
      return null;
    case 'create-latencies':
      return world.cloud.ledger().flatMap(({ tags, createdAt }) => {
        const from = storedAt.get(tags[tagKeys.claim] ?? '');
        return from === undefined ? [] : [createdAt - from];
      });
  }
}

process.on('message', (message: { id: number; question: Question }) => {
  void answer(message.question).then((value) => process.send?.({ id: message.id, value }));
});
// The bench is gone: nobody is left to measure for.
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: { cluster: world.cluster.url, cloud: world.cloud.url } });
