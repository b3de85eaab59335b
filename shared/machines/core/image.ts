/** From a VMImage to what a driver is told, and whether the image has to be brought to the hypervisor first. */
import { defined } from '../../base/defined.ts';
import type { MachineImage } from '../../drivers/machine-spec.ts';
import type { VMImage } from './objects.ts';
import type { MachineProblem } from './problems.ts';

export interface ResolvedImage {
  image: MachineImage;
  /** It is not at the hypervisor until it was prepared. */
  imported: boolean;
  storage?: string;
}

export type ImageAnswer = { ok: true; value: ResolvedImage } | { ok: false; problem: MachineProblem };

/** @param type Of the provider: an image may have a source for each of several. */
export function resolveImage(type: string, { metadata, spec }: VMImage): ImageAnswer {
  const { vsphere, libvirt, proxmox, http, registry, dataVolume } = spec.source;
  const storage = spec.prepare?.storage?.[type === 'vsphere' ? 'vsphere' : 'libvirt'];
  const at = storage !== undefined && 'datastore' in storage ? storage.datastore : undefined;
  const there = (image: MachineImage): ImageAnswer => ({ ok: true, value: { image, imported: false } });
  const fetched = (image: MachineImage, where = at): ImageAnswer => ({
    ok: true,
    value: { image, imported: true, ...defined({ storage: where }) },
  });
  const sums = (from: { checksum?: string | undefined; checksumType?: string | undefined }) =>
    defined({ checksum: from.checksum, checksumType: from.checksumType });
  const fits = (own: string): boolean => type === own || !known.includes(type);

  if (fits('vsphere') && vsphere?.templateName) return there({ templateName: vsphere.templateName });
  if (fits('vsphere') && vsphere?.contentLibrary) {
    const { library, item } = vsphere.contentLibrary;
    return there({ templateName: `${library}/${item}` });
  }
  if (fits('vsphere') && vsphere?.ovaURL) return fetched({ url: vsphere.ovaURL, format: 'ova', ...sums(vsphere) });
  if (fits('proxmox') && proxmox) {
    const name = proxmox.templateName ?? proxmox.templateID?.toString();
    if (name !== undefined) return there({ templateName: name, ...defined({ format: proxmox.format }) });
  }
  if ((type === 'qemu' || fits('libvirt')) && libvirt) {
    const format = defined({ format: libvirt.format });
    if (libvirt.path) return there({ path: libvirt.path, ...format, ...sums(libvirt) });
    if (libvirt.url) return fetched({ url: libvirt.url, ...format, ...sums(libvirt) }, libvirt.storagePool);
  }
  if (http) return fetched({ url: http.url, ...sums(http) });
  if (registry) return fetched({ url: `docker://${registry.image}`, ...defined({ format: registry.format }) });
  const path = `VMImage ${metadata.namespace}/${metadata.name} spec.source`;
  if (dataVolume) {
    const message = 'a DataVolume cannot be read here; use http, registry or a template of the hypervisor';
    return { ok: false, problem: { code: 'MachineImageInvalid', path, message } };
  }
  const message = `has no source for a provider of type ${type}; add one, or http`;
  return { ok: false, problem: { code: 'MachineImageInvalid', path, message } };
}

const known = ['vsphere', 'proxmox', 'libvirt', 'qemu', 'firecracker'];
