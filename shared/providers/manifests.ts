/** Every provider. A new one is a folder beside these and a line here. */
import { manifest as aks } from './aks/manifest.ts';
import { manifest as arc } from './arc/manifest.ts';
import { manifest as cloudstack } from './cloudstack/manifest.ts';
import { manifest as ec2 } from './ec2/manifest.ts';
import type { ProviderManifest } from './manifest.ts';
import { manifest as remote } from './remote/manifest.ts';
import { manifest as sim } from './sim/manifest.ts';

export const manifests = [sim, aks, arc, ec2, cloudstack, remote] as const satisfies readonly ProviderManifest[];

export const manifestOf = (type: string): ProviderManifest | undefined =>
  manifests.find((manifest) => manifest.type === type);
