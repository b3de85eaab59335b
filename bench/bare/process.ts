/** The bare client in a process of its own, in the place of the host: it follows claims and makes the calls, nothing else. */
import { mkdirSync } from 'node:fs';
import { BareCalls } from './calls.ts';
import { openCommits } from './commits.ts';
import { BareLives } from './lives.ts';
import type { CallPlan } from './plan.ts';

interface Settings {
  cluster: string;
  cloud: string;
  /** Lives that are under way at once, as the host allows for one cluster. */
  concurrency: number;
  plan: CallPlan;
  /** Where to commit what the host commits; absent: nowhere. */
  commits?: string;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
if (settings.commits !== undefined) mkdirSync(settings.commits, { recursive: true });
const calls = new BareCalls(settings);
const readyNodes = new Set<string>();
const waiting = new Map<string, () => void>();
const lives = new BareLives({
  calls,
  plan: settings.plan,
  commit: settings.commits === undefined ? async () => {} : openCommits(settings.commits),
  nodeReady: (name) =>
    readyNodes.has(name) ? Promise.resolve() : new Promise((resolve) => waiting.set(name, resolve)),
});

const queue: (() => Promise<void>)[] = [];
let running = 0;
function go(): void {
  while (running < settings.concurrency) {
    const next = queue.shift();
    if (next === undefined) return;
    running++;
    void next().finally(() => {
      running--;
      go();
    });
  }
}

const launched = new Set<string>();
const ending = new Set<string>();
void calls.watch('claim', ({ type, object }) => {
  const { metadata } = object;
  if (type !== 'ADDED' && type !== 'MODIFIED') return;
  if (metadata.deletionTimestamp === undefined) {
    if (launched.has(metadata.uid)) return;
    launched.add(metadata.uid);
    queue.push(() => lives.launch(metadata));
  } else if (metadata.finalizers?.length && !ending.has(metadata.uid)) {
    ending.add(metadata.uid);
    queue.push(() => lives.terminate(metadata));
  }
  go();
});
void calls.watch('node', ({ type, object }) => {
  const { name } = object.metadata;
  const isReady = object.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
  if (type === 'DELETED') readyNodes.delete(name);
  else if (isReady) {
    readyNodes.add(name);
    waiting.get(name)?.();
    waiting.delete(name);
  }
});

process.on('unhandledRejection', (error) => {
  console.error(error);
  process.exit(1);
});
process.on('message', () => process.send?.({ failures: calls.failures }));
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
