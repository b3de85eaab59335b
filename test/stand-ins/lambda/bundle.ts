/**
 * Functions in processes of their own, as Lambda has environments: one is made when all others are busy, kept for the next
 * invocation, and may be killed at any moment. The bundle is loaded as it is deployed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { ProcessLost, type RunFunction } from './contract.ts';
import type { FromEnvironment, ToEnvironment } from './environment.ts';

export interface BundleOptions {
  /** The module, and the name of the handler that it exports (`handler` unless told otherwise). */
  file: string;
  handler?: string;
  /** All that the function sees; nothing of this process's own variables beside PATH and HOME. */
  env: Readonly<Record<string, string>>;
  /** How many environments there may be; further invocations wait for one. */
  maxEnvironments?: number;
  /** What a function writes, line by line as it comes. */
  onOutput?: (text: string) => void;
}

export interface Bundle {
  readonly run: RunFunction;
  /** Ids of the processes that live now. */
  pids(): number[];
  /** kill -9 of every environment; the next invocation makes a new one. */
  kill(): void;
  close(): Promise<void>;
}

interface Environment {
  child: ChildProcess;
  isBusy: boolean;
  isKilled: boolean;
}

/** @example startLambda({ functions: { steps: { run: bundle({ file: 'dist/aws/steps/index.mjs', env }).run } } }) */
export function bundle(options: BundleOptions): Bundle {
  const { maxEnvironments = 4 } = options;
  const environments = new Set<Environment>();
  const waiting: (() => void)[] = [];
  let isClosed = false;

  function begin(): Environment {
    const child = fork(new URL('./environment.ts', import.meta.url), [options.file, options.handler ?? 'handler'], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'json',
      execArgv: [],
    });
    const environment: Environment = { child, isBusy: true, isKilled: false };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => options.onOutput?.(text));
    }
    child.once('exit', () => {
      environments.delete(environment);
      waiting.shift()?.();
    });
    environments.add(environment);
    return environment;
  }

  async function take(): Promise<Environment> {
    for (;;) {
      if (isClosed) throw new Error('the stand-in is closed');
      const idle = [...environments].find(({ isBusy, isKilled, child }) => !isBusy && !isKilled && child.connected);
      if (idle) {
        idle.isBusy = true;
        return idle;
      }
      if (environments.size < maxEnvironments) return begin();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  const run: RunFunction = async (event, { killed, getRemainingTimeInMillis, ...context }) => {
    const environment = await take();
    const { child } = environment;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onMessage = (message: FromEnvironment): void => {
      if ('result' in message) resolve(message.result);
      else reject(Object.assign(new Error(message.error.message), { name: message.error.name }));
    };
    const onExit = (): void => reject(new ProcessLost('in the middle', context.functionName));
    const onKilled = (): void => void child.kill('SIGKILL');
    child.on('message', onMessage);
    child.once('exit', onExit);
    killed.addEventListener('abort', onKilled, { once: true });
    try {
      if (!child.connected) throw new ProcessLost('before-invocation', context.functionName);
      const order: ToEnvironment = { event, context, remainingMs: getRemainingTimeInMillis() };
      child.send(order, (error) => error && onExit());
      return await promise;
    } finally {
      child.off('message', onMessage);
      child.off('exit', onExit);
      killed.removeEventListener('abort', onKilled);
      environment.isBusy = false;
      waiting.shift()?.();
    }
  };

  const kill = (): void => {
    for (const environment of environments) {
      environment.isKilled = true;
      environment.child.kill('SIGKILL');
    }
  };
  return {
    run,
    pids: () => [...environments].flatMap(({ child }) => (child.pid === undefined ? [] : [child.pid])),
    kill,
    async close() {
      isClosed = true;
      const ended = [...environments].map(({ child }) => new Promise((resolve) => child.once('exit', resolve)));
      kill();
      await Promise.all(ended);
    },
  };
}
