/** A provider as somebody would add it: its folder, and a line in the list. It borrows the machines of the simulated cloud. */
import { z } from 'zod';
import { nodeClassDefinition } from '../../../shared/nodes/api/node-class.ts';
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { throwAwayClass } from './kinds.ts';

export const manifest = {
  type: 'throw-away',
  title: 'a provider for one test',
  nodeClasses: [throwAwayClass],
  options: ({ httpUrl, count, optional }) => ({ address: optional(httpUrl), patience: optional(count(1, 60)) }),
  required: { address: 'must be the address of the cloud' },
  // Shared with others, who have other fields in it.
  perCluster: { section: 'azure', fields: ({ text, optional }) => ({ corner: optional(text) }) },
  example: { address: 'http://127.0.0.1:1' },
  texts: async () => ({ options: { address: 'where it is.', patience: 'how long it waits.' } }),
  definitions: async () => ({
    definitions: [
      nodeClassDefinition({
        ...throwAwayClass,
        shortNames: [],
        description: 'For one test.',
        spec: z.object({}),
        columns: [],
      }),
    ],
  }),
  flags: { address: { flag: '--address <url>', text: 'where the cloud is', ask: 'Address of the cloud' } },
  wizard: async () => ({
    wizard: {
      credentials: () => undefined,
      lines: [],
      manifest: () => ({
        ref: { ...throwAwayClass, name: 'x' },
        requirements: { comment: '', list: [] },
        requests: {},
      }),
    },
  }),
  load: () => import('./module.ts'),
} as const satisfies ProviderManifest;
