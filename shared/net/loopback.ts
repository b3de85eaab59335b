/** This machine and nobody else. */
export const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);

/** A page in a browser may resolve any name to this machine; such a request carries that name as its Host. */
export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  return isLoopback(host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : (host.split(':')[0] ?? ''));
}
