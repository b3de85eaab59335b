/** Where the disk of a machine lies while it moves. */
import { z } from 'zod';
import { text } from '../../kube/crds/schema-parts.ts';
import { bigCount, choice, flag, ref, upTo } from './parts.ts';

const id = (description: string) => bigCount(description, 0, 4_294_967_295);

const pvc = z
  .object({
    name: text('Volume claim. Default: a new one.'),
    storageClassName: text('Storage class of a new one.'),
    size: text('Size of a new one.', { pattern: '^[0-9]+(\\.[0-9]+)?([EPTGMK]i?)$' }),
    accessMode: choice(['ReadWriteOnce', 'ReadWriteMany', 'ReadOnlyMany'], 'Access to a new one.').default(
      'ReadWriteMany',
    ),
    mountPath: text('Where providers see it.').default('/mnt/migration-storage'),
  })
  .partial()
  .describe('A volume claim.');

const nfs = z
  .object({
    server: upTo(253, 'Server.'),
    export: upTo(4096, 'Export of the server.'),
    path: upTo(4096, 'Path in the export.').optional(),
    readOnly: flag('Whether it is mounted read-only.').default(false),
    uid: id('User that files belong to.').optional(),
    gid: id('Group that files belong to.').optional(),
  })
  .describe('An NFS server.');

const s3 = z
  .object({
    bucket: text('Bucket.'),
    credentialsSecretRef: ref('Secret with the credentials.'),
    prefix: text('Start of the names of objects.').optional(),
    region: text('Region.').optional(),
    endpoint: upTo(263, 'Endpoint. Default: the one of AWS.').optional(),
    usePathStyle: flag('Whether the bucket is part of the path.').default(false),
  })
  .describe('A bucket.');

export const migrationStorageSchema = z
  .object({
    type: choice(['pvc', 'nfs', 's3'], 'Type of storage.').default('pvc'),
    transferMode: choice(
      ['auto', 'relay', 'direct'],
      'Whether providers read and write the storage themselves, or one after the other.',
    ).default('auto'),
    pvc: pvc.optional(),
    nfs: nfs.optional(),
    s3: s3.optional(),
  })
  .describe('Where the disk lies on its way.');
