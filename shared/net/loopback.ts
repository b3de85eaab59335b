/** This machine and no other. */

/** Headers as they came, by turns names and values: Node keeps one Host of two. */
type Asked = { rawHeaders: string[]; url?: string | undefined };

export const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);

const names = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A page in a browser may resolve any name to this machine; such a request carries that name as its Host. Compared as text:
 * `2130706433` and `0x7f.1` are this machine too, but no client of ours writes them. Any port is accepted, because a tunnel has its own.
 *
 * @param own The address that the server listens on, where it is another of 127.0.0.0/8.
 */
export function isForLoopback({ rawHeaders, url = '' }: Asked, own?: string): boolean {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  const [host] = hosts;
  if (hosts.length !== 1 || host === undefined) return false;
  const { name } = /^(?<name>.*?)(:\d{1,5})?$/s.exec(host)?.groups ?? {};
  if (name === undefined || !(names.includes(name.toLowerCase()) || name === own)) return false;
  // A target in absolute form names a host of its own, which would count instead of the header.
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  return url.startsWith('/') || url === '*' || authority === host;
}
