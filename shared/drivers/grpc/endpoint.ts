/** Where a provider server listens, as people and objects write it. */

/** `host:port` or a URL with a host and a port; undefined for what is neither. */
export function addressOf(endpoint: string): string | undefined {
  const [, rest = ''] = /^(?:(?:grpcs?|https?|tcp):\/\/)?(.*?)\/*$/i.exec(endpoint.trim()) ?? [];
  if (/^dns:(\/\/[^/]*\/)?[^/\s]+:\d{1,5}$/.test(rest)) return rest;
  const [, host = '', port = ''] = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/i.exec(rest) ?? [];
  return host === '' || Number(port) < 1 || Number(port) > 65_535 ? undefined : `${host}:${port}`;
}
