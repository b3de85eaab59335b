/** Processes that the kube bench starts and watches: what they cost, as the kernel counts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess, mustStay } from '../harness/end-process.ts';
import { rememberProcess } from '../harness/leftovers.ts';

export interface Measured {
  readonly pid: number;
  /** Processor time since its start. */
  cpuSeconds(): number;
  /** Resident now, in MB. */
  memoryMegabytes(): number;
  end(): Promise<void>;
}

export interface Started {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  log: string;
  /** Up when its log has this text. */
  upWhen: string;
}

/** The kernel's clock ticks; USER_HZ is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;
const upWithinSeconds = 60;

/** Its output goes to a file, as a service's would; a pipe would make the bench its reader. */
export async function startMeasured({ name, command, args, env, log, upWhen }: Started): Promise<Measured> {
  const output = openSync(log, 'w');
  const child = spawn(command, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
  closeSync(output);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started`);
  rememberProcess(pid);
  await untilUp(child, name, log, upWhen);
  mustStay(child, name);
  return {
    pid,
    cpuSeconds: () => {
      // The second field is the command in brackets and may hold spaces, so counting begins after it.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    memoryMegabytes: () => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
    },
    end: () => endProcess(child, 'SIGKILL'),
  };
}

async function untilUp(child: ChildProcess, name: string, log: string, text: string): Promise<void> {
  for (const started = Date.now(); !readFileSync(log, 'utf8').includes(text); await pause(50)) {
    const why =
      child.exitCode !== null ? 'has ended' : Date.now() - started > upWithinSeconds * 1000 ? 'is not up' : '';
    if (why !== '') throw new Error(`${name} ${why}:\n${readFileSync(log, 'utf8').slice(-2000)}`);
  }
}
