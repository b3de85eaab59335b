/** What was thrown, as text: the message of an Error, and anything else as it prints. */
export const errorText = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
