/**
 * `npm run attack`: attacks a host of this machine as a neighbor could, and prints one line for each. It takes some minutes, stays on
 * loopback, and ends with 1 if one of them did harm.
 *
 *     npm run attack -- pool events     only those whose names contain one of the words
 */
import type { Attack } from './attack.ts';
import { largeClaims, manyValues } from './attacks/claim-author.ts';
import { fullDisk } from './attacks/disk.ts';
import { echoedToken } from './attacks/echo.ts';
import { flood, forgedDeletions } from './attacks/events.ts';
import { openDirectory } from './attacks/files.ts';
import { foreignHosts } from './attacks/http.ts';
import { impostor } from './attacks/impostor.ts';
import { endlessLists } from './attacks/lists.ts';
import { beyondTheCap, billionReplicas, manyPools } from './attacks/pool.ts';
import { onStage } from './stage.ts';

export const attacks: readonly Attack[] = [
  impostor,
  largeClaims,
  manyValues,
  flood,
  echoedToken,
  foreignHosts,
  forgedDeletions,
  billionReplicas,
  beyondTheCap,
  manyPools,
  fullDisk,
  endlessLists,
  openDirectory,
];

const words = process.argv.slice(2);
const wanted = attacks.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
let harm = 0;
for (const { name, run } of wanted) {
  try {
    console.log(`held       ${name}: ${await onStage(run)}`);
  } catch (error) {
    harm++;
    console.log(`SUCCEEDED  ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
process.exit(harm === 0 && wanted.length > 0 ? 0 : 1);
