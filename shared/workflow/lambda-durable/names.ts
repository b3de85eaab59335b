/** Names of executions and of their operations. Histories hold on to them: a renamed operation is a changed workflow. */
import { nodeCrypto } from '../../base/node-modules.ts';

const longestName = 64;
const hashLength = 24;

/**
 * The execution of an epoch of a key. A name is one for all functions of an account and region, and another deployment may serve the
 * same claim, before or beside this one: so the function is a part of it. The platform takes 64 letters, digits, `-` and `_`, too few
 * for most keys: so it is what can be read of the end of the key, the epoch, and a hash that keeps all else apart.
 */
export function executionName(functionName: string, key: string, epoch: number): string {
  const hash = nodeCrypto()
    .createHash('sha256')
    .update(`${functionName}/${key}/${epoch}`)
    .digest('hex')
    .slice(0, hashLength);
  const tail = `-${epoch}-${hash}`;
  const readable = key.replace(/[^A-Za-z0-9_]+/g, '-').slice(-(longestName - tail.length));
  return `${readable}${tail}`;
}

const longestOperation = 256;

/** @param place Which command of the workflow, and which part of it: `7`, `7.2`. */
export function operationName(place: string, what: string): string {
  return `${place} ${what}`.replace(/[^\x20-\x7e]/g, '?').slice(0, longestOperation);
}

/** The number of the command that an operation belongs to; NaN for one that is not ours. */
export const commandOf = (operation: string): number => Number.parseInt(operation, 10);

/** What an operation is called, without its place. */
export const titleOf = (operation: string): string => operation.replace(/^\S+ /, '');
