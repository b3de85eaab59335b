/** Why an instance cannot leave KRO now, as it stands. Pure. */
import type { ErrorCode } from '../../observe/errors/catalog.ts';
import type { Finding } from '../rules/finding.ts';
import { kroFinalizer } from './kro/marks.ts';
import type { Children, Instance } from './kro/read.ts';
import { describe, isBusy, isReady, stateOf } from './kro/state.ts';

export const finding = (code: ErrorCode, field: string, cause: string, fix: string): Finding => ({
  severity: 'error',
  field,
  code,
  cause,
  fix,
});

export function findingsOfState(
  { object }: Instance,
  { found, missing }: Children,
  deletesDefinitions: boolean,
): Finding[] {
  const what = describe(object);
  const findings: Finding[] = [];
  const add = (code: ErrorCode, field: string, cause: string, fix: string): void =>
    void findings.push(finding(code, field, cause, fix));
  const { deletionTimestamp, finalizers = [], namespace } = object.metadata;
  if (deletionTimestamp !== undefined) {
    add(
      'KroInstanceNotActive',
      what,
      'it is being deleted, and KRO deletes its cluster',
      'it can no longer be migrated',
    );
  } else if (stateOf(object) !== 'ACTIVE') {
    const cause = `its state is ${stateOf(object)} and not ACTIVE`;
    add('KroInstanceNotActive', what, cause, 'correct what its conditions say, and wait until it is ACTIVE');
  }
  const others = finalizers.filter((one) => one !== kroFinalizer);
  if (others.length > 0) {
    const cause = `it has the finalizer ${others.join(', ')}, so it would not be gone at once`;
    add('KroForeignFinalizer', what, cause, 'remove the finalizer, or have its owner do so');
  }
  if (deletesDefinitions) {
    const cause =
      'KRO runs with --allow-crd-deletion: whoever deletes a graph then deletes every instance with its cluster';
    add('KroDeletesDefinitions', what, cause, 'set config.allowCRDDeletion to false in its chart');
  }
  for (const { id, kind } of missing) {
    add('KroChildMissing', what, `the ${kind} of its node ${id} was not found`, 'wait until KRO has made it');
  }
  for (const { object: child } of found) {
    if (child.metadata.deletionTimestamp !== undefined) {
      add('KroChildNotReady', describe(child), 'it is being deleted', 'it can no longer be migrated');
    } else if (isBusy(child)) {
      add('KroChildBusy', describe(child), 'Azure is working on it', 'wait until that has ended');
    } else if (!isReady(child)) {
      add('KroChildNotReady', describe(child), 'it is not Ready', 'correct what its condition says');
    }
    if (child.metadata.namespace !== undefined && child.metadata.namespace !== namespace) {
      const cause = `it is not in the namespace ${namespace ?? 'of a request'}`;
      add('KroNamesDiffer', describe(child), cause, 'the objects of a request are in its namespace');
    }
  }
  return findings;
}
