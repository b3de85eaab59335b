/** What every function for Lambda is compared with: one that does nothing. */
export const handler = async (): Promise<void> => undefined;
