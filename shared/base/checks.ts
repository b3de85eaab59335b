/** What a check found: for `doctor`, and for whoever asks a host or a provider whether it can work. */
export interface Check {
  /** What `doctor` lists it under, where that is not what was asked. */
  readonly group?: string;
  /** What was looked at, for people and for programs: `cluster production: rights`. */
  readonly name: string;
  /** `warn`: it works, but somebody should know. */
  readonly state: 'pass' | 'warn' | 'fail';
  readonly message: string;
  /** Its entry in the catalog of errors. */
  readonly code?: string;
  /** A command or a step that mends it. */
  readonly repair?: string;
}
