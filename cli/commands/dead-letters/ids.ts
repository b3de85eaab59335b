/** `42`, or as `-o name` writes it, `deadletter/42`. What a broker of others calls a message may hold slashes too. */
export const idIn = (word: string): string => word.replace(/^(deadletters?|dead-letters?|dl)\//i, '');
