/** The configuration that is meant when nobody names one. */
import { existsSync } from 'node:fs';

export const usualFile = 'poolwright.yaml';

/** Undefined: there is no file, and a host would run with the environment and the defaults alone. */
export function configFile(named: string | undefined, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return named ?? (env.POOLWRIGHT_CONFIG || undefined) ?? (existsSync(usualFile) ? usualFile : undefined);
}
