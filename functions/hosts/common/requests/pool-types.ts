/** The pool types of this deployment: the built-in ones, those of a file, and those of the configuration itself. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { errorText } from '../../../../shared/base/error-text.ts';
import { failedBy, type Problem, problemsBelow } from '../../../../shared/base/problems.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { withPoolTypes } from '../../../../shared/clusters/pool-types/more.ts';
import type { PoolTypes } from '../../../../shared/clusters/pool-types/pool-type.ts';
import type { Config } from '../../../../shared/config/load.ts';

type Given = Config['clusterRequests'];

export function poolTypesOf({ poolTypes, poolTypesFile }: Given): Result<PoolTypes> {
  const file = poolTypesFile === undefined ? ok({}) : readTypes(poolTypesFile);
  if (!file.ok) return file;
  const inline = Object.fromEntries(
    Object.entries(poolTypes).map(([name, { taints, ...rest }]) => [name, { ...rest, taints: taints.map(asTaint) }]),
  );
  const problems: Problem[] = [];
  for (const [path, more] of [
    ['clusterRequests.poolTypesFile', file.value],
    ['clusterRequests.poolTypes', inline],
  ] as const) {
    const alone = withPoolTypes(more);
    if (!alone.ok) problems.push(...problemsBelow(path, alone.problems));
  }
  if (problems.length > 0) return failedBy(problems);
  const all = withPoolTypes({ ...file.value, ...inline });
  return all.ok ? ok(all.value) : failedBy(problemsBelow('clusterRequests.poolTypes', all.problems));
}

function readTypes(file: string): Result<object> {
  const refused = (message: string): Result<never> => failedBy([{ path: 'clusterRequests.poolTypesFile', message }]);
  try {
    const value: unknown = parse(readFileSync(file, 'utf8'), { prettyErrors: false, maxAliasCount: 100 });
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? ok(value) : refused(`${file} must contain pool types by name`);
  } catch (error) {
    return refused(`${file} cannot be read: ${errorText(error)}`);
  }
}

/** The schema has checked its form. */
function asTaint(text: string) {
  const at = text.lastIndexOf(':');
  const [key = '', value] = text.slice(0, at).split('=');
  return { key, ...(value === undefined ? {} : { value }), effect: text.slice(at + 1) };
}
