/** Where a VMImage is from. */
import { z } from 'zod';
import { text } from '../../kube/crds/schema-parts.ts';
import { checksumTypes, choice, count, flag, imageFormats, localRef, map, ref, upTo } from './parts.ts';

const checksum = text('Checksum of the image.');
const checksumType = choice(checksumTypes, 'Algorithm of the checksum.').default('sha256');

const vsphere = z
  .object({
    templateName: upTo(255, 'Name of a template.'),
    contentLibrary: z
      .object({
        library: upTo(255, 'Name of the library.'),
        item: upTo(255, 'Name of the item.'),
        version: text('Version of the item.').optional(),
      })
      .describe('An item of a content library.'),
    ovaURL: text('URL of an OVA or OVF.', { pattern: '^https?://.*\\.(ova|ovf)$' }),
    checksum,
    checksumType,
    providerRef: localRef('Provider that has it.'),
  })
  .partial()
  .describe('An image for vSphere.');

const libvirt = z
  .object({
    path: text('Path on the host.'),
    url: text('URL to download it from.', { pattern: '^(https?|ftp)://.*' }),
    format: choice(imageFormats, 'Format of the image.').default('qcow2'),
    storagePool: upTo(255, 'Storage pool.'),
    checksum,
    checksumType,
  })
  .partial()
  .describe('An image for libvirt.');

const proxmox = z
  .object({
    templateID: count('Id of a template.', 100, 999_999_999),
    templateName: upTo(255, 'Name of a template.'),
    node: upTo(255, 'Node that has it.'),
    storage: upTo(255, 'Storage for its clones.'),
    format: choice(['raw', 'qcow2', 'vmdk'], 'Format of disks.').default('qcow2'),
    fullClone: flag('Whether machines get disks of their own.').default(true),
  })
  .partial()
  .describe('An image for Proxmox VE.');

const authentication = z
  .object({
    basicAuth: z
      .object({
        secretRef: localRef('Secret with the credentials.'),
        usernameKey: text('Key of the user name.').default('username'),
        passwordKey: text('Key of the password.').default('password'),
      })
      .describe('User name and password.'),
    bearer: z
      .object({ secretRef: localRef('Secret with the token.'), tokenKey: text('Key of the token.').default('token') })
      .describe('Bearer token.'),
    clientCert: z
      .object({
        secretRef: localRef('Secret with the certificate.'),
        certKey: text('Key of the certificate.').default('tls.crt'),
        keyKey: text('Key of the private key.').default('tls.key'),
      })
      .describe('Certificate of the client.'),
  })
  .partial()
  .describe('Credentials for the server.');

const http = z
  .object({
    url: text('URL of the image.', { pattern: '^https?://.*' }),
    headers: map('Headers of the request.', 20).optional(),
    checksum: checksum.optional(),
    checksumType,
    authentication: authentication.optional(),
    timeout: text('How long the download may take.').default('30m'),
  })
  .describe('An image on a server.');

const registry = z
  .object({
    image: text('Image with its tag.', { pattern: '^[a-zA-Z0-9._/-]+:[a-zA-Z0-9._-]+$' }),
    pullSecretRef: localRef('Secret for the registry.').optional(),
    format: choice(imageFormats, 'Format of the image.').default('qcow2'),
  })
  .describe('An image in a container registry.');

export const vmImageSourceSchema = z
  .object({ vsphere, libvirt, proxmox, http, registry, dataVolume: ref('DataVolume with the image.') })
  .partial()
  .describe('Where the image is from.');
