/** What Azure offers in a location, as the rules want it: then a request is judged by that, and not by the list in Poolwright. Pure. */
import { knownVersions, type OfferedVersion, type OfferedVersions, stillSupported } from '../rules/offered-versions.ts';
import type { AksVersion } from './azure-facts.ts';

/** @param today Such as 2026-08-31. */
export const offeredThere = (location: string, versions: readonly AksVersion[], today: string): OfferedVersions => ({
  asOf: location,
  complete: true,
  versions: versions.map((one) => withEnds(one, today)),
});

/** Azure says what is supported and not until when; the calendar knows the day, as long as it does not contradict. */
function withEnds({ minor, supportPlans, preview }: AksVersion, today: string): OfferedVersion {
  const known = knownVersions.versions.find((one) => one.minor === minor);
  const end = (planned: string | undefined): string =>
    planned === undefined || planned < today ? stillSupported : planned;
  // An old answer names no plans, and then nothing speaks against one.
  const has = (plan: string): boolean => supportPlans.length === 0 || preview === true || supportPlans.includes(plan);
  return {
    minor,
    ...(has('KubernetesOfficial') ? { ends: end(known?.ends) } : {}),
    ...(has('AKSLongTermSupport') ? { longTermEnds: end(known?.longTermEnds) } : {}),
  };
}
