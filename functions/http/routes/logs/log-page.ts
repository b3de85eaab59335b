/** What a host can tell of its own log. */
import type { LogLevel } from '../../../../shared/observe/log/log.ts';

export interface LogQuery {
  cluster?: string;
  /** The name of a claim; lines that only know its uid count too. */
  claim?: string;
  /** Of claims, in addition to those that go by the name. */
  uids: readonly string[];
  /** `key/epoch`. */
  workflow?: string;
  /** This one and those above. */
  level: LogLevel;
  /** In milliseconds. */
  since?: number;
  /** Without `after` the newest so many, else the next so many. */
  limit: number;
  after?: string;
}

export interface LogLine {
  [field: string]: unknown;
  time: string;
  level: string;
  event: string;
}

export interface LogPage {
  /** In the order in which they were written. */
  items: LogLine[];
  /** Goes on behind what was looked at: also there when nothing was found, so that it can be followed. */
  next: string;
  /** Of the claim that was asked for: whoever follows hands them back, because not every line knows the name. */
  uids: string[];
}

/** A host keeps its last lines itself, or knows where its platform keeps them and by which command they are had. */
export type Logs =
  | { read(query: LogQuery): Promise<LogPage> }
  | { elsewhere(query: LogQuery): { where: string; command: string } };

/** So that none is thought of twice. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];
