/** What the lifecycle needs of the configuration. */
import type { Config } from '../../../shared/config/load.ts';
import type { LifecycleSettings } from '../../../shared/nodes/steps/services.ts';

export const settingsOf = (config: Config): LifecycleSettings => ({
  unavailableSeconds: config.offerings.unavailableSeconds,
  unavailableAtMostSeconds: config.offerings.unavailableAtMost,
  firstPauseSeconds: config.retry.firstPause,
  maxPauseSeconds: config.retry.maxPause,
  restoreHorizonSeconds: config.lifecycle.restoreHorizon,
  lookAgainSeconds: config.lifecycle.lookAgain,
  maxPriceRatio: config.offerings.maxPriceRatio,
  catalogSeconds: config.offerings.refreshSeconds * 2,
  decisions: { keepSeconds: config.decisions.keep, maxPerClaim: config.decisions.maxPerClaim },
});
