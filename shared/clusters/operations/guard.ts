/** What the caller of a deletion says about a delete guard. `keep`: the cluster stays. `lift`: the guard goes, and so does the cluster. */
export const guardWords = ['keep', 'lift'] as const;
export type GuardWord = (typeof guardWords)[number];
