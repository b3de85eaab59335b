/**
 * From "every so many seconds" to the six fields of a timer trigger: second, minute, hour, day, month, day of the week. Such an
 * expression starts anew with every minute, hour or day, so only what divides these evenly keeps its distance.
 */

const sixtieths = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];
const hoursOfDay = [1, 2, 3, 4, 6, 8, 12];
const minute = 60;
const hour = 3600;
const day = 86_400;

export interface Tick {
  schedule: string;
  /** The distance between two ticks: at most what was asked for. */
  seconds: number;
}

/**
 * @param offset A second of the minute at which to tick, so that not everything begins at once. Shorter distances take the
 * rest of it.
 */
export function everySeconds(seconds: number, offset = 0): Tick {
  if (seconds < minute) {
    const step = largest(sixtieths, seconds);
    return { schedule: `${from(offset % step, step)} * * * * *`, seconds: step };
  }
  if (seconds < hour) {
    const step = largest(sixtieths, seconds / minute);
    return { schedule: `${offset % minute} ${from(0, step)} * * * *`, seconds: step * minute };
  }
  if (seconds < day) {
    const step = largest(hoursOfDay, seconds / hour);
    return { schedule: `${offset % minute} 0 ${step === 1 ? '*' : `*/${step}`} * * *`, seconds: step * hour };
  }
  return { schedule: `${offset % minute} 0 0 * * *`, seconds: day };
}

const largest = (steps: readonly number[], most: number): number => steps.findLast((step) => step <= most) ?? 1;

/** Of a field with sixty values. */
function from(first: number, step: number): string {
  if (step === 1) return '*';
  return first === 0 ? `*/${step}` : `${first}-59/${step}`;
}
