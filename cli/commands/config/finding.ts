/** One mistake in a configuration or a manifest. */
export interface Finding {
  /** The file, or the variable. */
  where: string;
  line?: number;
  message: string;
  /** It is about a file or a variable of this machine, and may be no mistake on another one. */
  machine?: true;
}

/** `spec.requirements[2].key` and `metadata.annotations["a/b"]` as the keys on the way. */
export const pathParts = (path: string): (string | number)[] =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  );
