/** What may pass on a network of machines. */
import { z } from 'zod';
import { text } from '../../kube/crds/schema-parts.ts';
import { choice, count, flag, list, localRef, texts, upTo } from './parts.ts';

const actions = ['ACCEPT', 'DROP', 'REJECT'] as const;

const rule = z.object({
  name: upTo(255, 'Name of the rule.'),
  direction: choice(['in', 'out', 'inout'], 'Direction of the traffic.'),
  action: choice(actions, 'What happens to it.'),
  protocol: choice(['tcp', 'udp', 'icmp', 'all'], 'Protocol.').optional(),
  sourceCIDR: text('Where it is from.').optional(),
  destinationCIDR: text('Where it goes.').optional(),
  ports: z
    .object({ start: count('First port.', 1, 65_535), end: count('Last port.', 1, 65_535).optional() })
    .describe('Ports.')
    .optional(),
  priority: count('Order of the rule.', 1, 1000).optional(),
});

export const networkSecuritySchema = z
  .object({
    firewall: z
      .object({
        enabled: flag('Whether there is a firewall.').default(false),
        defaultPolicy: choice(actions, 'What happens to traffic that no rule is about.').default('ACCEPT'),
        rules: list(rule, 'Rules.', 100),
      })
      .partial()
      .describe('Firewall.'),
    isolation: z
      .object({
        mode: choice(['none', 'strict', 'custom'], 'How far machines are kept apart.'),
        allowedNetworks: texts('Networks that can be reached.', 50),
        deniedNetworks: texts('Networks that can not be reached.', 50),
      })
      .partial()
      .describe('Isolation from other networks.'),
    encryption: z
      .object({
        enabled: flag('Whether traffic is encrypted.').default(false),
        protocol: choice(['ipsec', 'wireguard', 'openvpn'], 'Protocol.'),
        keyRef: localRef('Secret with the key.'),
      })
      .partial()
      .describe('Encryption of traffic.'),
  })
  .partial()
  .describe('What may pass.');
