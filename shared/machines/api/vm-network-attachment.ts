/** VMNetworkAttachment: a network that machines are connected to. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, extended, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import {
  bigCount,
  choice,
  cidr,
  count,
  environments,
  flag,
  ipv4,
  list,
  localRef,
  map,
  message,
  observedGeneration,
  texts,
  upTo,
} from './parts.ts';
import { networkSecuritySchema } from './vm-network-security.ts';
import { hypervisorNetworks } from './vm-network-types.ts';

const network = z
  .object({
    type: choice(['bridged', 'nat', 'isolated', 'host-only', 'external'], 'Type of network.').default('bridged'),
    mtu: count('Largest packet in bytes.', 68, 9000).default(1500),
    ...hypervisorNetworks,
  })
  .partial()
  .describe('The network at the hypervisor.');

const ipAllocation = z
  .object({
    type: choice(['DHCP', 'Static', 'Pool', 'None'], 'Where addresses are from.').default('DHCP'),
    staticConfig: z
      .object({
        address: cidr('Address with the length of its prefix.'),
        gateway: ipv4('Gateway.').optional(),
        routes: list(
          z.object({
            destination: cidr('Network that the route leads to.'),
            gateway: ipv4('Gateway of the route.'),
            metric: count('Lower ones are preferred.', 0, 65_535).optional(),
          }),
          'Further routes.',
          20,
        ).optional(),
      })
      .describe('A fixed address.'),
    poolConfig: z
      .object({ poolRef: localRef('Pool of addresses.'), preferredIP: ipv4('Address that is preferred.').optional() })
      .describe('An address from a pool.'),
    dhcpConfig: z
      .object({
        hostname: upTo(255, 'Host name that is sent.'),
        clientID: upTo(255, 'Client id that is sent.'),
        options: map('Further options.', 20),
      })
      .partial()
      .describe('Details of DHCP.'),
    dnsConfig: z
      .object({
        servers: texts('DNS servers.', 10),
        searchDomains: texts('Domains to search in.', 10),
        options: map('Further options.', 10),
      })
      .partial()
      .describe('DNS of the guest.'),
  })
  .partial()
  .describe('How machines get addresses.');

export const vmNetworkAttachmentSpecSchema = z
  .object({
    network,
    ipAllocation: ipAllocation.optional(),
    security: networkSecuritySchema.optional(),
    qos: z
      .object({
        ingressLimit: bigCount('Most bits per second to the machine.', 1000),
        egressLimit: bigCount('Most bits per second from the machine.', 1000),
        priority: count('Priority of the traffic.', 0, 7),
        dscp: count('DSCP mark of packets.', 0, 63),
      })
      .partial()
      .describe('Quality of service.')
      .optional(),
    metadata: z
      .object({
        displayName: upTo(255, 'Name for people.'),
        description: upTo(1024, 'What it is.'),
        environment: choice(environments, 'Environment that it belongs to.'),
        tags: map('Tags.', 50),
      })
      .partial()
      .describe('What people should know of it.')
      .optional(),
  })
  .describe('A network.');

export const vmNetworkAttachmentStatusSchema = z
  .object({
    observedGeneration,
    ready: flag('Whether machines can be connected.'),
    phase: choice(['Pending', 'Configuring', 'Ready', 'Failed'], 'Phase of the network.'),
    message,
    connectedVMs: count('Number of machines that are connected.'),
    availableOn: texts('Providers that have it.'),
    ipAllocations: list(
      z.object({
        ip: text('Address.'),
        vm: text('Machine that has it.'),
        mac: text('MAC address of the machine.').optional(),
        allocatedAt: time('When it was assigned.').optional(),
        leaseExpiry: time('When the lease ends.').optional(),
      }),
      'Addresses in use.',
    ),
    providerStatus: extended(
      z.record(
        z.string(),
        z.object({
          available: flag('Whether the provider has it.'),
          id: text('Id at the hypervisor.').optional(),
          state: text('State at the hypervisor.').optional(),
          message: message.optional(),
          lastUpdated: time('When that was found out.').optional(),
        }),
      ),
      { description: 'The network at each provider.' },
    ),
    conditions: conditions(),
  })
  .partial()
  .describe('Where the network is ready.');

export type VMNetworkAttachmentSpec = z.input<typeof vmNetworkAttachmentSpecSchema>;

export const vmNetworkAttachmentDefinition: KindDefinition = {
  ...machineKinds.network,
  scope: 'Namespaced',
  shortNames: ['vmnet'],
  categories: ['poolwright'],
  description: 'A network for virtual machines.',
  spec: vmNetworkAttachmentSpecSchema,
  specRequired: false,
  status: vmNetworkAttachmentStatusSchema,
  columns: [
    { name: 'Ready', type: 'boolean', jsonPath: '.status.ready', description: 'Whether machines can be connected.' },
    { name: 'Type', type: 'string', jsonPath: '.spec.network.type', description: 'Type of network.' },
    { name: 'VMs', type: 'integer', jsonPath: '.status.connectedVMs', description: 'Machines that are connected.' },
    { name: 'Providers', type: 'string', jsonPath: '.status.availableOn[*]', description: 'Providers that have it.' },
    ageColumn,
  ],
};
