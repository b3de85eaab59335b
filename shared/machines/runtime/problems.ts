/** What is wrong with a Provider before anything is made of it. */
import type { machineProviders } from '../../observe/errors/machine-providers.ts';
import { type ProviderSpec, providerTypes } from '../api/provider.ts';
import { longestProviderName, type ProviderObject } from './object.ts';

export type ProviderProblemCode = Exclude<keyof typeof machineProviders, `Unknown${string}`>;

export interface ProviderProblem {
  code: ProviderProblemCode;
  message: string;
}

/** The first thing that is wrong: with one mistake less the next is found. */
export function problemIn(provider: ProviderObject): ProviderProblem | undefined {
  const { metadata, spec } = provider;
  if (!(providerTypes as readonly string[]).includes(spec.type)) {
    return {
      code: 'ProviderTypeUnknown',
      message: `spec.type ${quoted(spec.type)} is none of ${providerTypes.join(', ')}`,
    };
  }
  if (metadata.name.length > longestProviderName) {
    return {
      code: 'ProviderNameTooLong',
      message: `metadata.name has ${metadata.name.length} characters; the name of its Service leaves room for ${longestProviderName}`,
    };
  }
  return endpointProblem(spec) ?? secretProblem(metadata.namespace, spec);
}

/** A URI of some kind: what a hypervisor's address looks like is up to its provider. */
function endpointProblem({ endpoint }: ProviderSpec): ProviderProblem | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(endpoint)) return;
  return {
    code: 'ProviderEndpointInvalid',
    message: `spec.endpoint ${quoted(endpoint)} is not a URI such as https://vcenter.example.com`,
  };
}

/** A pod mounts Secrets of its own namespace alone, and nothing here copies one. */
function secretProblem(namespace: string, { credentialSecretRef: ref }: ProviderSpec): ProviderProblem | undefined {
  if (ref?.namespace === undefined || ref.namespace === namespace) return;
  return {
    code: 'ProviderSecretElsewhere',
    message: `spec.credentialSecretRef names Secret ${ref.namespace}/${ref.name}; the pods in namespace ${namespace} cannot mount it`,
  };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80));
