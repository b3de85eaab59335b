/**
 * The log: structured lines with a stable event id, the ids of whom they concern, and no secrets.
 *
 * Only activities, functions and hosts log. A workflow does not: it is replayed, and every replay would say it again.
 *
 * @example
 * const log = createLog({ level: 'info', pretty: process.stdout.isTTY });
 * log.child({ cluster: 'a', claim: 'web-x7', uid }).write('claim.ready', { seconds: 41 });
 */
import { type Clock, systemClock } from '../../base/runtime.ts';
import { redactSecrets } from '../../base/secrets/known-secrets.ts';
import { type LogEventId, type LogLevel, logEvents } from './events.ts';
import { prettyLine } from './pretty.ts';
import { redact } from './redact.ts';
import { writeToStandardOutput } from './standard-output.ts';

export type { LogEventId, LogLevel } from './events.ts';

/** Whom a line concerns. */
export interface LogIds {
  cluster?: string;
  claim?: string;
  /** Of a cluster: `team-a/web`. */
  request?: string;
  /** Of a virtual machine: `team-a/web`. */
  machine?: string;
  uid?: string;
  workflow?: string;
  provider?: string;
  function?: string;
}

/** What is particular about this time. Secrets are redacted by the name of their field; an Error keeps its stack. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  /** Level and text come from the catalog in `log-events.ts`. */
  write(event: LogEventId, fields?: LogFields): void;
  /** A log whose every line carries these ids too. */
  child(ids: LogIds): Log;
}

export interface LogOptions {
  level: LogLevel | 'silent';
  /** Lines for people instead of JSON. */
  pretty: boolean;
  color?: boolean;
  /** Takes whole lines, newline included. Standard output when absent. */
  sink?: (line: string) => void;
  /** Gets every line too, always as JSON: where lines are kept. It must not throw. */
  keep?: (line: string) => void;
  clock?: Clock;
}

/** These name the line itself, so a field of the same name must not be able to take their place. */
const reserved = new Set(['event', 'level', 'time', 'msg']);

const ranks = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<
  LogOptions['level'],
  number
>;

export function createLog(options: LogOptions): Log {
  const { keep, clock = systemClock } = options;
  const raw = options.sink ?? writeToStandardOutput;
  const show = options.pretty ? (line: string) => raw(prettyLine(line, options.color ?? false)) : raw;
  const least = ranks[options.level];

  const wrap = (ids: LogIds): Log => ({
    write: (event, fields) => {
      const { level, text, code } = logEvents[event];
      if (ranks[level] < least) return;
      const time = new Date(clock.now()).toISOString();
      const said = { event, ...safeFields(fields), ...codeOf(code, fields), ...ids };
      // Once more over the whole line: a name or a key may be foreign too.
      const line = `${redactSecrets(JSON.stringify({ level, time, ...said, msg: text }))}\n`;
      keep?.(line);
      show(line);
    },
    child: (more) => wrap({ ...ids, ...more }),
  });
  return wrap({});
}

/** The word under which the catalog of errors explains the line. */
function codeOf(code: string | undefined, fields: LogFields | undefined): { code?: string } {
  const known = code === 'reason' ? fields?.reason : code;
  return typeof known === 'string' ? { code: known } : {};
}

function safeFields(fields: LogFields | undefined): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const [key, value] of Object.entries((redact(fields ?? {}) ?? {}) as Record<string, unknown>)) {
    safe[reserved.has(key) ? `${key}_` : key] = value;
  }
  return safe;
}

/** Says nothing. */
export const silentLog: Log = { write: () => undefined, child: () => silentLog };

export interface CollectedLine {
  event: LogEventId;
  ids: LogIds;
  fields: LogFields;
}

/** Keeps its lines, for tests. */
export function collectingLog(): Log & { lines: CollectedLine[] } {
  const lines: CollectedLine[] = [];
  const wrap = (ids: LogIds): Log => ({
    write: (event, fields = {}) => void lines.push({ event, ids, fields }),
    child: (more) => wrap({ ...ids, ...more }),
  });
  return { ...wrap({}), lines };
}
