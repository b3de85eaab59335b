/**
 * Wrapping a provider: metering its calls, loading its code with the first one, finding its place first. Everything that wraps goes
 * through the two tables here, and both are exhaustive: a member of the contract that they forget does not compile.
 */
import type { Provider } from './contract.ts';

type IsMethod<T> = T extends (...values: never[]) => unknown ? true : false;
type MembersThatAre<Wanted extends boolean> = {
  [Name in keyof Provider]-?: IsMethod<NonNullable<Provider[Name]>> extends Wanted ? Name : never;
}[keyof Provider];

/** What is asked of the cloud. */
export type ProviderMethod = MembersThatAre<true>;
/** What is known without asking. */
type FactName = MembersThatAre<false>;
export type ProviderFacts = Pick<Provider, FactName>;

type RequiredMethod = { [Name in ProviderMethod]: undefined extends Provider[Name] ? never : Name }[ProviderMethod];
type OptionalMethod = Exclude<ProviderMethod, RequiredMethod>;

const facts: Readonly<Record<FactName, true>> = {
  name: true,
  traits: true,
  nodeClasses: true,
  serves: true,
  expires: true,
  instanceIds: true,
};

/** Every method, and whether each provider has it. */
const methods: Readonly<Record<RequiredMethod, 'required'> & Record<OptionalMethod, 'optional'>> = {
  beginCreate: 'required',
  pollCreate: 'required',
  beginDelete: 'required',
  pollDelete: 'required',
  find: 'required',
  get: 'required',
  list: 'required',
  instanceTypes: 'required',
  place: 'optional',
  roomToCreate: 'optional',
  resolveNodeClass: 'optional',
  check: 'optional',
  quota: 'optional',
  adopt: 'optional',
  tidy: 'optional',
};

/** One fact of a provider. It is asked for at every access, because what is known of a provider may change with its place. */
export type Known = <Name extends FactName>(fact: Name) => ProviderFacts[Name];

/** The facts of a provider, some of them replaced. What it says of the others is not copied, so none can be forgotten. */
export const factsWith =
  (provider: ProviderFacts, replaced: Partial<ProviderFacts>): Known =>
  (fact) =>
    fact in replaced ? (replaced as ProviderFacts)[fact] : provider[fact];

type Arguments<Name extends ProviderMethod> = Parameters<NonNullable<Provider[Name]>>;
type Answer<Name extends ProviderMethod> = ReturnType<NonNullable<Provider[Name]>>;

/** What is done instead of a call; it may make the call with `callOn`. Its answer must be of the method's own kind. */
export type Intercept = <Name extends ProviderMethod>(method: Name, values: Arguments<Name>) => Promise<unknown>;

/** Which of the optional methods a provider has, before its code is loaded. Each has to be named, so that none is forgotten. */
export type OptionalMethods<P extends Partial<Provider> = Provider> = {
  readonly [Name in OptionalMethod]: Name extends keyof P ? (undefined extends P[Name] ? boolean : true) : false;
};

export const optionalMethodsOf = (provider: Provider): Readonly<Record<OptionalMethod, boolean>> => ({
  place: provider.place !== undefined,
  roomToCreate: provider.roomToCreate !== undefined,
  resolveNodeClass: provider.resolveNodeClass !== undefined,
  check: provider.check !== undefined,
  quota: provider.quota !== undefined,
  adopt: provider.adopt !== undefined,
  tidy: provider.tidy !== undefined,
});

/** @param has Which optional methods there are. */
export function wrapProvider(
  known: Known,
  has: Readonly<Record<OptionalMethod, boolean>>,
  intercept: Intercept,
): Provider {
  const wrapped: Record<string, unknown> = {};
  for (const fact of Object.keys(facts) as FactName[]) {
    Object.defineProperty(wrapped, fact, { get: () => known(fact), enumerable: true });
  }
  for (const [method, need] of Object.entries(methods) as [ProviderMethod, 'required' | 'optional'][]) {
    if (need === 'optional' && !has[method as OptionalMethod]) continue;
    wrapped[method] = (...values: unknown[]) => intercept(method, values as never);
  }
  return wrapped as unknown as Provider;
}

/** Calls a method by its name; it must be there. */
export function callOn<Name extends ProviderMethod>(
  provider: Provider,
  method: Name,
  values: Arguments<Name>,
): Answer<Name> {
  const call = provider[method] as ((...given: Arguments<Name>) => Answer<Name>) | undefined;
  if (call === undefined) throw new Error(`provider ${provider.name} has no method ${method}`);
  return call.apply(provider, values);
}
