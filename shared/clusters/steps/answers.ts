/** What activities answer to the workflows. Plain data: it goes through a journal. */
import type { Stage } from '../request/stages.ts';

/** It can't be said or done now; the workflow waits and asks again. */
export type Again = { do: 'again'; seconds: number; why: string };

export type BeginResult =
  /** There is work: these stages, in this order. */
  | { do: 'go'; attempt: number; stages: { stage: Stage; deadlineSeconds: number }[] }
  /** There is none, or somebody else does it. `failed`: the request cannot be carried out, which somebody wants to be told. */
  | { do: 'end'; why: string; failed?: boolean }
  | Again;

export type StageResult =
  | { do: 'ready' }
  | { do: 'failed'; code: string }
  /** The request has changed, or is no longer ours to carry out: begin again, and see. */
  | { do: 'stop'; why: string };

export type FinishResult = { do: 'done' } | { do: 'stop'; why: string } | Again;

export type BeginRemovalResult = { do: 'go' } | { do: 'provision-runs' } | { do: 'end'; why: string } | Again;

export type RemovalResult = { do: 'clean' } | { do: 'stop'; why: string };

export type ReleaseResult = { do: 'released' } | { do: 'left'; why: string } | Again;

export type NotifyResult = { do: 'told' } | Again;
