/** What people read about the options of the provider. */
import { azureNotes, azureSectionTexts, poolTexts } from '../agent-pools/texts.ts';

export const options = {
  ...poolTexts,
  location: 'the region, such as `eastus`. Default: `LOCATION`.',
};
export const perCluster = azureSectionTexts;
export const notes = azureNotes;
