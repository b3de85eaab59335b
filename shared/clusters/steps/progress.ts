/** How far one stage has come, as its parts see it. */
import type { Failure } from '../../base/result.ts';
import type { Fault, Outputs } from '../drivers/contract.ts';

export type Progress =
  | { state: 'ready'; outputs: Outputs; uid?: string; registeredAs?: string; kubeconfigSecret?: string }
  | { state: 'pending'; waitingFor: string; fault?: Fault | undefined; outputs?: Outputs | undefined }
  | { state: 'failed'; fault: Fault; outputs?: Outputs | undefined }
  /** It exists and is not ours. */
  | { state: 'foreign'; whose: string };

/** Kinds of failure that no time heals by itself. */
const lasting = new Set(['invalid']);

/** A call that failed: it is tried again, unless what was sent can never be taken. */
export function failedCall(failure: Failure, what: string): Progress {
  const { kind, message, code, reason } = failure;
  const fault: Fault = {
    kind,
    code: reason ?? code ?? codeOf(kind),
    message: `${what}: ${message}`,
    final: lasting.has(kind),
  };
  return fault.final ? { state: 'failed', fault } : { state: 'pending', waitingFor: `${what} to succeed`, fault };
}

/** `not-ready` → `NotReady`. */
const codeOf = (kind: string): string =>
  kind.replace(/(^|-)([a-z])/g, (_, _dash: string, letter: string) => letter.toUpperCase());
