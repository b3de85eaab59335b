/**
 * The types of Kubernetes objects come from `@kubernetes/client-node`, which reads times as Date. We read objects as they
 * came: on the wire a time is an RFC 3339 text.
 *
 * That client also renames fields that are not names in TypeScript (`x-kubernetes-…` of a schema, `continue`, `from`), and no
 * mapped type can give such a name back: those objects keep types of their own.
 */

/** `T` as it is in JSON. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer One)[]
    ? Wire<One>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

/**
 * The same for an object that we only look at, and that no schema of ours has checked: any field may be missing, and a time that
 * is not set may be null.
 */
export type Loose<T> = T extends Date
  ? string | null
  : T extends readonly (infer One)[]
    ? Loose<One>[]
    : T extends object
      ? { [Key in keyof T]?: Loose<T[Key]> }
      : T;
