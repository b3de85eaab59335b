/**
 * What a provider reports besides its answers: calls to its cloud, machines, look-ups that were saved, and whether the cloud answers at
 * all. A host makes metrics and a check of it.
 */
export interface CloudReports {
  /** @param code What the cloud answered with, where it refused or did not answer. */
  called(command: string, code?: string): void;
  created(seconds: number): void;
  deleted(): void;
  /** A look-up that was answered from memory, or was not. */
  lookedUp(fromMemory: boolean): void;
  /** Undefined: it answers. */
  answers(problem: string | undefined): void;
}

const nothing = (): void => undefined;

export const noReports: CloudReports = {
  called: nothing,
  created: nothing,
  deleted: nothing,
  lookedUp: nothing,
  answers: nothing,
};
