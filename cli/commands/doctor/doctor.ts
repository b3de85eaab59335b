/** `poolwright doctor`: everything that can keep nodes from being made, looked at once. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { version } from '../../version.ts';
import { allLooks, type GroupedCheck } from './looks.ts';
import { openPatient, type PatientOptions } from './patient.ts';
import { progressOn } from './progress.ts';
import { report, summaryOf } from './report.ts';
import { looksAt } from './sections.ts';

export interface DoctorOptions extends PatientOptions {
  strict?: boolean;
  details?: boolean;
  output: DocumentFormat;
}

export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const progress = progressOn(terminal);
  const checks = await examine(options, progress.show);
  progress.end();
  const look = { color: terminal.color, columns: terminal.columns(), details: options.details };
  await printDocument(documentOf(checks), () => report(checks, look), options.output, terminal);
  const { fail, warn } = summaryOf(checks);
  return fail > 0 || (options.strict && warn > 0) ? exitCodes.failed : exitCodes.done;
}

export async function examine(
  options: PatientOptions,
  onProgress?: (done: number, all: number, open: readonly string[]) => void,
): Promise<GroupedCheck[]> {
  const patient = await openPatient(options);
  try {
    return await allLooks(looksAt(patient), onProgress === undefined ? {} : { onProgress });
  } finally {
    patient.close();
  }
}

/** Stable: scripts rely on it. */
export const documentOf = (checks: readonly GroupedCheck[]) => ({
  version,
  at: new Date(systemClock.now()).toISOString(),
  summary: summaryOf(checks),
  checks,
});
