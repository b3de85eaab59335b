/** Secrets of a function app may be references to a Key Vault, which the platform replaces before we see them. */

/** The platform leaves the reference as it is when it may not read the vault. */
export const isUnresolvedReference = (value: string): boolean => value.trimStart().startsWith('@Microsoft.KeyVault(');

export const unresolvedReferenceText =
  'is a Key Vault reference that the platform has not resolved; give the app\'s identity the role "Key Vault Secrets User" on the vault, check the name of the secret and the network of the vault, then restart the app';
