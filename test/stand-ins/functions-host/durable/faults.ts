/** What may go wrong between the host and its storage; a test says when. */

/** Where the process may be lost: nothing of what comes after the point has happened, all before it has. */
export type FaultPoint =
  /** An activity was taken from the queue and has not run. */
  | 'before-activity'
  /** It has run, with all its effects; its result is not recorded. */
  | 'after-activity'
  /** The orchestrator was asked for its next actions; nothing is recorded. */
  | 'before-checkpoint'
  /** What it schedules was sent; the history does not know. The repeated turn sends it again. */
  | 'after-send';

export interface DurableFaults {
  /** True when the process is lost at this point. Whatever it does until then has happened at this point. */
  loses?(point: FaultPoint, name: string): boolean | Promise<boolean>;
  /** How often the result of an activity is delivered; 1 unless told otherwise. */
  completions?(name: string): number;
  /** True when an activity that has just run is run once more, as after a lost lease. */
  repeats?(name: string): boolean;
  /** When the copies of an external event arrive, in milliseconds from now: `[0]` unless told otherwise. */
  eventDelays?(name: string): number[];
  /** How far the clock of the worker that takes a turn is ahead, in milliseconds; 0 unless told otherwise. */
  clockAhead?(): number;
}

/** The process that ran the functions is gone. */
export class ProcessLost extends Error {
  override readonly name = 'ProcessLost';

  constructor(point: FaultPoint, name: string) {
    super(`the process was lost ${point} of ${name}`);
  }
}
