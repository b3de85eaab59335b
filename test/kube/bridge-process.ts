/** `poolwright bridge` as a process of its own, which can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface BridgeProcess {
  readonly lines: { event: string; [field: string]: unknown }[];
  /** The address of its probes, as soon as it is up. */
  readonly probes: Promise<string>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

const entry = join(import.meta.dirname, '../../cli/poolwright.js');

/** With probes on a free port; ended with the test. */
export function startBridgeProcess(args: readonly string[]): BridgeProcess {
  const child: ChildProcess = spawn(process.execPath, [entry, 'bridge', '--probes', '127.0.0.1:0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const lines: BridgeProcess['lines'] = [];
  const probes = Promise.withResolvers<string>();
  // Whoever does not ask for the probes does not have to hear that there are none.
  probes.promise.catch(() => undefined);
  let rest = '';
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const line: BridgeProcess['lines'][number] = JSON.parse(part);
      lines.push(line);
      if (line.event === 'bridge.started') probes.resolve(String(line.probes));
    }
  });
  void ended.then(() => probes.reject(new Error(`the bridge ended: ${complaint}`)));
  const kill = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  onTestFinished(async () => {
    await kill('SIGKILL');
  });
  return { lines, probes: probes.promise, kill };
}
