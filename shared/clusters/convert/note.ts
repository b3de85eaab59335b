/** What a conversion did, or could not do, field by field. */

export interface Note {
  /**
   * `changed`: written differently. `removed`: it has no successor. `problem`: only its author can put it right. `advice`: it is valid, and
   * will hardly do what was meant.
   */
  kind: 'changed' | 'removed' | 'problem' | 'advice';
  /** As it was written, like `spec.osDisk.sizeGb`. */
  field: string;
  text: string;
}

export type Notes = (kind: Note['kind'], field: string, text: string) => void;

export interface Converted {
  /** In the shape of today. What was given is not touched. */
  object: { [field: string]: unknown };
  notes: Note[];
}

export type Fields = { [field: string]: unknown };
