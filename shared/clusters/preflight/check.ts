/** One thing that was looked at before anything is made. */
import type { ErrorCode } from '../../observe/errors/catalog.ts';

export const checkNames = [
  'location',
  'kubernetes-version',
  'vm-sizes',
  'quota',
  'names',
  'resource-providers',
  'operator',
  'credential',
  'rights',
] as const;
export type CheckName = (typeof checkNames)[number];

/**
 * `likely`: nothing speaks against it, which proves nothing: Azure has lists of its own that nobody can read. `unlikely`: Azure or the
 * management cluster would refuse it. `skipped`: the source could not be asked, which is not a pass.
 */
export type CheckState = 'likely' | 'warning' | 'unlikely' | 'skipped';

export interface Check {
  name: CheckName;
  state: CheckState;
  /** What was found, or why nothing could be. */
  text: string;
  code?: ErrorCode;
  /** Of the request. */
  field?: string;
  fix?: string;
}

export const likely = (name: CheckName, text: string): Check => ({ name, state: 'likely', text });

export const skipped = (name: CheckName, why: string): Check => ({ name, state: 'skipped', text: why });

export const unlikely = (name: CheckName, code: ErrorCode, text: string, fix: string, field?: string): Check => ({
  name,
  state: 'unlikely',
  code,
  text,
  fix,
  ...(field === undefined ? {} : { field }),
});

export const warning = (name: CheckName, code: ErrorCode, text: string, fix: string, field?: string): Check => ({
  ...unlikely(name, code, text, fix, field),
  state: 'warning',
});
