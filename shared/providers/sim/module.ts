/** What the registry loads for the provider `sim`. */

import { z } from 'zod';
import { failedBy } from '../../base/problems.ts';
import { ok } from '../../base/result.ts';
import type { ProviderModule } from '../manifest.ts';
import { createSimProvider } from './provider.ts';

const optionsSchema = z.strictObject({
  /** Where the simulated cloud listens. */
  url: z.url({ protocol: /^https?$/ }),
  /** Must match what the cloud does. */
  idempotency: z.enum(['token', 'name', 'claim-name', 'none']).optional(),
  writeSeconds: z.number().positive().max(300).optional(),
  latenessSeconds: z.number().min(0).max(3600).optional(),
  listLagSeconds: z.number().min(0).max(3600).optional(),
});

export const createProvider: ProviderModule['createProvider'] = async (options, { clock }) => {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) {
    return failedBy(
      parsed.error.issues.map(({ path, message }) => ({ path: ['options', ...path].join('.'), message })),
    );
  }
  const { url, ...given } = parsed.data;
  const traits = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return ok(createSimProvider({ url, clock, traits }));
};
