/** Why a kubeconfig cannot be used: thrown while it is read, and turned into a value by its reader. */
export class Unusable extends Error {}
