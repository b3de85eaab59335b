/** Numbers in Azure's sentences about quotas: people need family, location, needed and free, and not the rest. */

export interface QuotaText {
  cause: string;
  family?: string;
  location?: string;
  needed?: number;
  free?: number;
}

const ofAks = /insufficient vcpu quota requested (\d+), remaining (\d+) for family (.+?) for region (\w+)/i;
const ofCompute = /Location: (\w+), Current Limit: (\d+), Current Usage: (\d+), Additional Required: (\d+)/i;
const familyOfCompute = /approved (.+?) quota|for (standard\w+family)/i;

export function quotaIn(message: string): QuotaText | undefined {
  const aks = ofAks.exec(message);
  if (aks !== null) {
    const [, needed = '', free = '', family = '', location = ''] = aks;
    return told(family, location, Number(needed), Number(free));
  }
  const compute = ofCompute.exec(message);
  if (compute === null) return undefined;
  const [, location = '', limit = '', used = '', needed = ''] = compute;
  const found = familyOfCompute.exec(message);
  return told(found?.[1] ?? found?.[2] ?? 'vCPUs', location, Number(needed), Math.max(0, Number(limit) - Number(used)));
}

function told(family: string, location: string, needed: number, free: number): QuotaText {
  const cause = `the vCPU quota ${family} in ${location} has ${free} free, and ${needed} are needed`;
  return { cause, family, location, needed, free };
}
