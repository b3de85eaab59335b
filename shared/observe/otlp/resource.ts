/** Who it is that counts, in the words of OpenTelemetry. Each process is an instance of its own: their counters must not be mixed up. */
import type { Environment } from '../../base/environment.ts';

export interface ResourceFacts {
  deployment: string;
  version: string;
  /** Another one for every process. */
  instance: string;
}

export function resourceOf({ deployment, version, instance }: ResourceFacts, env: Environment): Record<string, string> {
  return {
    'service.name': env.OTEL_SERVICE_NAME || 'poolwright',
    'service.version': version,
    'service.instance.id': instance,
    'poolwright.deployment': deployment,
    ...platformOf(env),
    ...givenAttributes(env.OTEL_RESOURCE_ATTRIBUTES ?? ''),
  };
}

/** What Lambda and Azure Functions tell every process. */
function platformOf(env: Environment): Record<string, string> {
  if (env.AWS_LAMBDA_FUNCTION_NAME) {
    return {
      'cloud.provider': 'aws',
      'cloud.platform': 'aws_lambda',
      'faas.name': env.AWS_LAMBDA_FUNCTION_NAME,
      ...(env.AWS_REGION ? { 'cloud.region': env.AWS_REGION } : {}),
    };
  }
  if (env.WEBSITE_SITE_NAME && env.FUNCTIONS_WORKER_RUNTIME) {
    return {
      'cloud.provider': 'azure',
      'cloud.platform': 'azure.functions',
      'faas.name': env.WEBSITE_SITE_NAME,
      ...(env.REGION_NAME ? { 'cloud.region': env.REGION_NAME } : {}),
    };
  }
  return {};
}

/** `key=value,key=value`; what can't be read is left out, as others do. */
function givenAttributes(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((part): [string, string][] => {
    const [, key, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(part) ?? [];
    if (key === undefined || value === undefined) return [];
    try {
      return [[key, decodeURIComponent(value.trim())]];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(pairs);
}
