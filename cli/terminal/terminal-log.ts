/** The log as a person reads it while the host runs: without what only machines need. */
import { defined } from '../../shared/base/defined.ts';
import { createLog, type Log, type LogLevel } from '../../shared/observe/log/log.ts';
import { prettyLine } from '../../shared/observe/log/pretty.ts';

/** The welcome says it better. */
const shownElsewhere = new Set(['host.started', 'host.stopping']);

export function createTerminalLog(options: {
  level: LogLevel | 'silent';
  color: boolean;
  write: (text: string) => void;
  keep?: (line: string) => void;
}): Log {
  const { level, color, write, keep } = options;
  const sink = (json: string): void => {
    const line = JSON.parse(json) as Record<string, unknown>;
    if (shownElsewhere.has(String(line.event))) return;
    // The name of the claim is enough to go on with; whoever needs these ids asks for debug or for JSON.
    const { uid: _uid, workflow, ...rest } = line;
    const short = level === 'debug' ? line : 'claim' in rest || workflow === undefined ? rest : { ...rest, workflow };
    write(prettyLine(JSON.stringify(short), color));
  };
  return createLog({ level, pretty: false, sink, ...defined({ keep }) });
}
