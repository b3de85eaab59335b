/** The server of `poolwright provider` from its bundle, and a bare one, each in a process of its own; and calls to them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Channel, openChannel, type TlsFiles } from '../../shared/drivers/grpc/channel.ts';
import { issueCertificate, makeAuthority } from '../../shared/net/certificates/certificates.ts';
import { builtCommand } from './command-times.ts';
import { endProcess, mustStay } from './end-process.ts';
import { rememberProcess } from './leftovers.ts';

export interface ServerProcess {
  readonly channel: Channel;
  /** Resident memory in MB. */
  memory(): number;
  end(): Promise<void>;
}

/** Certificates for both sides, in a folder as Kubernetes mounts one. */
export function writeCertificates(folder: string): { directory: string; tls: TlsFiles } {
  const validity = { from: Date.now() - 60_000, to: Date.now() + 86_400_000 };
  const authority = makeAuthority({ commonName: 'bench' }, validity);
  const directory = join(folder, 'tls');
  mkdirSync(directory);
  const { key, cert } = issueCertificate(authority, { commonName: 'localhost', dns: ['localhost'] }, validity);
  const files = { 'tls.key': key, 'tls.crt': cert, 'ca.crt': authority.cert };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  const at = (name: string): string => join(directory, name);
  return { directory, tls: { ca: at('ca.crt'), cert: at('tls.crt'), key: at('tls.key') } };
}

export async function startProvider(folder: string, directory: string, tls: TlsFiles): Promise<ServerProcess> {
  const where = ['--listen', '127.0.0.1', '--port', '0', '--health-port', '0', '--tls-dir', directory];
  const args = [await builtCommand(), 'provider', '--type', 'mock', ...where, '--state-file', join(folder, 'mock.db')];
  // The limit is on, and out of reach.
  const env = {
    ...process.env,
    RATE_LIMIT_QPS: '1000000',
    RATE_LIMIT_BURST: '1000000',
    VIRTRIGAUD_PROVIDER_ALLOWED_SANS: 'localhost',
  };
  return startServer('the provider server', args, env, tls);
}

export const startBare = (folder: string, directory: string, tls: TlsFiles): Promise<ServerProcess> =>
  startServer(
    'the bare server',
    [fileURLToPath(new URL('../bare/provider-process.ts', import.meta.url)), directory, join(folder, 'bare.db')],
    process.env,
    tls,
  );

async function startServer(
  name: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  tls: TlsFiles,
): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  if (child.pid === undefined || child.stdout === null) throw new Error(`${name} could not be started`);
  rememberProcess(child.pid);
  mustStay(child, name);
  const port = await new Promise<number>((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const said = JSON.parse(line) as { port?: number };
      if (said.port !== undefined) resolve(said.port);
    });
  });
  const channel = openChannel({ address: `localhost:${port}`, tls });
  return {
    channel,
    memory: () =>
      Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024,
    end: () => {
      channel.close();
      return endProcess(child, 'SIGTERM');
    },
  };
}

/** Calls per second, with so many under way at once. */
export async function describePerSecond({ channel }: ServerProcess, calls: number, atOnce = 32): Promise<number> {
  const signal = new AbortController().signal;
  let left = calls;
  const from = performance.now();
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await channel.call('Describe', { id: 'vm-1' }, { seconds: 10, signal });
      if (!answer.ok) throw new Error(answer.said.details);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return calls / ((performance.now() - from) / 1000);
}
