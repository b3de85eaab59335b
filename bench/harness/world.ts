/** The bench's handle on the process that simulates cloud and cluster. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CloudSettings } from '../../sim/cloud/settings.ts';
import type { Calls } from './calls.ts';
import { endProcess } from './end-process.ts';
import type { HostWorld } from './host.ts';
import { rememberProcess } from './leftovers.ts';
import type { Answers, Counted, Question } from './world-process.ts';

export interface WorldProcess {
  readonly pid: number;
  readonly clusterUrl: string;
  readonly cloudUrl: string;
  readonly providers: HostWorld['providers'];
  count(): Promise<Counted>;
  /** Resolves with the wall-clock time at which it came true. */
  until(what: keyof Counted, is: number): Promise<number>;
  calls(agent: string): Promise<Calls>;
  resetCalls(): Promise<void>;
  createLatencies(): Promise<number[]>;
  end(): Promise<void>;
}

export async function startWorldProcess(directory: string, cloud: Partial<CloudSettings>): Promise<WorldProcess> {
  const file = fileURLToPath(new URL('world-process.ts', import.meta.url));
  const child = fork(file, [JSON.stringify({ directory, cloud })], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  if (child.pid !== undefined) rememberProcess(child.pid);
  const { ask, ready } = talkTo(child);
  const { cluster, cloud: cloudUrl } = await ready;
  return {
    pid: child.pid ?? 0,
    clusterUrl: cluster,
    cloudUrl,
    providers: { sim: { type: 'sim', url: cloudUrl } },
    count: () => ask({ ask: 'count' }),
    until: (what, is) => ask({ ask: 'until', what, is }),
    calls: (agent) => ask({ ask: 'calls', agent }),
    resetCalls: async () => void (await ask({ ask: 'reset-calls' })),
    createLatencies: () => ask({ ask: 'create-latencies' }),
    end: () => endProcess(child, 'SIGKILL'),
  };
}

type Told = { ready: { cluster: string; cloud: string } } | { id: number; value: never };

function talkTo(child: ChildProcess) {
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let tellReady: (urls: { cluster: string; cloud: string }) => void;
  let failReady: (error: Error) => void;
  const ready = new Promise<{ cluster: string; cloud: string }>((resolve, reject) => {
    tellReady = resolve;
    failReady = reject;
  });
  child.on('message', (told: Told) => {
    if ('ready' in told) return tellReady(told.ready);
    open.get(told.id)?.resolve(told.value);
    open.delete(told.id);
  });
  child.on('exit', (code, signal) => {
    const error = new Error(`the simulated world has ended (${signal ?? code})`);
    failReady(error);
    for (const { reject } of open.values()) reject(error);
    open.clear();
  });
  const ask = <Q extends Question>(question: Q): Promise<Answers[Q['ask']]> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      open.set(id, { resolve, reject });
      child.send({ id, question });
    });
  return { ask, ready };
}
