/** What can keep a cluster from leaving KRO. */
import type { ErrorGroup } from './entry.ts';

const about = 'ClusterRequest';
const seen = ['cli'] as const;

export const migration = {
  KroInstanceNotFound: {
    cause: 'KRO has no instance of that name that makes a cluster.',
    cure: 'List them with `poolwright clusters migrate --from-kro --all --phase shadow`, and name one as NAMESPACE/NAME.',
    seen,
    about,
  },
  KroInstanceNotActive: {
    cause: 'The instance is not ACTIVE, so KRO itself has not finished.',
    cure: 'Correct what the conditions of the instance say, and wait until it is ACTIVE. An instance that is being deleted cannot be migrated.',
    seen,
    about,
  },
  KroChildMissing: {
    cause: 'An object of the instance was not found.',
    cure: 'Wait until KRO has made it, or remove its node from the graph if it is not needed.',
    seen,
    about,
  },
  KroChildNotReady: {
    cause: 'An object of the instance is not Ready.',
    cure: 'Correct what its condition Ready says. Nothing was changed in Azure.',
    seen,
    about,
  },
  KroChildBusy: {
    cause: 'Azure is working on an object of the instance.',
    cure: 'Wait until that has ended, and run the command again.',
    seen,
    about,
  },
  KroNamesDiffer: {
    cause: 'An object of the instance has another name or namespace than the object of a request would have.',
    cure: 'The ManagedCluster has the name of the request, and its ResourceGroup the name `rg-` and that; both are in the namespace of the request. Rename them in the graph, or keep the instance in KRO.',
    more: 'A name of an object cannot change. The names in Azure (`azureName`) may be any.',
    seen,
    about,
  },
  KroForeignFinalizer: {
    cause:
      'The instance has a finalizer of another controller, so it would stay after its deletion, and KRO would delete the cluster.',
    cure: 'Remove that finalizer, or have its owner do so.',
    seen,
    about,
  },
  KroDeletesDefinitions: {
    cause:
      'KRO runs with `--allow-crd-deletion`: when a graph definition is deleted, every instance is deleted, and every cluster with it.',
    cure: 'Set `config.allowCRDDeletion` to false in the chart of KRO before a migration.',
    seen,
    about,
  },
  KroStillUsed: {
    cause: 'A graph definition has instances, so it is not deleted.',
    cure: 'Migrate its instances first.',
    seen,
    about,
  },
  MigrationNotEquivalent: {
    cause: 'The request would change the live cluster.',
    cure: 'Look at the comparison of the phase shadow. Accept changes that Azure makes in place with `--accept-changes`; for any other, keep the instance in KRO.',
    seen,
    about,
  },
  MigrationStuck: {
    cause: 'A step of the migration cannot go on; the message says at which object.',
    cure: 'Correct what the message names, and run the same command again: it continues where it stopped. Or go back with `--phase rollback`. Azure Service Operator deletes nothing in Azure in the meantime.',
    seen,
    about,
  },
  MigrationNotDone: {
    cause: 'A phase of the migration has to come first.',
    cure: 'Run the phases in the order shadow, adopt, commit. There is a way back until commit.',
    seen,
    about,
  },
} as const satisfies ErrorGroup;
