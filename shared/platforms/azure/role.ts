/** A right in Azure that a provider needs, and why; and the role of our own that gives it. */
export interface AzureRight {
  readonly action: string;
  readonly why: string;
  /** Which file makes the call. */
  readonly usedIn: string;
}

/** Given at one place and no higher. */
export interface AzureRole {
  readonly title: string;
  readonly at: string;
  readonly rights: readonly AzureRight[];
}

/** What a provider brings: `azure-roles.ts` in its folder. By the names that the Bicep modules give the roles by. */
export type AzureRoles = Readonly<Record<string, AzureRole>>;
