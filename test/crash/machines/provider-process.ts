/** The provider server of the crash test: the mock in a process of its own, over a file that outlives it. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../free-ports.ts';

const cli = fileURLToPath(new URL('../../../cli/poolwright.js', import.meta.url));

export interface ProviderProcess {
  readonly endpoint: string;
  /** kill -9, and at once another one at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** More calls than a run has: its limit is not what is tested here. */
const env = { RATE_LIMIT_QPS: '1000', RATE_LIMIT_BURST: '2000', LOG_LEVEL: 'info' };

export async function startProviderProcess(base: string, stateFile: string): Promise<ProviderProcess> {
  const [port, healthPort] = (await freePorts(2)) as [number, number];
  const where = ['--listen', '127.0.0.1', '--port', String(port), '--health-port', String(healthPort)];
  const args = [cli, 'provider', '--type', 'mock', '--insecure', ...where, '--state-file', stateFile];
  const log = createWriteStream(join(base, 'provider.log'), { flags: 'a' });
  const begin = () => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    return child;
  };
  let child = begin();
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await gone;
  };
  return {
    endpoint: `tcp://127.0.0.1:${port}`,
    async restart() {
      await end();
      child = begin();
    },
    stop: end,
  };
}
