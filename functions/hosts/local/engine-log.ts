/** The engine speaks in sentences; the product's log has a catalogue. Here the one becomes the other. */
import type { Log, LogEventId } from '../../../shared/log.ts';
import type { EngineLog } from '../../../shared/workflow/sqlite/options.ts';

export function engineLog(log: Log): EngineLog {
  const write = (event: LogEventId) => (fields: object, message: string) => log.write(event, { ...fields, message });
  return {
    debug: write('engine.detail'),
    info: write('engine.note'),
    warn: write('engine.warning'),
    error: write('engine.error'),
  };
}
