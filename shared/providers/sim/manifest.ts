/** The simulated cloud, for trying things out and for tests. */
import type { ProviderManifest } from '../manifest.ts';
import { simNodeClasses } from './kinds.ts';

export const manifest = {
  type: 'sim',
  title: 'the simulated cloud: offline, at no cost',
  simulated: true,
  nodeClasses: simNodeClasses,
  options: ({ httpUrl, oneOf, optional }) => ({
    url: optional(httpUrl),
    idempotency: optional(oneOf(['token', 'name', 'claim-name', 'none'])),
  }),
  required: { url: 'must be the http:// or https:// URL of the simulated cloud' },
  example: { url: 'http://127.0.0.1:1' },
  texts: () => import('./texts.ts'),
  definitions: () => import('./node-class-definition.ts'),
  flags: {},
  initExample: 'poolwright init --yes --provider sim',
  wizard: () => import('./wizard.ts'),
  load: () => import('./module.ts'),
} as const satisfies ProviderManifest;
