/** Which Linux the node runs. The claim's annotation is gpu-provisioner's, and wins over the node class. */

export const imageFamilyAnnotation = 'kaito.sh/node-image-family';
const usualSku = 'Ubuntu';
const known: Readonly<Record<string, string>> = { ubuntu: 'Ubuntu', azurelinux: 'AzureLinux' };

export interface ChosenSku {
  osSku: string;
  /** What the annotation said, where that is not known: Ubuntu is used, and somebody should hear of it. */
  unknown?: string;
}

export function osSkuOf(annotations: Readonly<Record<string, string>>, ofClass: string | undefined): ChosenSku {
  const written = annotations[imageFamilyAnnotation];
  if (written === undefined || written === '') return { osSku: ofClass ?? usualSku };
  const family = written.toLowerCase();
  const osSku = Object.hasOwn(known, family) ? known[family] : undefined;
  return osSku === undefined ? { osSku: usualSku, unknown: written } : { osSku };
}
