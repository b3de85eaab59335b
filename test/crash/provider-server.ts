/** The provider server of the crash test: `poolwright provider` in a process of its own, always on the same port, killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));

export interface ProviderServer {
  /** kill -9, at once; resolves when the process is gone. */
  kill(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}

/** @param file Where the mock keeps its machines, which outlive the process. */
export function startProviderServer(
  directory: string,
  { file, port, taskTime }: { file: string; port: number; taskTime: number },
): ProviderServer {
  const log = createWriteStream(join(directory, 'provider.log'), { flags: 'a' });
  const flags = ['--type', 'mock', '--insecure', '--listen', '127.0.0.1', '--tls-dir', join(directory, 'no-tls')];
  let child: ChildProcess;
  const start = (): void => {
    const args = [cli, 'provider', ...flags, '--port', String(port), '--health-port', '0', '--state-file', file];
    child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        MOCK_SEEDED: 'false',
        MOCK_TASK_TIME: String(taskTime),
        RATE_LIMIT_QPS: '1000',
        RATE_LIMIT_BURST: '1000',
      },
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    if (ending.exitCode !== null || ending.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      ending.once('exit', () => resolve());
      ending.kill(signal);
    });
  };
  start();
  return { kill: () => end('SIGKILL'), start, stop: () => end('SIGTERM') };
}
