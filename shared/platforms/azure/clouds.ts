/** Azure's clouds: where tokens come from, where ARM is, and for whom a token has to be. */

export interface Cloud {
  authorityHost: string;
  armEndpoint: string;
  /** Whom tokens for ARM are for, without `/.default`. */
  audience: string;
  /** Absent: prices are unknown there. */
  pricesUrl?: string | undefined;
}

export const clouds = {
  public: {
    authorityHost: 'https://login.microsoftonline.com',
    armEndpoint: 'https://management.azure.com',
    audience: 'https://management.azure.com',
    pricesUrl: 'https://prices.azure.com/api/retail/prices',
  },
  'us-government': {
    authorityHost: 'https://login.microsoftonline.us',
    armEndpoint: 'https://management.usgovcloudapi.net',
    audience: 'https://management.usgovcloudapi.net',
    pricesUrl: 'https://prices.azure.com/api/retail/prices',
  },
  china: {
    authorityHost: 'https://login.chinacloudapi.cn',
    armEndpoint: 'https://management.chinacloudapi.cn',
    audience: 'https://management.chinacloudapi.cn',
    pricesUrl: 'https://prices.azure.cn/api/retail/prices',
  },
} as const satisfies Record<string, Cloud>;

export type CloudName = keyof typeof clouds;

/** A whole cloud belongs to an authority host, so the variable that names the host names the rest too. */
export function cloudOfAuthority(host: string): CloudName | undefined {
  const wanted = bareUrl(host);
  return (Object.keys(clouds) as CloudName[]).find((name) => clouds[name].authorityHost === wanted);
}

/** Microsoft's own hosts; any other one can't be looked up by its identity library. */
export const isKnownAuthority = (host: string): boolean => cloudOfAuthority(host) !== undefined;

export const bareUrl = (url: string): string => url.replace(/\/+$/, '').toLowerCase();
