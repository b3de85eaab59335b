/** What is changed in the guest of a clone. */
import { z } from 'zod';
import { extended, text } from '../../kube/crds/schema-parts.ts';
import { userData } from './machine-parts.ts';
import { choice, flag, ipv4, list, localRef, mac, texts, upTo } from './parts.ts';

const secretText = (description: string) =>
  z
    .object({
      secretRef: localRef('Secret with it.'),
      secretKey: text('Key in the Secret.').default('password'),
      value: text('The text itself; a Secret is better.'),
    })
    .partial()
    .describe(description);

const sysprep = z
  .object({
    enabled: flag('Whether Windows is prepared.').default(false),
    productKey: text('Product key.'),
    organization: upTo(255, 'Organization.'),
    owner: upTo(255, 'Owner.'),
    adminPassword: secretText('Password of the administrator.'),
    joinDomain: z
      .object({
        domain: upTo(255, 'Domain.'),
        username: upTo(255, 'User who may join it.'),
        password: secretText('Password of that user.'),
        organizationalUnit: upTo(500, 'Organizational unit.').optional(),
      })
      .describe('Domain to join.'),
    customCommands: texts('Commands that run afterwards.', 20),
  })
  .partial()
  .describe('Preparation of Windows.');

const network = z.object({
  name: upTo(255, 'Name of the interface.'),
  dhcp: flag('Whether it uses DHCP.').optional(),
  ipAddress: ipv4('IPv4 address.').optional(),
  subnetMask: ipv4('Subnet mask.').optional(),
  gateway: ipv4('Gateway.').optional(),
  dns: texts('DNS servers.', 5).optional(),
  macAddress: mac('MAC address.').optional(),
});

const certificate = z.object({
  name: upTo(255, 'Name of the certificate.'),
  data: text('The certificate itself.').optional(),
  secretRef: localRef('Secret with it.').optional(),
  secretKey: text('Key in the Secret.').default('tls.crt'),
  store: choice(['root', 'ca', 'my', 'trust'], 'Store that it goes to.').default('root'),
});

const guestCommand = z.object({
  command: upTo(1000, 'Command.'),
  arguments: texts('Its arguments.', 20).optional(),
  workingDirectory: upTo(500, 'Directory that it runs in.').optional(),
  runAsUser: upTo(255, 'User that it runs as.').optional(),
  timeout: text('How long it may take.').default('5m'),
  stage: choice(['pre-customization', 'post-customization', 'first-boot'], 'When it runs.').default(
    'post-customization',
  ),
});

export const customizationSchema = z
  .object({
    hostname: extended(z.string().max(255), {
      description: 'Host name.',
      pattern: '^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$',
    }),
    domain: upTo(255, 'DNS domain.'),
    timeZone: upTo(100, 'Time zone.'),
    networks: list(network, 'Network of the guest.', 10),
    userData,
    sysprep,
    guestCommands: list(guestCommand, 'Commands in the guest.', 20),
    certificates: list(certificate, 'Certificates for the guest.', 10),
    tags: texts('Tags at the hypervisor.', 50),
  })
  .partial()
  .describe('What is changed in the guest.');
