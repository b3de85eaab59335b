/** What a call ends with while the function can't do anything for its configuration. */
export class MisconfiguredError extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'MisconfiguredError';
  }
}
