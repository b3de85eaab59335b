/** How a definition is named, and how ours are told from others. */

export const crdName = ({ plural, group }: { plural: string; group: string }): string => `${plural}.${group}`;

/** Says that a definition is ours, and from which release. Karpenter's carry no such mark. */
export const versionAnnotation = 'poolwright.dev/version';
