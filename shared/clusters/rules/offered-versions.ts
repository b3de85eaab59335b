/** Which versions of Kubernetes AKS supports. The best answer comes from Azure itself; this list is for when it can't be asked. */

export interface OfferedVersion {
  /** Like `1.35`. */
  minor: string;
  /** The last day of ordinary support. Absent: there is none any more. */
  ends?: string;
  /** The last day with long-term support. */
  longTermEnds?: string;
}

/** The day of what is supported without a known end. */
export const stillSupported = '9999-12-31';

export interface OfferedVersions {
  /** When it was true, and where: a date, or a location that was asked. */
  asOf: string;
  versions: readonly OfferedVersion[];
  /** Whatever is not in it is not offered. */
  complete?: true;
}

/** From the calendar of AKS. What is newer than its newest is not refused: AKS adds a version every few months. */
export const knownVersions: OfferedVersions = {
  asOf: 'August 2026',
  versions: [
    { minor: '1.33', ends: '2026-07-31', longTermEnds: '2027-07-31' },
    { minor: '1.34', ends: '2026-11-30', longTermEnds: '2027-11-30' },
    { minor: '1.35', ends: '2027-03-31', longTermEnds: '2028-03-31' },
    { minor: '1.36', ends: '2027-06-30', longTermEnds: '2028-06-30' },
  ],
};

/** `1.9` is older than `1.10`. */
export const minorNumber = (version: string): number => Number(version.split('.')[1] ?? Number.NaN);
