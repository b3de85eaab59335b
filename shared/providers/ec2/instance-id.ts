/** `aws:///eu-west-1a/i-0123456789abcdef0` → `i-0123456789abcdef0`; undefined for what is no providerID of EC2. */
export const instanceIdIn = (providerID: string): string | undefined =>
  /^aws:\/\/\/[a-z0-9-]+\/(i-[0-9a-z]+)$/.exec(providerID)?.[1];
