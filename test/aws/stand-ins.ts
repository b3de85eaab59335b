/** Others' stand-ins for AWS, each a process of its own on a free port of loopback, which ends with ours. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../free-ports.ts';
import { type GuardedProcess, startGuarded } from '../kube/guarded-process.ts';
import { getPythonParts } from './python-parts.ts';

export interface AwsStandIn {
  /** @example http://127.0.0.1:4566 */
  endpoint: string;
  region: string;
  /** Any will do, and these are no secret. */
  credentials: { accessKeyId: string; secretAccessKey: string };
  pid: number;
  /** The end of what it wrote, for a test that failed. */
  log(): string;
  stop(): Promise<void>;
}

const region = 'eu-west-1';
const credentials = { accessKeyId: 'AKIAPOOLWRIGHTTEST00', secretAccessKey: 'not-a-secret' };
const readyMs = 60_000;
const lookEveryMs = 30;
const tries = 3;
const goodbyeMs = 5_000;

/** Variables of the developer's own account must not reach a stand-in, nor what it starts. */
const ownVariables = {
  AWS_DEFAULT_REGION: region,
  AWS_REGION: region,
  AWS_PROFILE: undefined,
  AWS_ENDPOINT_URL: undefined,
};

export interface Moto extends AwsStandIn {
  /** Lets time pass for what waits in it: messages out of sight, delays. */
  pass(seconds: number): Promise<void>;
}

/** @param env Its own switches. @example startMoto({ MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: '1' }) */
export async function startMoto(env: Record<string, string> = {}): Promise<Moto> {
  const python = (await getPythonParts()).program('python');
  const script = join(import.meta.dirname, 'moto_with_clock.py');
  const moto = await start(async (directory) => {
    const logFile = join(directory, 'log');
    const server = await startGuarded(python, [script, '-H', '127.0.0.1', '-p', '0'], {
      logFile,
      env: { ...ownVariables, PYTHONUNBUFFERED: '1', ...env },
    });
    const port = await until(server, () => /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(read(logFile))?.[1]);
    return { server, endpoint: `http://127.0.0.1:${port}`, logFile };
  });
  return {
    ...moto,
    pass: async (seconds) => {
      const answer = await fetch(`${moto.endpoint}/poolwright-test/clock?advance=${seconds}`);
      if (!answer.ok) throw new Error(`moto's clock answered ${answer.status}`);
      await answer.text();
    },
  };
}

/** Runs Lambda functions in processes of the Node on `PATH`. */
export async function startMinistack(env: Record<string, string> = {}): Promise<AwsStandIn> {
  const program = (await getPythonParts()).program('ministack');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(async (directory) => {
        const [port] = await freePorts(1);
        const logFile = join(directory, 'log');
        const endpoint = `http://127.0.0.1:${port}`;
        const server = await startGuarded(program, [], {
          logFile,
          env: {
            ...ownVariables,
            BIND_HOST: '127.0.0.1',
            GATEWAY_PORT: String(port),
            MINISTACK_REGION: region,
            TMPDIR: directory,
            S3_DATA_DIR: join(directory, 's3'),
            PYTHONUNBUFFERED: '1',
            ...env,
          },
        });
        const healthy = () =>
          fetch(`${endpoint}/_ministack/health`).then(
            async (answer) => (await answer.text()) !== '' && answer.ok,
            () => false,
          );
        await until(server, async () => ((await healthy()) ? true : undefined));
        return { server, endpoint, logFile };
      });
    } catch (error) {
      // A port that was free a moment ago may be taken by now.
      if (attempt === tries || !/already in use/.test(String(error))) throw error;
    }
  }
}

async function start(
  begin: (directory: string) => Promise<{ server: GuardedProcess; endpoint: string; logFile: string }>,
): Promise<AwsStandIn> {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-aws-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const { server, endpoint, logFile } = await begin(directory);
    return {
      endpoint,
      region,
      credentials,
      pid: server.pid,
      log: () => read(logFile).split('\n').slice(-40).join('\n'),
      stop: async () => {
        await end(server);
        process.off('exit', remove);
        remove();
      },
    };
  } catch (error) {
    process.off('exit', remove);
    remove();
    throw error;
  }
}

/** Asked first, because it may have started processes of its own that it must end. */
async function end(server: GuardedProcess): Promise<void> {
  try {
    process.kill(server.pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
  const waiting = new AbortController();
  await Promise.race([
    server.ended,
    pause(goodbyeMs, undefined, { signal: waiting.signal, ref: false }).catch(() => undefined),
  ]);
  waiting.abort();
  await server.stop();
}

/** Looks until there is an answer; an end of the server, or too long a wait, is an error with what it wrote. */
async function until<T>(server: GuardedProcess, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + readyMs;
  let over: string | undefined;
  void server.ended.then((text) => (over = text));
  for (;;) {
    const found = await look();
    if (over !== undefined) throw new Error(`the stand-in ended at its start: ${over}`);
    if (found !== undefined) return found;
    if (performance.now() > deadline) {
      await server.stop();
      throw new Error(`the stand-in was not ready after ${readyMs / 1000} s: ${over}`);
    }
    await pause(lookEveryMs);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not yet written.
    return '';
  }
}
