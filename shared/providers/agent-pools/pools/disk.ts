/** The OS disk of a node: as large as the claim's storage request, else as the node class says. */
import type { Checked } from '../../../base/problems.ts';
import { quoteInput } from '../../../base/problems.ts';
import { parseQuantity, toBytes } from '../../../nodes/claims/spec/quantities.ts';
import type { ResourceList } from '../../../nodes/claims/spec/types.ts';

const path = 'spec.resources.requests.storage';
const bytesPerGiB = 1n << 30n;
/** Azure makes no smaller and no larger OS disks. */
export const smallestDiskGB = 30;
export const largestDiskGB = 2048;

const example = `ask for the OS disk that the node needs, such as storage: 120Gi (${smallestDiskGB}Gi to ${largestDiskGB}Gi)`;

export function diskOf(requests: ResourceList, osDiskSizeGB: number | undefined): Checked<number> {
  const written = requests.storage;
  if (written === undefined) {
    if (osDiskSizeGB !== undefined) return { ok: true, value: osDiskSizeGB };
    return wrong(
      `the storage request is missing and should be more than 0; ${example}, or set osDiskSizeGB in an AKSNodeClass`,
    );
  }
  const parsed = parseQuantity(written);
  if (!parsed.ok) return wrong(parsed.message);
  if (parsed.value.nanos <= 0n) {
    return wrong(`the storage request ${quoteInput(written)} should be more than 0; ${example}`);
  }
  const size = toBytes(parsed.value) / bytesPerGiB;
  if (size < smallestDiskGB || size > largestDiskGB) {
    return wrong(
      `the storage request ${quoteInput(written)} is ${size} GiB, but Azure has no OS disk of that size; ${example}`,
    );
  }
  return { ok: true, value: Number(size) };
}

const wrong = (message: string): Checked<number> => ({ ok: false, problems: [{ path, message }] });
