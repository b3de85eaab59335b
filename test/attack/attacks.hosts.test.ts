/** The attacks that take seconds and whose outcome does not hang on the speed of the machine; `npm run attack` makes all of them. */
import { expect, it } from 'vitest';
import { echoedToken } from './attacks/echo.ts';
import { forgedDeletions } from './attacks/events.ts';
import { openDirectory } from './attacks/files.ts';
import { foreignHosts } from './attacks/http.ts';
import { beyondTheCap, billionReplicas, manyPools } from './attacks/pool.ts';
import { onStage } from './stage.ts';

const attacks = [echoedToken, forgedDeletions, foreignHosts, openDirectory, billionReplicas, beyondTheCap, manyPools];

it.each(attacks.map((attack) => [attack.name, attack] as const))(
  '%s does no harm',
  { timeout: 90_000 },
  async (_, attack) => {
    expect(await onStage(attack.run)).toEqual(expect.any(String));
  },
);
