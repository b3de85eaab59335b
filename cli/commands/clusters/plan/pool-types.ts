/** Pool types that a platform team adds, from a file. */
import { builtInPoolTypes } from '../../../../shared/clusters/pool-types/built-in.ts';
import { withPoolTypes } from '../../../../shared/clusters/pool-types/more.ts';
import type { PoolTypes } from '../../../../shared/clusters/pool-types/pool-type.ts';
import { UserError } from '../../../terminal/user-error.ts';
import { parseManifests } from '../../plan/manifests.ts';
import { readText } from './read.ts';

export const poolTypesOf = (file: string | undefined): PoolTypes =>
  file === undefined ? builtInPoolTypes : readPoolTypes(file);

function readPoolTypes(file: string): PoolTypes {
  const { manifests, problems } = parseManifests(file, readText(file));
  const [first] = manifests;
  if (problems.length > 0 || first === undefined || manifests.length > 1) {
    const message = problems.join('\n') || `${file}: the file must have one document, with pool types by name.`;
    throw new UserError(message, { code: 'InvalidManifest' });
  }
  const types = withPoolTypes(first.object);
  if (types.ok) return types.value;
  const lines = types.problems.map(({ path, message }) => `${file}:${first.lineOf(path)}: ${path}: ${message}`);
  throw new UserError(lines.join('\n'), { code: 'InvalidManifest' });
}
