/** What a platform's engine tells people of one workflow. */
import type { Json } from '../base/json.ts';
import type { WorkflowInfo } from './contract.ts';

/** One command of a workflow that has ended. */
export interface WorkflowStep {
  step: number;
  command: string;
  ok: boolean;
  value?: Json;
  error?: string;
  at: number;
}

export interface WorkflowHistory extends WorkflowInfo {
  group: string;
  input: Json;
  history: WorkflowStep[];
  /** The mailbox keeps them, not the history. */
  signals: string[];
}
