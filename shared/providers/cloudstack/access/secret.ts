/** The Secret with the credentials, named and keyed as Karpenter's provider for CloudStack has it. */
export const usualSecret = { namespace: 'karpenter', name: 'cloudstack-credentials' } as const;

export const secretKeys = { apiUrl: 'api-url', apiKey: 'api-key', secretKey: 'secret-key' } as const;
