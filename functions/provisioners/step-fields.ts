/** Reads what routes a step out of its input, without the code that does the step. */
import { isObject, type Json } from '../../shared/base/json.ts';
import { provisionerName } from '../../shared/providers/deployed.ts';
import { provisioners, stepsFunction } from '../catalog.ts';

export const fieldOf = (input: Json, field: string): string | undefined => {
  const value = isObject(input) ? input[field] : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** Whose step it is: the function of the provider's type, where the step names one. */
export function functionFor(input: Json): string {
  const type = fieldOf(input, 'providerType');
  return type === undefined ? stepsFunction : provisionerName(type);
}

/** The same among the functions that a cloud host deploys: there is none for the simulated cloud, whose steps any of them can do. */
export function deployedFunctionFor(input: Json): string {
  const name = functionFor(input);
  return provisioners.includes(name) ? name : stepsFunction;
}
