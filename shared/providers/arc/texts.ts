/** What people read about the options of the provider. */
import { azureNotes, azureSectionTexts, poolTexts } from '../agent-pools/texts.ts';

export const options = {
  ...poolTexts,
  location: 'the region that Azure knows the cluster by. Rarely needed.',
  customLocation: 'the ARM id of the custom location whose sizes are offered. Default: `AZURE_CUSTOM_LOCATION`.',
};
export const perCluster = azureSectionTexts;
export const notes = azureNotes;
