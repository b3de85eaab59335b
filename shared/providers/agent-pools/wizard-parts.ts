/** What the wizard knows of both kinds of agent pools. */
import type { Wizard } from '../wizard.ts';

export const azureCredentials: Wizard['credentials'] = (env, hasFile) => {
  if (env.AZURE_CLIENT_ID && (env.AZURE_CLIENT_SECRET || env.AZURE_FEDERATED_TOKEN_FILE)) return 'AZURE_CLIENT_ID';
  return hasFile('.azure/azureProfile.json') ? 'az login' : undefined;
};

export const azureVariables: NonNullable<Wizard['fromEnvironment']> = (env) => ({
  subscription: env.ARM_SUBSCRIPTION_ID || env.AZURE_SUBSCRIPTION_ID,
  resourceGroup: env.ARM_RESOURCE_GROUP,
  location: env.LOCATION,
});

export const azureLines = [
  '# Credentials come from the environment or from az login; this file has none. See docs/azure-rights.md.',
];
