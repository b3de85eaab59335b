/** What will become of a machine, decided when it is asked for: the cloud's usual times, and the faults that strike it. */
import type { MachineFault } from '../kit/faults.ts';
import type { CreateInstance, Plan } from './instance.ts';
import type { CloudSettings } from './settings.ts';

export function planFor(
  request: CreateInstance,
  settings: CloudSettings,
  faults: readonly MachineFault[],
  start: number,
): Plan {
  const after = (seconds: number) => start + Math.round(seconds * 1000);
  const plan: Plan = {
    runningAt: after(request.bootSeconds ?? settings.bootSeconds),
    registerSeconds: settings.registerSeconds,
    readySeconds: settings.readySeconds,
    gpuSeconds: settings.gpuSeconds,
    startupTaintSeconds: settings.startupTaintSeconds,
    vanishAt: null,
    noticeAt: null,
    noticed: false,
    interruptAt: null,
  };
  for (const fault of faults) {
    if (fault.kind === 'never-running' || fault.kind === 'operation-fails') plan.runningAt = null;
    else if (fault.kind === 'never-registers') plan.registerSeconds = null;
    else if (fault.kind === 'never-ready') plan.readySeconds = null;
    else if (fault.kind === 'vanish') plan.vanishAt = after(fault.afterSeconds);
    else {
      plan.noticeAt = after(fault.afterSeconds);
      plan.interruptAt = after(fault.afterSeconds + fault.noticeSeconds);
    }
  }
  return plan;
}
