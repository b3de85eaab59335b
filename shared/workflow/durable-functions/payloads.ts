/** What travels through histories on this platform alone. All of it is JSON, and old histories hold old payloads: add, never change. */

import type { ActivityPayload } from '../payloads.ts';
import type { Item } from '../progress.ts';
import type { CallCommand, PollCommand } from '../vocabulary.ts';

/** What a function that does many steps is called with. */
export interface StepCall extends ActivityPayload {
  activity: string;
}

export interface StepPayload {
  id: string;
  /** As that of the orchestration that it belongs to. */
  routed?: true;
  command: CallCommand | PollCommand;
  item: Item;
}

/** What an instance says of itself, readable without its history. */
export interface CustomStatus {
  waitingFor?: string;
  /** How it ended, where that is not what the platform calls it. */
  status?: 'failed' | 'mismatched' | 'set-aside';
  error?: string;
}
