/** Processes that the kube bench starts and watches: what they cost, as the kernel counts it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../shared/base/defined.ts';
import { startGuarded } from '../../test/kube/guarded-process.ts';

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

/** Its output goes to a file, as a service's would; a pipe would make the bench its reader. It ends with the bench, however that ends. */
export async function startMeasured({ name, command, args, env, log, upWhen }: Started): Promise<Measured> {
  writeFileSync(log, '');
  const guarded = await startGuarded('sh', ['-c', 'exec "$@" >"$0" 2>&1', log, command, ...args], {
    logFile: `${log}.guard`,
    ...defined({ env }),
  });
  const life = { ended: false, toldToEnd: false };
  void guarded.ended.then(() => {
    life.ended = true;
  });
  for (const started = Date.now(); !readFileSync(log, 'utf8').includes(upWhen); await pause(50)) {
    const late = Date.now() - started > upWithinSeconds * 1000;
    const why = life.ended ? 'has ended' : late ? 'is not up' : '';
    if (why !== '') throw new Error(`${name} ${why}:\n${readFileSync(log, 'utf8').slice(-2000)}`);
  }
  // Nobody would go on with what the bench waits for.
  void guarded.ended.then(() => {
    if (!life.toldToEnd) throw new Error(`${name} has ended unexpectedly`);
  });
  const { pid } = guarded;
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
    end: () => {
      life.toldToEnd = true;
      return guarded.stop();
    },
  };
}
