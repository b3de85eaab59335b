/** Whether a server can do what a class asks for, by the capabilities that it tells. A list that is empty says nothing. */
import type { Capabilities } from '../../../drivers/contract.ts';
import type { MachineNodeClassSpec } from './schema.ts';

/** Undefined: nothing that the server tells is in the way. */
export function whyNoFit(
  { image, disks = [] }: MachineNodeClassSpec,
  server: string,
  { imageImport, diskTypes, createsByName }: Capabilities,
  wants: { createsByName: boolean },
): string | undefined {
  if (image.templateName === undefined && image.path === undefined && !imageImport) {
    return `provider server ${server} does not have the capability image import, which spec.image.url needs; set templateName or path`;
  }
  for (const { name, type } of disks) {
    if (type === undefined || diskTypes.length === 0 || diskTypes.includes(type)) continue;
    return `provider server ${server} cannot make disk ${name}: it has the disk types ${diskTypes.join(', ')}, and not ${type}`;
  }
  if (wants.createsByName && !createsByName) {
    return `provider server ${server} does not say that it finds a machine by its name instead of making a second one; remove createsByName from the configuration`;
  }
  return undefined;
}
