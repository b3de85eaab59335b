/**
 * When each timer ticks, as it is registered. That is decided while the app is loaded, where every millisecond is somebody's cold
 * start, and reading the configuration takes several times as long as everything else. So it is read here only if it says
 * anything about intervals; what holds otherwise is known beforehand.
 */

import { existsSync, readFileSync } from 'node:fs';
import type { Environment } from '../../../shared/base/environment.ts';
import { upperSnake } from '../../../shared/base/text.ts';
import type { Config } from '../../../shared/config/load.ts';
import { type CatalogedReconciler, reconcilerOf, reconcilers, type TimerName } from '../../catalog.ts';
import { configSource } from '../common/settings-source.ts';
import { everySeconds, type Tick } from './ncrontab.ts';
import { tickOf } from './timer-plan.ts';

/** `reconcile.nodeClasses` as its two names, which a text that says it contains both. */
const fields = (reconcilers as readonly CatalogedReconciler[]).map(({ field, saidBy = field }) => saidBy.split('.'));
const variables = fields.map(([first = '']) => `_${upperSnake(first)}`);

const namesField = (text: string): boolean => fields.some((names) => names.every((name) => text.includes(name)));
const isAboutField = (variable: string): boolean =>
  variable.startsWith('POOLWRIGHT_') && variables.some((name) => variable.includes(name));

export type Schedules = (timer: TimerName, offset: number) => Tick;

/** A configuration that can't be used has slow ticks, which say so. */
export async function readSchedules(env: Environment, folder: string): Promise<Schedules> {
  if (!saysIntervals(env, folder)) return (timer, offset) => everySeconds(reconcilerOf(timer).usualSeconds, offset);
  const { readSettings } = await import('./settings.ts');
  const read = await readSettings(env, folder);
  const config: Config | undefined = read.ok ? read.settings.config : undefined;
  return (timer, offset) => tickOf(config, timer, offset);
}

function saysIntervals(env: Environment, folder: string): boolean {
  if (Object.keys(env).some(isAboutField)) return true;
  const source = configSource(env, folder);
  if (source === undefined) return false;
  if (typeof source === 'object') return namesField(source.text);
  return existsSync(source) && namesField(readFileSync(source, 'utf8'));
}
