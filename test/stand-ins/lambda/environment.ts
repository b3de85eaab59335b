/** The process of one environment: loads a bundle and runs its handler for each invocation that its parent sends. */
import { pathToFileURL } from 'node:url';
import type { InvocationContext } from './contract.ts';

export interface ToEnvironment {
  event: unknown;
  context: Omit<InvocationContext, 'killed' | 'getRemainingTimeInMillis'>;
  remainingMs: number;
}

export type FromEnvironment = { result: unknown } | { error: { name: string; message: string } };

const [, , file = '', handlerName = 'handler'] = process.argv;
let handler: Promise<unknown> | undefined;

process.on('message', (message: ToEnvironment) => void serve(message));
// Nobody is left who could want anything.
process.on('disconnect', () => process.exit());

async function serve({ event, context, remainingMs }: ToEnvironment): Promise<void> {
  const end = performance.now() + remainingMs;
  try {
    // As the service does: loaded once, and tried again by the next invocation when it failed.
    handler ??= import(pathToFileURL(file).href).then((module: Record<string, unknown>) => module[handlerName]);
    const run = await handler;
    if (typeof run !== 'function') throw named('Runtime.HandlerNotFound', `${file} exports no ${handlerName}`);
    const whole = { ...context, getRemainingTimeInMillis: () => end - performance.now() };
    answer({ result: (await run(event, whole)) ?? null });
  } catch (error) {
    handler = undefined;
    const { name, message } = error instanceof Error ? error : named('Error', String(error));
    answer({ error: { name, message } });
  }
}

function answer(message: FromEnvironment): void {
  process.send?.(message);
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
