/** The settings of a host with the default configuration, for worlds that are put together without one. */
import { settingsOf } from '../functions/hosts/common/lifecycle-settings.ts';
import { loadConfig } from '../shared/config/load.ts';
import type { LifecycleSettings } from '../shared/nodes/steps/services.ts';

const loaded = loadConfig(undefined, {});
if (!loaded.ok) throw new Error('the default configuration is not valid');
// The default of a second is too short to tell a pause from the time that a step takes.
const defaults: LifecycleSettings = { ...settingsOf(loaded.config), firstPauseSeconds: 5 };

export const lifecycleSettings = (changes: Partial<LifecycleSettings> = {}): LifecycleSettings => ({
  ...defaults,
  ...changes,
});
